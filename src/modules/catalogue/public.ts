export { CatalogueModule } from './catalogue.module.js';
export { ProductLookup } from './product-lookup.js';
