import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { StandingCredential } from '../../../platform/database/standing-credential.js';
import { type CsvCell, original, type Separator, SEPARATORS } from '../../../platform/http/csv.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { productCells } from '../csv/product-cells.js';
import { type ProductFilter, ProductsRepository } from '../persistence/products.repository.js';
import type { ProductExportQuery } from '../products.dto.js';

const BATCH = 500;

/** The catalogue in the order of its main codes, as rows of a file. */
export class ExportProducts extends Query<AsyncIterable<CsvCell[][]>> {
  constructor(
    readonly tenant: TenantContext,
    readonly query: ProductExportQuery,
  ) {
    super();
  }
}

@QueryHandler(ExportProducts)
export class ExportProductsHandler implements IQueryHandler<ExportProducts> {
  constructor(
    private readonly products: ProductsRepository,
    private readonly credential: StandingCredential,
  ) {}

  async execute({ tenant, query: { q, is_active, separator, cursor } }: ExportProducts): Promise<AsyncIterable<CsvCell[][]>> {
    return this.credential.whileItStands(tenant, this.batches(tenant.tenantId, { q: q ?? null, isActive: is_active ?? null, withDeleted: false }, SEPARATORS[separator], original(cursor ?? '')));
  }

  /** A short transaction for each batch: a slow reader holds neither a connection nor a snapshot. */
  private async *batches(tenantId: string, filter: ProductFilter, separator: Separator, after: string): AsyncGenerator<CsvCell[][]> {
    let last: string | undefined = after;
    while (last !== undefined) {
      const products = await this.products.after(tenantId, filter, last, BATCH);
      if (products.length > 0) yield products.map((product) => productCells(product, separator));
      last = products.length < BATCH ? undefined : products.at(-1)?.main_code;
    }
  }
}
