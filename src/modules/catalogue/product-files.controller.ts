import { Body, Controller, Get, Headers, HttpCode, Post, Query, type StreamableFile, UseInterceptors } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiBody, ApiConsumes, ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import { CSV_TEXTS, csvAnswer, SEPARATORS } from '../../platform/http/csv.js';
import { EXPORTS_BOUND, TakesExportSlot } from '../../platform/http/export-slots.js';
import { languageOf } from '../../platform/http/language.js';
import { RequirePermission, Tenant } from '../../platform/security/access.js';
import type { TenantContext } from '../../shared/tenant-context.js';
import type { UploadedCsv } from './csv/csv-table.js';
import { CsvBody, FormRoom, ReadMultipartCsv } from './csv-upload.interceptor.js';
import { PRODUCT_FIELDS } from './domain/product.js';
import { IMPORTS_BOUND, TakesImportSlot } from './import-slots.js';
import { ProductExportQuery, ProductImportQuery } from './products.dto.js';
import { ProductImportResult } from './products.responses.js';
import { ExportProducts } from './use-cases/export-products.js';
import { ImportProducts } from './use-cases/import-products.js';

const FILE = { type: 'string', format: 'binary' } as const;

/** The catalogue as a file, out and in. */
@ApiTags('products')
@Controller('products')
export class ProductFilesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get('export.csv')
  @RequirePermission('exports:read')
  @UseInterceptors(TakesExportSlot)
  @ApiOperation({
    operationId: 'exportProducts',
    summary: 'The catalogue as a CSV file, in the order of its main codes',
    description: `${CSV_TEXTS}The import takes them away again. ${EXPORTS_BOUND}`,
  })
  @ApiProduces('text/csv')
  @ApiOkResponse({ content: { 'text/csv': { schema: { type: 'string' } } } })
  async export(@Tenant() tenant: TenantContext, @Query() query: ProductExportQuery): Promise<StreamableFile> {
    const file = { fileName: 'products.csv', header: PRODUCT_FIELDS, separator: SEPARATORS[query.separator] };
    return csvAnswer(file, await this.queries.execute(new ExportProducts(tenant, query)));
  }

  @Post('import')
  @HttpCode(200)
  @RequirePermission('products:write')
  @UseInterceptors(TakesImportSlot, FormRoom, ReadMultipartCsv, CsvBody)
  @ApiConsumes('text/csv', 'multipart/form-data')
  @ApiBody({ schema: { type: 'object', properties: { file: FILE } } })
  @ApiOperation({
    operationId: 'importProducts',
    summary: 'Add and change products by a CSV file',
    description:
      'The file is the body (`text/csv`) or the part `file` of a form; at most 5 MB and 20,000 rows. The first line that is not empty names the columns, which are the fields ' +
      'of a product: `main_code` finds the product, columns left out stay as they are, an empty cell is the default. Separated by commas, or by ' +
      'semicolons or tabs with decimal commas, where points that may set thousands apart (`1.250`) are refused. With one faulty row nothing is taken and every fault is told with its line, unless `skip_faulty=true`: 400 where ' +
      'a required field is missing, else 422. Wants a bearer token or an API key: by a session cookie only JSON may be sent. ' +
      IMPORTS_BOUND,
  })
  @ApiOkResponse({ type: ProductImportResult })
  import(
    @Tenant() tenant: TenantContext,
    @Body() file: UploadedCsv,
    @Query() query: ProductImportQuery,
    @Headers('accept-language') language: string | undefined,
  ): Promise<ProductImportResult> {
    return this.commands.execute(new ImportProducts(tenant, file, query, languageOf(language)));
  }
}
