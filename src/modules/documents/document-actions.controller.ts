import { Body, Controller, Delete, Get, Headers, HttpCode, Param, Post, Res, StreamableFile, UseInterceptors } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiAcceptedResponse, ApiBody, ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { idempotencyKey, IdempotencyHeaders, TakesIdempotencyKey } from '../../platform/http/idempotency-key.js';
import { languageOf } from '../../platform/http/language.js';
import { beginWait, preferredWait, TakesPrefer } from '../../platform/http/prefer.js';
import { RateLimit } from '../../platform/http/rate-limits.js';
import { RequirePermission, Tenant } from '../../platform/security/access.js';
import type { TenantContext } from '../../shared/tenant-context.js';
import {
  CancellationRequested,
  DocumentAbandoned,
  DocumentHistory,
  DocumentReconciled,
  RetryScheduled,
} from './documents.actions.responses.js';
import { AbandonDto, ReasonDto } from './documents.actions.dto.js';
import { CreditNoteDto } from './documents.credit-note.dto.js';
import { DocumentCreateDto } from './documents.dto.js';
import { CREDIT_NOTE_EXAMPLES, ISSUE_EXAMPLES } from './documents.examples.js';
import { DocumentPath } from './documents.query.dto.js';
import { CreditNoteCreated, DocumentSyncSubmit } from './documents.responses.js';
import { SuggestionInRefusal } from './suggestion.interceptor.js';
import { AbandonDocument } from './use-cases/abandon-document.js';
import { AwaitDocument } from './use-cases/await-document.js';
import { CancelDocument } from './use-cases/cancel-document.js';
import { CorrectDocument } from './use-cases/correct-document.js';
import { CreateCreditNote } from './use-cases/create-credit-note.js';
import { GetDocumentHistory } from './use-cases/get-document-history.js';
import { GetDocumentRide } from './use-cases/get-document-ride.js';
import { ReconcileDocument } from './use-cases/reconcile-document.js';
import { RetryDocument } from './use-cases/retry-document.js';
import { WithdrawCancellation } from './use-cases/withdraw-cancellation.js';

const ASKED_FIRST =
  'Of what was sent and has no verdict the SRI is asked first. What it has decided on is on record then and not given up: 409 `INVALID_STATE` with the reason `DECIDED_AT_SRI`. ' +
  'While the SRI does not answer, it is 503 `SRI_UNAVAILABLE`; a document that was last signed and first sent more than a week ago may be given up also where the question times out, fails with an XML answer of HTTP 500 or has an answer that cannot be read, but not while the service is plainly away.';

