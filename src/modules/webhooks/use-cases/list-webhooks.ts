import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { PageQuery } from '../../../platform/http/paging.dto.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { WebhooksRepository } from '../persistence/webhooks.repository.js';
import type { WebhookPage } from '../webhooks.responses.js';

/** A page of the tenant's webhooks, newest first. */
export class ListWebhooks extends Query<WebhookPage> {
  constructor(
    readonly tenant: TenantContext,
    readonly page: PageQuery,
  ) {
    super();
  }
}

@QueryHandler(ListWebhooks)
export class ListWebhooksHandler implements IQueryHandler<ListWebhooks> {
  constructor(private readonly webhooks: WebhooksRepository) {}

  async execute({ tenant, page: { page, page_size } }: ListWebhooks): Promise<WebhookPage> {
    const { rows, total } = await this.webhooks.list(tenant.tenantId, page_size, (page - 1) * page_size);
    return { items: rows, total, page, page_size };
  }
}
