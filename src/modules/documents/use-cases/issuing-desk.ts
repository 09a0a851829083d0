import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../../config/settings.js';
import { Prepared, sqlConstraint, sqlDetail, sqlState, TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import { DomainError } from '../../../shared/domain-error.js';
import type { ErrorCode } from '../../../shared/error-catalogue.js';
import type { Finding } from '../../../shared/finding.js';
import { guayaquilDay } from '../../../shared/guayaquil.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { DocumentContent, IssuerSnapshot } from '../../../sri/document-types/document.js';
import { defineRules, finding } from '../../../sri/document-types/rules/rule.js';
import { preflight } from '../../../sri/preflight.js';
import { checkRuc } from '../../../sri/taxpayer-id.js';
import { ConcurrentChangeError } from '../domain/concurrent-change.js';
import { creditExceeded, refuseUncreditable, tooOld, uncharged } from '../domain/credit-note.js';
import { misnamed, namedInFull, otherBuyer, restsOnStanding, supportAuthorization } from '../domain/modified-document.js';
import { refuseUnfit } from '../domain/own-original.js';
import { ModifiedDocumentsRepository } from '../persistence/modified-documents.repository.js';
import { type IssuingContextRow, snapshotOf } from './issuing-context.js';

const RULES = defineRules({
  'place.inactive': {
    es: 'El establecimiento o punto de emisión está inactivo',
    en: 'The establishment or emission point is inactive',
    reference: 'Ficha técnica 4',
  },
});

/** Where a document is issued. */
export interface Place {
  readonly issuerId: string;
  readonly establishmentId: string;
  readonly emissionPointId: string;
}

/** What an earlier request with the same idempotency key asked for and was answered. */
export interface Replay {
  readonly operation: string;
  readonly fingerprint: string;
  readonly response: Record<string, unknown>;
}

/** The refusal of a key that was used for something else; it names what that was, so that nobody issues the same sale twice. */
export const duplicateKey = ({ response }: Replay): DomainError => new DomainError('DUPLICATE_IDEMPOTENCY_KEY', { document_id: response['document_id'] });

/** What is asked for, with what its original says; `findings`: what is wrong or odd about the two together. */
export interface Completed {
  readonly content: DocumentContent;
  readonly findings: readonly Finding[];
}

/** A document after pre-flight. */
export interface Assessed {
  readonly content: DocumentContent;
  readonly issuer: IssuerSnapshot;
  readonly findings: readonly Finding[];
}

/** SQLSTATEs of refusals that tell more than their code. */
const EMISSION_POINT_GONE = 'SE005';
const ORIGINAL_MOVED = 'SE006';
const CREDIT_EXCEEDED = 'SE007';
const DOCUMENT_MOVED = 'SE110';
const FOREIGN_KEY_VIOLATED = '23503';

/** SQLSTATEs that the issuing functions raise when a last look changes the picture; the others are told as they are. */
const REFUSALS: Readonly<Record<string, ErrorCode>> = {
  SE001: 'SEQUENCE_EXHAUSTED',
  SE003: 'ISSUER_DISABLED',
  SE004: 'CERTIFICATE_EXPIRED',
  SE009: 'CERTIFICATE_NOT_FOUND',
};

/** Ids of a body that the database holds against what the tenant has. */
const REFERENCES = ['issuer_id', 'establishment_id', 'emission_point_id', 'modified_document_id'] as const;

const CONTEXT = new Prepared('context', 'select * from issuing_context($1, $2, $3, $4, $5)');

/** The checks that every way of issuing shares: place, replay, original, certificate, pre-flight, and the last look's verdict. */
@Injectable()
export class IssuingDesk {
  constructor(
    private readonly transaction: TenantTransaction,
    private readonly originals: ModifiedDocumentsRepository,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Issuer, establishment and point, and what the idempotency key was used for, in one round trip. */
  async lookUp(tenantId: string, place: Place, key: string | null): Promise<{ context: IssuingContextRow | null; replay: Replay | null }> {
    const [row] = await this.transaction.call<{ context: IssuingContextRow | null; replay: Replay | null }>(
      tenantId,
      CONTEXT,
      [place.issuerId, place.establishmentId, place.emissionPointId, key],
    );
    return { context: row?.context ?? null, replay: row?.replay ?? null };
  }

  /** The refusal of a place that `lookUp` did not find: names the first id that the tenant, the issuer or the establishment has not. */
  async unknownPlace(tenantId: string, { issuerId, establishmentId }: Place): Promise<DomainError> {
    const [issuer] = await this.transaction.run(tenantId, (manager) =>
      manager.query<{ has_establishment: boolean }[]>(
        `select e.id is not null as has_establishment from issuers i
         left join establishments e on e.tenant_id = i.tenant_id and e.issuer_id = i.id and e.id = $3
         where i.tenant_id = $1 and i.id = $2`,
        [tenantId, issuerId, establishmentId],
      ),
    );
    return unknown(issuer === undefined ? 'issuer_id' : issuer.has_establishment ? 'emission_point_id' : 'establishment_id');
  }

  /** @throws DomainError when issuer, place or certificate cannot issue now */
  refuseUnusable(context: IssuingContextRow, now: Date): void {
    if (!context.issuer_active) throw new DomainError('ISSUER_DISABLED');
    if (!checkRuc(context.ruc, { strict: this.settings.STRICT_RUC_CHECK }).valid) throw new DomainError('INVALID_RUC', { ruc: context.ruc });
    if (!context.establishment_active) throw new DomainError('FISCAL_RULE_VIOLATED', [finding(RULES['place.inactive'], '/establishment_id', 'active', 'inactive')]);
    if (!context.point_active) throw new DomainError('FISCAL_RULE_VIOLATED', [finding(RULES['place.inactive'], '/emission_point_id', 'active', 'inactive')]);
    if (context.certificate_id === null || context.certificate_valid_to === null) throw new DomainError('CERTIFICATE_NOT_FOUND');
    const validTo = new Date(context.certificate_valid_to);
    if (validTo <= now) throw new DomainError('CERTIFICATE_EXPIRED', { certificate_id: context.certificate_id, valid_to: validTo });
  }

  snapshot(context: IssuingContextRow, tenant: TenantContext): IssuerSnapshot {
    return snapshotOf(context, this.settings.PROVIDER_RUC ?? null, tenant.environment);
  }

  /** Runs every rule, the XML and our schema over the content; refuses nothing. */
  assess({ content, findings: ofOriginal }: Completed, issuer: IssuerSnapshot, now: Date): Assessed {
    const context = { today: guayaquilDay(now), maxIssueDateAgeDays: this.settings.MAX_ISSUE_DATE_AGE_DAYS };
    const { content: completed, findings } = preflight(content, issuer, context);
    return { content: completed, issuer, findings: ofOriginal.length === 0 ? findings : [...ofOriginal, ...findings] };
  }

  /**
   * Fills in the modified document's id, type, number and date, as far as it is one of the issuer's own, and refuses a
   * note that names it wrongly or that its original does not admit. The findings are what is left to tell of the two.
   * @throws DomainError NOT_FOUND, INVALID_STATE or FISCAL_RULE_VIOLATED
   */
  async withModifiedDocument(tenant: TenantContext, place: Place, content: DocumentContent, now: Date): Promise<Completed> {
    const original = await this.originals.find(tenant, place, content);
    const isCredit = content.documentType === '04';
    const limit = (): [today: string, maxMonths: number] => [guayaquilDay(now), this.settings.CREDIT_NOTE_MAX_AGE_MONTHS];
    // Issued elsewhere: all that is known of it is what the note says.
    if (original === null) return { content, findings: isCredit ? tooOld(content.modifiedDocumentIssueDate, ...limit(), '/modified_document_issue_date') : [] };
    const field = content.modifiedDocumentId === null ? 'modified_document_number' : 'modified_document_id';
    if (isCredit) refuseUncreditable(original, ...limit(), field);
    else if (restsOnStanding(content)) refuseUnfit(content.documentType, original, field);
    refuseErrors(misnamed(content, original));
    const named = namedInFull(content, original);
    const authorization = supportAuthorization(content, original);
    return { content: authorization === null ? named : { ...named, modifiedDocumentAuthorization: authorization }, findings: [...otherBuyer(content, original), ...(isCredit ? uncharged(content, original) : [])] };
  }

  /**
   * Of what issuing looks at last, under locks: the amount that an original has left to credit, as it stands now. A refused note
   * of the same emission point and numeric code does not count: this may be its correction.
   * @throws DomainError CREDIT_EXCEEDS_ORIGINAL
   */
  async refuseTooMuchCredit({ tenantId }: TenantContext, { emissionPointId }: Place, { documentType, modifiedDocumentId, numericCode, total }: DocumentContent): Promise<void> {
    if (documentType !== '04' || modifiedDocumentId === null) return;
    const [left] = await this.transaction.run(tenantId, (manager) =>
      manager.query<{ available: string | null; exceeded: boolean | null }[]>(
        `select available, $3::numeric > available as exceeded
         from credit_left($1, $2, (
           select n.id from documents n
           where n.tenant_id = $1 and n.modified_document_id = $2 and n.document_type = '04' and n.status = 'REJECTED' and n.emission_point_id = $5 and substr(n.access_key, 40, 8) = $4
           limit 1)) available`,
        [tenantId, modifiedDocumentId, total, numericCode, emissionPointId],
      ),
    );
    if (left?.exceeded) throw creditExceeded(left.available);
  }

  /** Whether the counter has a number left, as it stands now. @throws DomainError SEQUENCE_EXHAUSTED */
  async refuseUsedUpNumbers({ tenantId, environment }: TenantContext, { emissionPointId }: Place, documentType: string): Promise<void> {
    const used = await this.transaction.run(tenantId, (manager) =>
      manager.query<unknown[]>(
        'select from sequence_counters s where s.tenant_id = $1 and s.emission_point_id = $2 and s.document_type = $3 and s.environment = $4 and s.last_value >= 999999999',
        [tenantId, emissionPointId, documentType, environment],
      ),
    );
    if (used.length > 0) throw new DomainError('SEQUENCE_EXHAUSTED', { field: 'emission_point_id' });
  }

  /**
   * Calls an issuing SQL function; its refusals leave as domain errors.
   * @throws ConcurrentChangeError when a document is no longer in the state in which the desk has seen it
   */
  async callIssuing<Row>(tenantId: string, sql: string | Prepared, parameters: readonly unknown[]): Promise<Row> {
    try {
      const [row] = await this.transaction.call<Row>(tenantId, sql, parameters);
      if (!row) throw new Error(`no row from ${sql instanceof Prepared ? sql.text : sql}`);
      return row;
    } catch (error) {
      throw refusalOf(error);
    }
  }
}

const unknown = (field: (typeof REFERENCES)[number]): DomainError => new DomainError('NOT_FOUND', { field });

/** What the database refused, in the caller's terms; any other error as it is. */
function refusalOf(error: unknown): unknown {
  const state = sqlState(error);
  switch (state) {
    case EMISSION_POINT_GONE:
      return unknown('emission_point_id');
    case ORIGINAL_MOVED:
    case DOCUMENT_MOVED:
      return new ConcurrentChangeError();
    case CREDIT_EXCEEDED:
      return creditExceeded(sqlDetail(error));
    case FOREIGN_KEY_VIOLATED: {
      // PostgreSQL names the constraint after its columns, that of the id last.
      const field = REFERENCES.find((name) => sqlConstraint(error)?.includes(`_${name}_fkey`));
      return field === undefined ? new DomainError('NOT_FOUND') : unknown(field);
    }
    default: {
      const refusal = REFUSALS[state ?? ''];
      return refusal === undefined ? error : new DomainError(refusal);
    }
  }
}

/** @throws DomainError with every finding when one of them is an error */
export function refuseErrors(findings: readonly Finding[]): void {
  if (findings.some((finding) => finding.severity === 'error')) throw new DomainError('FISCAL_RULE_VIOLATED', findings);
}
