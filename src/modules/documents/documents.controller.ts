import { Body, Controller, Get, Headers, HttpCode, Param, Post, Query, Res, StreamableFile, UseInterceptors } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiAcceptedResponse, ApiBody, ApiExtraModels, ApiOkResponse, ApiOperation, ApiProduces, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { Response } from 'express';
import { CSV_TEXTS, SEPARATORS } from '../../platform/http/csv.js';
import { EXPORTS_BOUND, TakesExportSlot } from '../../platform/http/export-slots.js';
import { languageOf } from '../../platform/http/language.js';
import { idempotencyKey, IdempotencyHeaders, TakesIdempotencyKey } from '../../platform/http/idempotency-key.js';
import { LISTS_BOUND, TakesListTurn } from '../../platform/http/list-turns.js';
import { beginWait, preferredWait, TakesPrefer } from '../../platform/http/prefer.js';
import { RateLimit } from '../../platform/http/rate-limits.js';
import { XLSX } from '../../platform/http/xlsx.js';
import { RequirePermission, Tenant } from '../../platform/security/access.js';
import { DomainError } from '../../shared/domain-error.js';
import type { TenantContext } from '../../shared/tenant-context.js';
import { ISSUE_EXAMPLES } from './documents.examples.js';
import { DocumentCreateDto } from './documents.dto.js';
import { DocumentCsvQuery, DocumentExportQuery, DocumentListQuery, DocumentPath, filterOf, XmlQuery } from './documents.query.dto.js';
import { DocumentAccepted, DocumentPage, DocumentRecord, DocumentSyncSubmit } from './documents.responses.js';
import { AwaitDocument } from './use-cases/await-document.js';
import { ExportDocuments } from './use-cases/export-documents.js';
import { GetDocument } from './use-cases/get-document.js';
import { GetDocumentXml } from './use-cases/get-document-xml.js';
import { IssueDocument } from './use-cases/issue-document.js';
import { ListDocuments } from './use-cases/list-documents.js';

@ApiTags('documents')
@Controller('documents')
export class DocumentsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @HttpCode(202)
  @RequirePermission('documents:issue')
  @RateLimit('issue')
  @ApiOperation({ operationId: 'issueDocument', summary: 'Issue a document' })
  @TakesIdempotencyKey()
  @TakesPrefer()
  @ApiBody({ type: DocumentCreateDto, examples: ISSUE_EXAMPLES })
  @ApiExtraModels(DocumentAccepted, DocumentSyncSubmit)
  @ApiAcceptedResponse({ schema: { anyOf: [{ $ref: getSchemaPath(DocumentAccepted) }, { $ref: getSchemaPath(DocumentSyncSubmit) }] } })
  async issue(
    @Tenant() tenant: TenantContext,
    @Body() body: DocumentCreateDto,
    @IdempotencyHeaders() keys: readonly string[] | undefined,
    @Headers('prefer') prefer: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DocumentAccepted | DocumentSyncSubmit> {
    const wait = preferredWait(prefer);
    const { answer, replayed } = await this.commands.execute(new IssueDocument(tenant, body, idempotencyKey(keys, body.idempotency_key)));
    if (replayed) response.setHeader('Idempotent-Replayed', 'true');
    if (wait === null) return answer;
    const awaiting = beginWait(response, wait);
    try {
      return await this.queries.execute(new AwaitDocument(tenant, answer.document_id, awaiting, replayed, answer.access_key));
    } catch (error) {
      // A key is good for ever, also after retention has moved its document to the archive.
      if (replayed && error instanceof DomainError && error.code === 'NOT_FOUND') return answer;
      throw error;
    }
  }

  @Get()
  @RequirePermission('documents:read')
  @UseInterceptors(TakesListTurn)
  @ApiOperation({ operationId: 'listDocuments', summary: 'List the documents of the tenant, newest first', description: LISTS_BOUND })
  @ApiOkResponse({ type: DocumentPage })
  list(@Tenant() tenant: TenantContext, @Query() query: DocumentListQuery): Promise<DocumentPage> {
    return this.queries.execute(new ListDocuments(tenant, filterOf(query), query.page, query.page_size));
  }

  @Get('export.csv')
  @RequirePermission('exports:read')
  @UseInterceptors(TakesExportSlot)
  @ApiOperation({ operationId: 'exportDocumentsCsv', summary: 'All documents of a list as CSV (RFC 4180), newest first', description: CSV_TEXTS + EXPORTS_BOUND })
  @ApiProduces('text/csv')
  @ApiOkResponse({ content: { 'text/csv': { schema: { type: 'string' } } } })
  exportCsv(@Tenant() tenant: TenantContext, @Query() query: DocumentCsvQuery): Promise<StreamableFile> {
    return this.queries.execute(new ExportDocuments(tenant, filterOf(query), 'csv', query.cursor ?? null, SEPARATORS[query.separator]));
  }

  @Get('export.xlsx')
  @RequirePermission('exports:read')
  @UseInterceptors(TakesExportSlot)
  @ApiOperation({ operationId: 'exportDocumentsXlsx', summary: 'All documents of a list as a workbook, newest first', description: EXPORTS_BOUND })
  @ApiProduces(XLSX)
  @ApiOkResponse({ content: { [XLSX]: { schema: { type: 'string', format: 'binary' } } } })
  exportXlsx(@Tenant() tenant: TenantContext, @Query() query: DocumentExportQuery): Promise<StreamableFile> {
    return this.queries.execute(new ExportDocuments(tenant, filterOf(query), 'xlsx', query.cursor ?? null));
  }

  @Get(':document_id')
  @RequirePermission('documents:read')
  @RateLimit('read')
  @ApiOperation({ operationId: 'getDocument', summary: 'State and content of one document' })
  @ApiOkResponse({ type: DocumentRecord })
  get(
    @Tenant() tenant: TenantContext,
    @Param() { document_id }: DocumentPath,
    @Headers('accept-language') language: string | undefined,
  ): Promise<DocumentRecord> {
    return this.queries.execute(new GetDocument(tenant, document_id, languageOf(language)));
  }

  @Get(':document_id/xml')
  @RequirePermission('documents:read')
  @ApiOperation({
    operationId: 'getDocumentXml',
    summary: 'Signed XML as sent, or the authorization for the receiver',
    description: 'A document that is there without this XML is answered 404 with `kind`, `status` and a `reason` in the detail: `not_yet`, or `none` where its state is final. An unknown document has no detail.',
  })
  @ApiProduces('application/xml')
  @ApiOkResponse({ description: 'XML', content: { 'application/xml': { schema: { type: 'string', format: 'binary' } } } })
  async xml(@Tenant() tenant: TenantContext, @Param() { document_id }: DocumentPath, @Query() query: XmlQuery): Promise<StreamableFile> {
    const { bytes, fileName } = await this.queries.execute(new GetDocumentXml(tenant, document_id, query.kind));
    return new StreamableFile(bytes, { type: 'application/xml', disposition: `inline; filename="${fileName}"` });
  }
}
