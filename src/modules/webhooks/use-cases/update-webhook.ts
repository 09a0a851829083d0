import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { found } from '../../../shared/found.js';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { WebhooksRepository } from '../persistence/webhooks.repository.js';
import { WebhookAddresses } from '../webhook-addresses.js';
import type { WebhookUpdateDto } from '../webhooks.dto.js';
import type { WebhookRecord } from '../webhooks.responses.js';

/**
 * Changes a webhook, or switches it off and on. While it is off, what was on its way waits for three days, and nothing that
 * happens is kept for it; a replay brings that.
 */
export class UpdateWebhook extends Command<WebhookRecord> {
  constructor(
    readonly tenant: TenantContext,
    readonly webhookId: string,
    readonly input: WebhookUpdateDto,
  ) {
    super();
  }
}

@CommandHandler(UpdateWebhook)
export class UpdateWebhookHandler implements ICommandHandler<UpdateWebhook> {
  constructor(
    private readonly webhooks: WebhooksRepository,
    private readonly addresses: WebhookAddresses,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ tenant, webhookId, input: { url, ...others } }: UpdateWebhook): Promise<WebhookRecord> {
    found(await this.webhooks.find(tenant.tenantId, webhookId));
    const change = url === undefined ? others : { ...others, url: await this.addresses.accepted(url) };
    return found(await this.webhooks.update(tenant, webhookId, change, this.clock.now()));
  }
}
