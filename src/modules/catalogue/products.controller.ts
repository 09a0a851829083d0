import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, UseInterceptors } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { LISTS_BOUND, TakesListTurn } from '../../platform/http/list-turns.js';
import { PathUuid } from '../../platform/http/path-uuid.js';
import { RequirePermission, Tenant } from '../../platform/security/access.js';
import type { TenantContext } from '../../shared/tenant-context.js';
import { ProductCreateDto, ProductListQuery, ProductUpdateDto } from './products.dto.js';
import { ProductPage, ProductRecord } from './products.responses.js';
import { CreateProduct } from './use-cases/create-product.js';
import { DeleteProduct } from './use-cases/delete-product.js';
import { GetProduct } from './use-cases/get-product.js';
import { ListProducts } from './use-cases/list-products.js';
import { UpdateProduct } from './use-cases/update-product.js';

@ApiTags('products')
@Controller('products')
export class ProductsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @RequirePermission('products:write')
  @ApiOperation({ operationId: 'createProduct', summary: 'Add a product or service to the catalogue' })
  @ApiCreatedResponse({ type: ProductRecord })
  create(@Tenant() tenant: TenantContext, @Body() body: ProductCreateDto): Promise<ProductRecord> {
    return this.commands.execute(new CreateProduct(tenant, body));
  }

  @Get()
  @RequirePermission('products:read')
  @UseInterceptors(TakesListTurn)
  @ApiOperation({ operationId: 'listProducts', summary: 'List the catalogue, newest first', description: LISTS_BOUND })
  @ApiOkResponse({ type: ProductPage })
  list(@Tenant() tenant: TenantContext, @Query() query: ProductListQuery): Promise<ProductPage> {
    return this.queries.execute(new ListProducts(tenant, query));
  }

  @Get(':product_id')
  @RequirePermission('products:read')
  @ApiOperation({ operationId: 'getProduct', summary: 'One product that is not deleted' })
  @ApiOkResponse({ type: ProductRecord })
  get(@Tenant() tenant: TenantContext, @Param('product_id', PathUuid) productId: string): Promise<ProductRecord> {
    return this.queries.execute(new GetProduct(tenant, productId));
  }

  @Patch(':product_id')
  @RequirePermission('products:write')
  @ApiOperation({ operationId: 'updateProduct', summary: 'Change fields of a product', description: 'Fields absent from the body stay; `additional_fields` is replaced as a whole.' })
  @ApiOkResponse({ type: ProductRecord })
  update(@Tenant() tenant: TenantContext, @Param('product_id', PathUuid) productId: string, @Body() body: ProductUpdateDto): Promise<ProductRecord> {
    return this.commands.execute(new UpdateProduct(tenant, productId, body));
  }

  @Delete(':product_id')
  @HttpCode(204)
  @RequirePermission('products:write')
  @ApiOperation({
    operationId: 'deleteProduct',
    summary: 'Delete a product',
    description: 'It is found no more, save in the list with `include_deleted=true`. Its main code may be used again; documents keep what they say.',
  })
  @ApiNoContentResponse()
  remove(@Tenant() tenant: TenantContext, @Param('product_id', PathUuid) productId: string): Promise<void> {
    return this.commands.execute(new DeleteProduct(tenant, productId));
  }
}
