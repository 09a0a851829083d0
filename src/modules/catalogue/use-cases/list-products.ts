import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { ProductsRepository } from '../persistence/products.repository.js';
import type { ProductListQuery } from '../products.dto.js';
import type { ProductPage } from '../products.responses.js';

/** A page of the catalogue, newest first. */
export class ListProducts extends Query<ProductPage> {
  constructor(
    readonly tenant: TenantContext,
    readonly query: ProductListQuery,
  ) {
    super();
  }
}

@QueryHandler(ListProducts)
export class ListProductsHandler implements IQueryHandler<ListProducts> {
  constructor(private readonly products: ProductsRepository) {}

  async execute({ tenant, query }: ListProducts): Promise<ProductPage> {
    const { page, page_size, q, is_active, include_deleted } = query;
    const filter = { q: q ?? null, isActive: is_active ?? null, withDeleted: include_deleted };
    const { rows, total } = await this.products.list(tenant.tenantId, filter, page_size, (page - 1) * page_size);
    return { items: rows, total, page, page_size };
  }
}
