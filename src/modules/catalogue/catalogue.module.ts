import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { HttpModule } from '../../platform/http/http.module.js';
import { ImportSlots } from './import-slots.js';
import { ProductsRepository } from './persistence/products.repository.js';
import { ProductFilesController } from './product-files.controller.js';
import { ProductLookup } from './product-lookup.js';
import { ProductsController } from './products.controller.js';
import { CreateProductHandler } from './use-cases/create-product.js';
import { DeleteProductHandler } from './use-cases/delete-product.js';
import { ExportProductsHandler } from './use-cases/export-products.js';
import { GetProductHandler } from './use-cases/get-product.js';
import { ImportProductsHandler } from './use-cases/import-products.js';
import { ListProductsHandler } from './use-cases/list-products.js';
import { UpdateProductHandler } from './use-cases/update-product.js';

const HANDLERS = [
  CreateProductHandler,
  UpdateProductHandler,
  DeleteProductHandler,
  GetProductHandler,
  ListProductsHandler,
  ExportProductsHandler,
  ImportProductsHandler,
];

/** Products and services that a tenant sells. `export.csv` is no id, so its routes come first. */
@Module({
  imports: [CqrsModule, HttpModule],
  controllers: [ProductFilesController, ProductsController],
  providers: [ProductsRepository, ImportSlots, ProductLookup, ...HANDLERS],
  exports: [ProductLookup],
})
export class CatalogueModule {}
