import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { PLACEHOLDERS } from '../domain/template.js';
import type { MailSettingsRecord } from '../notifications.responses.js';
import { DEFAULT_MAIL_SETTINGS, MailSettingsRepository } from '../persistence/mail-settings.repository.js';

/** What the tenant chose for its mails. */
export class GetMailSettings extends Query<MailSettingsRecord> {
  constructor(readonly tenant: TenantContext) {
    super();
  }
}

@QueryHandler(GetMailSettings)
export class GetMailSettingsHandler implements IQueryHandler<GetMailSettings> {
  constructor(private readonly settings: MailSettingsRepository) {}

  async execute({ tenant }: GetMailSettings): Promise<MailSettingsRecord> {
    return { ...((await this.settings.find(tenant.tenantId)) ?? DEFAULT_MAIL_SETTINGS), placeholders: PLACEHOLDERS };
  }
}
