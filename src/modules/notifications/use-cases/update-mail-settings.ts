import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CLOCK, type Clock } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { PLACEHOLDERS } from '../domain/template.js';
import type { MailSettingsDto } from '../notifications.dto.js';
import type { MailSettingsRecord } from '../notifications.responses.js';
import { MailSettingsRepository } from '../persistence/mail-settings.repository.js';

/** Changes the given settings of the tenant's mails; null gives a text back to the service. */
export class UpdateMailSettings extends Command<MailSettingsRecord> {
  constructor(
    readonly tenant: TenantContext,
    readonly input: MailSettingsDto,
  ) {
    super();
  }
}

@CommandHandler(UpdateMailSettings)
export class UpdateMailSettingsHandler implements ICommandHandler<UpdateMailSettings> {
  constructor(
    private readonly settings: MailSettingsRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ tenant, input }: UpdateMailSettings): Promise<MailSettingsRecord> {
    return { ...(await this.settings.change(tenant, input, this.clock.now())), placeholders: PLACEHOLDERS };
  }
}