/** What may be done with a document after it was issued. */
@ApiTags('documents')
@Controller('documents/:document_id')
export class DocumentActionsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post('credit-note')
  @RequirePermission('documents:issue')
  @ApiOperation({ operationId: 'createCreditNote', summary: 'Draft a credit note of an authorized invoice' })
  @TakesIdempotencyKey()
  @ApiBody({ type: CreditNoteDto, examples: CREDIT_NOTE_EXAMPLES })
  @ApiCreatedResponse({ type: CreditNoteCreated })
  async creditNote(
    @Tenant() tenant: TenantContext,
    @Param() { document_id }: DocumentPath,
    @Body() body: CreditNoteDto,
    @IdempotencyHeaders() keys: readonly string[] | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<CreditNoteCreated> {
    const { answer, replayed } = await this.commands.execute(new CreateCreditNote(tenant, document_id, body, idempotencyKey(keys, body.idempotency_key)));
    if (replayed) response.setHeader('Idempotent-Replayed', 'true');
    return answer;
  }

  @Post('correct')
  @HttpCode(202)
  @RequirePermission('documents:operate')
  @UseInterceptors(SuggestionInRefusal)
  @RateLimit('issue')
  @ApiOperation({ operationId: 'correctDocument', summary: 'Send a refused document again with corrected content under the same number' })
  @TakesPrefer()
  @ApiBody({ type: DocumentCreateDto, examples: ISSUE_EXAMPLES })
  @ApiAcceptedResponse({ type: DocumentSyncSubmit })
  async correct(
    @Tenant() tenant: TenantContext,
    @Param() { document_id }: DocumentPath,
    @Body() body: DocumentCreateDto,
    @Headers('prefer') prefer: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DocumentSyncSubmit> {
    const wait = preferredWait(prefer);
    const answer = await this.commands.execute(new CorrectDocument(tenant, document_id, body));
    if (wait === null) return answer;
    const awaited = await this.queries.execute(new AwaitDocument(tenant, document_id, beginWait(response, wait), false));
    return Object.assign({}, awaited, { new_access_key: answer.new_access_key });
  }

  @Post('retry')
  @HttpCode(202)
  @RequirePermission('documents:operate')
  @UseInterceptors(SuggestionInRefusal)
  @ApiOperation({ operationId: 'retryDocument', summary: 'Set a document that is stuck going again, its attempts counted anew' })
  @ApiAcceptedResponse({ type: RetryScheduled })
  retry(@Tenant() tenant: TenantContext, @Param() { document_id }: DocumentPath): Promise<RetryScheduled> {
    return this.commands.execute(new RetryDocument(tenant, document_id));
  }

  @Post('reconcile')
  @HttpCode(200)
  @RequirePermission('documents:operate')
  @UseInterceptors(SuggestionInRefusal)
  @ApiOperation({ operationId: 'reconcileDocument', summary: 'Ask the SRI now what it holds of the document and follow its verdict' })
  @ApiOkResponse({ type: DocumentReconciled })
  reconcile(@Tenant() tenant: TenantContext, @Param() { document_id }: DocumentPath): Promise<DocumentReconciled> {
    return this.commands.execute(new ReconcileDocument(tenant, document_id));
  }

  @Post('abandon')
  @HttpCode(200)
  @RequirePermission('documents:operate')
  @UseInterceptors(SuggestionInRefusal)
  @ApiOperation({ operationId: 'abandonDocument', summary: 'Give a refused or stuck document up; its number stays with it, explained', description: ASKED_FIRST })
  @ApiOkResponse({ type: DocumentAbandoned })
  abandon(@Tenant() tenant: TenantContext, @Param() { document_id }: DocumentPath, @Body() { reason, annulled }: AbandonDto): Promise<DocumentAbandoned> {
    return this.commands.execute(new AbandonDocument(tenant, document_id, reason, annulled));
  }

  @Post('cancel')
  @HttpCode(202)
  @RequirePermission('documents:issue')
  @UseInterceptors(SuggestionInRefusal)
  @ApiOperation({ operationId: 'cancelDocument', summary: 'Record that an authorized document is to be annulled, and watch until the SRI says that it is' })
  @ApiAcceptedResponse({ type: CancellationRequested })
  cancel(
    @Tenant() tenant: TenantContext,
    @Param() { document_id }: DocumentPath,
    @Body() { reason }: ReasonDto,
    @Headers('accept-language') language: string | undefined,
  ): Promise<CancellationRequested> {
    return this.commands.execute(new CancelDocument(tenant, document_id, reason, languageOf(language)));
  }

  @Delete('cancel')
  @HttpCode(204)
  @RequirePermission('documents:issue')
  @UseInterceptors(SuggestionInRefusal)
  @ApiOperation({ operationId: 'withdrawCancellation', summary: 'Take back a cancellation that is not done yet' })
  @ApiNoContentResponse()
  withdraw(@Tenant() tenant: TenantContext, @Param() { document_id }: DocumentPath): Promise<void> {
    return this.commands.execute(new WithdrawCancellation(tenant, document_id));
  }

  @Get('history')
  @RequirePermission('documents:read')
  @ApiOperation({ operationId: 'getDocumentHistory', summary: 'Every move of the document and every exchange with the SRI about it' })
  @ApiOkResponse({ type: DocumentHistory })
  history(@Tenant() tenant: TenantContext, @Param() { document_id }: DocumentPath): Promise<DocumentHistory> {
    return this.queries.execute(new GetDocumentHistory(tenant, document_id));
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
