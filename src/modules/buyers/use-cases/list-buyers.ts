import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { BuyerListQuery } from '../buyers.dto.js';
import type { BuyerPage } from '../buyers.responses.js';
import { BuyersRepository } from '../persistence/buyers.repository.js';

/** A page of the tenant's profiles, newest first. */
export class ListBuyers extends Query<BuyerPage> {
  constructor(
    readonly tenant: TenantContext,
    readonly query: BuyerListQuery,
  ) {
    super();
  }
}

@QueryHandler(ListBuyers)
export class ListBuyersHandler implements IQueryHandler<ListBuyers> {
  constructor(private readonly buyers: BuyersRepository) {}

  async execute({ tenant, query: { page, page_size, name, buyer_id, is_active } }: ListBuyers): Promise<BuyerPage> {
    const filter = { name: name ?? null, buyerId: buyer_id ?? null, isActive: is_active ?? null };
    const { rows, total } = await this.buyers.list(tenant.tenantId, filter, page_size, (page - 1) * page_size);
    return { items: rows, total, page, page_size, total_pages: Math.ceil(total / page_size) };
  }
}
