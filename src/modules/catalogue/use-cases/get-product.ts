import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { found } from '../../../shared/found.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { ProductsRepository } from '../persistence/products.repository.js';
import type { ProductRecord } from '../products.responses.js';

/** One product of the catalogue. */
export class GetProduct extends Query<ProductRecord> {
  constructor(
    readonly tenant: TenantContext,
    readonly productId: string,
  ) {
    super();
  }
}

@QueryHandler(GetProduct)
export class GetProductHandler implements IQueryHandler<GetProduct> {
  constructor(private readonly products: ProductsRepository) {}

  async execute({ tenant, productId }: GetProduct): Promise<ProductRecord> {
    return found(await this.products.find(tenant.tenantId, productId));
  }
}
