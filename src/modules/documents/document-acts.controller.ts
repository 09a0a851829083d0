import { Body, Controller, Get, Headers, HttpCode, Param, Post, StreamableFile } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiAcceptedResponse, ApiCreatedResponse, ApiHeader, ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import { idempotencyKey } from '../../platform/http/idempotency-key.js';
import { RateLimit } from '../../platform/http/rate-limits.js';
import { RequirePermission, Tenant } from '../../platform/security/access.js';
import type { TenantContext } from '../../shared/tenant-context.js';
import { CreditNoteDto } from './documents.credit-note.dto.js';
import { DocumentCreateDto } from './documents.dto.js';
import { DocumentPath } from './documents.query.dto.js';
import { CreditNoteCreated, DocumentSyncSubmit } from './documents.responses.js';
import { CorrectDocument } from './use-cases/correct-document.js';
import { CreateCreditNote } from './use-cases/create-credit-note.js';
import { GetDocumentRide } from './use-cases/get-document-ride.js';

/** What may be done with a document after it was issued. */
@ApiTags('documents')
@Controller('documents/:document_id')
export class DocumentActsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post('credit-note')
  @RequirePermission('documents:issue')
  @ApiOperation({ operationId: 'createCreditNote', summary: 'Draft a credit note of an authorized invoice' })
  @ApiHeader({ name: 'Idempotency-Key', required: false, description: 'Same as the body field idempotency_key' })
  @ApiCreatedResponse({ type: CreditNoteCreated })
  creditNote(
    @Tenant() tenant: TenantContext,
    @Param() { document_id }: DocumentPath,
    @Body() body: CreditNoteDto,
    @Headers('idempotency-key') key: string | undefined,
  ): Promise<CreditNoteCreated> {
    return this.commands.execute(new CreateCreditNote(tenant, document_id, body, idempotencyKey(key, body.idempotency_key)));
  }

  @Post('correct')
  @HttpCode(202)
  @RequirePermission('documents:operate')
  @RateLimit('issue')
  @ApiOperation({ operationId: 'correctDocument', summary: 'Send a refused document again with mended content under the same number' })
  @ApiAcceptedResponse({ type: DocumentSyncSubmit })
  correct(@Tenant() tenant: TenantContext, @Param() { document_id }: DocumentPath, @Body() body: DocumentCreateDto): Promise<DocumentSyncSubmit> {
    return this.commands.execute(new CorrectDocument(tenant, document_id, body));
  }

  @Get('ride')
  @RequirePermission('documents:read')
  @ApiOperation({ operationId: 'getDocumentRide', summary: 'Printed representation (RIDE) as PDF; drafts carry a watermark' })
  @ApiProduces('application/pdf')
  @ApiOkResponse({ content: { 'application/pdf': { schema: { type: 'string', format: 'binary' } } } })
  async ride(@Tenant() tenant: TenantContext, @Param() { document_id }: DocumentPath): Promise<StreamableFile> {
    const { bytes, fileName } = await this.queries.execute(new GetDocumentRide(tenant, document_id));
    return new StreamableFile(bytes, { type: 'application/pdf', disposition: `inline; filename="${fileName}"` });
  }
}
