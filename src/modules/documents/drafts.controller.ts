import { Body, Controller, Delete, Headers, HttpCode, Param, Patch, Post, Res, UseInterceptors } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiAcceptedResponse, ApiBody, ApiCreatedResponse, ApiExtraModels, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { Response } from 'express';
import { languageOf } from '../../platform/http/language.js';
import { idempotencyKey, IdempotencyHeaders, TakesIdempotencyKey } from '../../platform/http/idempotency-key.js';
import { beginWait, preferredWait, TakesPrefer } from '../../platform/http/prefer.js';
import { RateLimit } from '../../platform/http/rate-limits.js';
import { RequirePermission, Tenant } from '../../platform/security/access.js';
import { DomainError } from '../../shared/domain-error.js';
import type { TenantContext } from '../../shared/tenant-context.js';
import { DRAFTS_BOUND, TakesDraftTurn } from './draft-turns.js';
import { DocumentDraftDto, DocumentPatchDto, DocumentValidateDto } from './documents.dto.js';
import { DRAFT_EXAMPLES, PATCH_EXAMPLES } from './documents.examples.js';
import { DocumentPath } from './documents.query.dto.js';
import { DocumentAccepted, DocumentRecord, DocumentSyncSubmit, DocumentValidation } from './documents.responses.js';
import { AwaitDocument } from './use-cases/await-document.js';
import { CreateDraft } from './use-cases/create-draft.js';
import { DeleteDraft } from './use-cases/delete-draft.js';
import { placeOf } from './content/document-place.js';
import { GetCreatedDraft } from './use-cases/get-created-draft.js';
import { GetDocument } from './use-cases/get-document.js';
import { IssueDraft } from './use-cases/issue-draft.js';
import { UpdateDraft } from './use-cases/update-draft.js';
import { ValidateDocument } from './use-cases/validate-document.js';

const FROM_LINES =
  'Leave out subtotal, total_tax, total and taxes, all four, to have them computed from the lines; those of a withholding in the short form (07 without `withholding`) are what is withheld, and have to be told. A line whose `main_code` names an active product may leave out description, unit_price, discount, subtotal and its tax: they are taken from the product.';

const NOT_WARNED_OF =
  '`warnings` lists the rules that the content of the draft breaks. Whether issuer, establishment and emission point are active, the certificate, numbers, an original\'s state and balance, ' +
  'and earlier withholdings from the same supporting documents are looked at by a dry run and when it is issued.';

const WHAT_STAYS =
  'Fields absent from the body stay. Totals that equal those that the service computes follow every change that gives none of them, whoever gave them; others stay and are checked, except that new `lines` have them computed anew. New lines may take from the catalogue what they leave out. Where the draft moves to another day (a note: names an original of another day), lines that the body does not bring follow with the taxes that their product had on the former day; others stay.';

/** Documents before they have a number. */
@ApiTags('drafts')
@Controller('documents')
export class DraftsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post('validate')
  @HttpCode(200)
  @RequirePermission('documents:issue')
  @UseInterceptors(TakesDraftTurn)
  @ApiOperation({ operationId: 'validateDocument', summary: 'Dry run: every check of issuing, without effect', description: `${FROM_LINES} ${DRAFTS_BOUND}` })
  @ApiBody({ type: DocumentValidateDto, examples: DRAFT_EXAMPLES })
  @ApiOkResponse({ type: DocumentValidation })
  validate(
    @Tenant() tenant: TenantContext,
    @Body() body: DocumentValidateDto,
    @Headers('accept-language') language: string | undefined,
  ): Promise<DocumentValidation> {
    return this.queries.execute(new ValidateDocument(tenant, body, languageOf(language)));
  }

  @Post('drafts')
  @RequirePermission('documents:issue')
  @UseInterceptors(TakesDraftTurn)
  @ApiOperation({
    operationId: 'createDraft',
    summary: 'Store a draft; no number is taken',
    description: `${FROM_LINES} What is taken stays as it is when the product changes. ${NOT_WARNED_OF} ${DRAFTS_BOUND}`,
  })
  @TakesIdempotencyKey()
  @ApiBody({ type: DocumentDraftDto, examples: DRAFT_EXAMPLES })
  @ApiCreatedResponse({ type: DocumentRecord })
  async create(
    @Tenant() tenant: TenantContext,
    @Body() body: DocumentDraftDto,
    @IdempotencyHeaders() keys: readonly string[] | undefined,
    @Headers('accept-language') accepted: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DocumentRecord> {
    const language = languageOf(accepted);
    const { documentId, replayed } = await this.commands.execute(new CreateDraft(tenant, body, idempotencyKey(keys, body.idempotency_key)));
    if (!replayed) return this.queries.execute(new GetDocument(tenant, documentId, language));
    response.setHeader('Idempotent-Replayed', 'true');
    return this.queries.execute(new GetCreatedDraft(tenant, documentId, placeOf(body), language));
  }

  @Patch(':document_id')
  @RequirePermission('documents:issue')
  @UseInterceptors(TakesDraftTurn)
  @ApiOperation({ operationId: 'updateDraft', summary: 'Change fields of a draft', description: `${WHAT_STAYS} ${DRAFTS_BOUND}` })
  @ApiBody({ type: DocumentPatchDto, examples: PATCH_EXAMPLES })
  @ApiOkResponse({ type: DocumentRecord })
  async update(
    @Tenant() tenant: TenantContext,
    @Param() { document_id }: DocumentPath,
    @Body() patch: unknown,
    @Headers('accept-language') language: string | undefined,
  ): Promise<DocumentRecord> {
    // The whole is judged only together with the stored draft, so no pipe looks at the patch.
    if (patch === undefined) throw new DomainError('MALFORMED_REQUEST', { reason: 'empty_body' });
    await this.commands.execute(new UpdateDraft(tenant, document_id, patch));
    return this.queries.execute(new GetDocument(tenant, document_id, languageOf(language)));
  }

  @Delete(':document_id')
  @HttpCode(204)
  @RequirePermission('documents:issue')
  @ApiOperation({ operationId: 'deleteDraft', summary: 'Delete a draft' })
  @ApiNoContentResponse()
  remove(@Tenant() tenant: TenantContext, @Param() { document_id }: DocumentPath): Promise<void> {
    return this.commands.execute(new DeleteDraft(tenant, document_id));
  }

  @Post(':document_id/issue')
  @HttpCode(202)
  @RequirePermission('documents:issue')
  @RateLimit('issue')
  @ApiOperation({ operationId: 'issueDraft', summary: 'Issue a draft as it stands' })
  @TakesPrefer()
  @ApiExtraModels(DocumentAccepted, DocumentSyncSubmit)
  @ApiAcceptedResponse({ schema: { anyOf: [{ $ref: getSchemaPath(DocumentAccepted) }, { $ref: getSchemaPath(DocumentSyncSubmit) }] } })
  async issue(
    @Tenant() tenant: TenantContext,
    @Param() { document_id }: DocumentPath,
    @Headers('prefer') prefer: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DocumentAccepted | DocumentSyncSubmit> {
    const wait = preferredWait(prefer);
    const answer = await this.commands.execute(new IssueDraft(tenant, document_id));
    if (wait === null) return answer;
    return this.queries.execute(new AwaitDocument(tenant, document_id, beginWait(response, wait), false));
  }
}
