import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Settings, SETTINGS } from '../../../config/settings.js';
import { KillPoints } from '../../../platform/faults/kill-points.js';
import { IssuanceBell } from '../../../platform/queue/issuance-bell.js';
import { sqlState, TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import { DomainError } from '../../../shared/domain-error.js';
import type { ErrorCode } from '../../../shared/error-catalogue.js';
import type { Finding } from '../../../shared/finding.js';
import { guayaquilDay } from '../../../shared/guayaquil.js';
import { CLOCK, type Clock, IDS, type Ids } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { DocumentContent, IssuerSnapshot } from '../../../sri/document-types/document.js';
import { preflight } from '../../../sri/preflight.js';
import { checkRuc } from '../../../sri/taxpayer-id.js';
import type { DocumentCreateDto } from '../documents.dto.js';
import { fingerprint, toContent } from './document-content.js';
import { type IssuingContextRow, snapshotOf } from './issuing-context.js';

/** Issues a document: checks everything that can be checked, then takes the number. */
export class IssueDocument extends Command<IssuedDocument> {
  constructor(
    readonly tenant: TenantContext,
    readonly body: DocumentCreateDto,
    readonly idempotencyKey: string | null,
  ) {
    super();
  }
}

export interface IssuedDocument {
  readonly answer: { readonly document_id: string; readonly status: string; readonly access_key: string };
  /** True when an earlier request with the same key and content created the document. */
  readonly replayed: boolean;
}

interface Replay {
  readonly operation: string;
  readonly fingerprint: string;
  readonly response: IssuedDocument['answer'];
}

/** SQLSTATEs that `issue_document` raises when a last look changes the picture. */
const REFUSALS: Readonly<Record<string, ErrorCode>> = {
  SE001: 'SEQUENCE_EXHAUSTED',
  SE002: 'UNAUTHENTICATED',
  SE003: 'ISSUER_DISABLED',
  SE004: 'CERTIFICATE_EXPIRED',
  SE005: 'NOT_FOUND',
};

@CommandHandler(IssueDocument)
export class IssueDocumentHandler implements ICommandHandler<IssueDocument> {
  constructor(
    private readonly transaction: TenantTransaction,
    private readonly bell: IssuanceBell,
    private readonly killPoints: KillPoints,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async execute({ tenant, body, idempotencyKey }: IssueDocument): Promise<IssuedDocument> {
    const requested = toContent(body);
    const place = { issuer: body.issuer_id, establishment: body.establishment_id, emission_point: body.emission_point_id };
    const print = fingerprint(place, requested);
    const { context, replay } = await this.lookUp(tenant, body, idempotencyKey);
    if (replay) return replayOf(replay, print);
    if (!context) throw new DomainError('NOT_FOUND');

    const now = this.clock.now();
    this.refuseUnusable(context, now);
    const issuer = snapshotOf(context, this.settings.PROVIDER_RUC ?? null, tenant.environment);
    const { content, findings } = preflight(requested, issuer, {
      today: guayaquilDay(now),
      maxIssueDateAgeDays: this.settings.MAX_ISSUE_DATE_AGE_DAYS,
    });
    if (findings.some((finding) => finding.severity === 'error')) throw new DomainError('FISCAL_RULE_VIOLATED', findings);

    await this.killPoints.pass('before-reserve-commit');
    const issued = await this.takeNumber(tenant, body, content, issuer, findings, idempotencyKey, print, now);
    if (issued.outcome === 'replayed') return replayOf(issued, print);
    await this.killPoints.pass('after-reserve-commit');
    this.bell.ringSoon({ tenantId: tenant.tenantId, documentId: issued.response.document_id, announcement: 1 });
    return { answer: issued.response, replayed: false };
  }

  private async lookUp(tenant: TenantContext, body: DocumentCreateDto, key: string | null): Promise<{ context: IssuingContextRow | null; replay: Replay | null }> {
    const [row] = await this.transaction.call<{ context: IssuingContextRow | null; replay: Replay | null }>(
      tenant.tenantId,
      'select * from issuing_context($1, $2, $3, $4, $5)',
      [body.issuer_id, body.establishment_id, body.emission_point_id, key],
    );
    return { context: row?.context ?? null, replay: row?.replay ?? null };
  }

  private refuseUnusable(context: IssuingContextRow, now: Date): void {
    if (!context.issuer_active) throw new DomainError('ISSUER_DISABLED');
    if (!checkRuc(context.ruc, { strict: this.settings.STRICT_RUC_CHECK }).valid) throw new DomainError('INVALID_RUC', { ruc: context.ruc });
    if (!context.establishment_active) throw new DomainError('FISCAL_RULE_VIOLATED', [inactive('/establishment_id')]);
    if (!context.point_active) throw new DomainError('FISCAL_RULE_VIOLATED', [inactive('/emission_point_id')]);
    if (context.certificate_id === null || context.certificate_valid_to === null) throw new DomainError('CERTIFICATE_NOT_FOUND');
    if (new Date(context.certificate_valid_to) <= now) {
      throw new DomainError('CERTIFICATE_EXPIRED', { certificate_id: context.certificate_id, valid_to: context.certificate_valid_to });
    }
  }

  /** Number, access key, document, contents, history and due work in one SQL function call: all or nothing. */
  private async takeNumber(
    tenant: TenantContext,
    body: DocumentCreateDto,
    content: DocumentContent,
    issuer: IssuerSnapshot,
    findings: readonly Finding[],
    key: string | null,
    print: string,
    now: Date,
  ): Promise<Replay & { outcome: 'accepted' | 'replayed' }> {
    try {
      const [row] = await this.transaction.call<Replay & { outcome: 'accepted' | 'replayed' }>(
        tenant.tenantId,
        'select * from issue_document($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)',
        [
          tenant.principal.id, this.ids.uuid(), now, JSON.stringify(headerOf(tenant, body, content)), JSON.stringify(content),
          JSON.stringify(issuer), JSON.stringify(findings), key, print,
        ],
      );
      if (!row) throw new Error('issue_document returned no row');
      return row;
    } catch (error) {
      const refusal = REFUSALS[sqlState(error) ?? ''];
      if (refusal) throw new DomainError(refusal);
      throw error;
    }
  }
}

function replayOf(first: Replay, print: string): IssuedDocument {
  if (first.operation !== 'issue' || first.fingerprint !== print) throw new DomainError('DUPLICATE_IDEMPOTENCY_KEY');
  return { answer: first.response, replayed: true };
}

/** Columns of `documents` that come from the content. */
function headerOf(tenant: TenantContext, body: DocumentCreateDto, content: DocumentContent): Record<string, unknown> {
  return {
    issuer_id: body.issuer_id,
    establishment_id: body.establishment_id,
    emission_point_id: body.emission_point_id,
    sri_environment: tenant.environment,
    document_type: content.documentType,
    issue_date: content.issueDate,
    subtotal: content.subtotal,
    total_discount: content.totalDiscount,
    total_tax: content.totalTax,
    total: content.total,
    buyer_id_type: content.buyerIdType,
    buyer_id: content.buyerId,
    buyer_name: content.buyerName,
    buyer_email: content.buyerEmail,
    buyer_address: content.buyerAddress,
    modified_document_id: content.modifiedDocumentId,
    modified_document_type: content.modifiedDocumentType,
    modified_document_number: content.modifiedDocumentNumber,
    modified_document_issue_date: content.modifiedDocumentIssueDate,
    reason: content.reason,
  };
}

function inactive(pointer: string): Finding {
  return {
    pointer,
    rule: 'place.inactive',
    message: { es: 'El establecimiento o punto de emisión está inactivo', en: 'The establishment or emission point is inactive' },
    expected: 'active',
    actual: 'inactive',
    reference: 'ficha técnica 4',
    severity: 'error',
  };
}
