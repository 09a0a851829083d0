import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { found } from '../../../shared/found.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { DeliveriesRepository } from '../persistence/deliveries.repository.js';
import type { DeliveryListQuery } from '../webhooks.dto.js';
import type { DeliveryPage } from '../webhooks.responses.js';

/** A page of what was sent to a webhook, newest first, with the attempts. */
export class ListDeliveries extends Query<DeliveryPage> {
  constructor(
    readonly tenant: TenantContext,
    readonly webhookId: string,
    readonly query: DeliveryListQuery,
  ) {
    super();
  }
}

@QueryHandler(ListDeliveries)
export class ListDeliveriesHandler implements IQueryHandler<ListDeliveries> {
  constructor(private readonly deliveries: DeliveriesRepository) {}

  async execute({ tenant, webhookId, query: { page, page_size, status } }: ListDeliveries): Promise<DeliveryPage> {
    const { rows, total } = found(await this.deliveries.page(tenant.tenantId, webhookId, status ?? null, page_size, (page - 1) * page_size));
    return { items: rows, total, page, page_size };
  }
}
