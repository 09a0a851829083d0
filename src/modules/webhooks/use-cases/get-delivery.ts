import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { found } from '../../../shared/found.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { DeliveriesRepository } from '../persistence/deliveries.repository.js';
import type { DeliveryRecord } from '../webhooks.responses.js';

/** One delivery with its attempts. */
export class GetDelivery extends Query<DeliveryRecord> {
  constructor(
    readonly tenant: TenantContext,
    readonly webhookId: string,
    readonly deliveryId: string,
  ) {
    super();
  }
}

@QueryHandler(GetDelivery)
export class GetDeliveryHandler implements IQueryHandler<GetDelivery> {
  constructor(private readonly deliveries: DeliveriesRepository) {}

  async execute({ tenant, webhookId, deliveryId }: GetDelivery): Promise<DeliveryRecord> {
    return found(await this.deliveries.find(tenant.tenantId, webhookId, deliveryId));
  }
}
