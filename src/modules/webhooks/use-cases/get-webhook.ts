import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { found } from '../../../shared/found.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { WebhooksRepository } from '../persistence/webhooks.repository.js';
import type { WebhookRecord } from '../webhooks.responses.js';

/** One webhook, without its secret. */
export class GetWebhook extends Query<WebhookRecord> {
  constructor(
    readonly tenant: TenantContext,
    readonly webhookId: string,
  ) {
    super();
  }
}

@QueryHandler(GetWebhook)
export class GetWebhookHandler implements IQueryHandler<GetWebhook> {
  constructor(private readonly webhooks: WebhooksRepository) {}

  async execute({ tenant, webhookId }: GetWebhook): Promise<WebhookRecord> {
    return found(await this.webhooks.find(tenant.tenantId, webhookId));
  }
}
