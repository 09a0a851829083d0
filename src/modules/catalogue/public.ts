export { CatalogueModule } from './catalogue.module.js';
export type { ProductValues } from './domain/product.js';
export { ProductLookup } from './product-lookup.js';
