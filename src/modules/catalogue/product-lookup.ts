import { Injectable } from '@nestjs/common';
import type { ProductValues } from './domain/product.js';
import { ProductsRepository } from './persistence/products.repository.js';

/** The catalogue as other modules ask it. */
@Injectable()
export class ProductLookup {
  constructor(private readonly products: ProductsRepository) {}

  /** The active products of these main codes, by code; codes that name none are simply not there. */
  async active(tenantId: string, mainCodes: readonly string[]): Promise<ReadonlyMap<string, ProductValues>> {
    if (mainCodes.length === 0) return new Map();
    const products = await this.products.findActive(tenantId, mainCodes);
    return new Map(products.map((product) => [product.main_code, product]));
  }
}
