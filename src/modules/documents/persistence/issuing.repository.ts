import { Injectable, Logger } from '@nestjs/common';
import { isAnswerLost } from '../../../platform/database/answer-lost.js';
import { isNoConnection } from '../../../platform/database/no-connection.js';
import { OWN_SQL_STATE } from '../../../platform/database/own-sql-state.js';
import { sqlDetail, sqlState } from '../../../platform/database/sql-error.js';
import { Prepared, TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import type { DomainError } from '../../../shared/domain-error.js';
import { credentialOf, roleOf, type TenantContext } from '../../../shared/tenant-context.js';
import type { DocumentContent } from '../../../sri/document-types/content.js';
import { CONTENT_COLUMNS } from '../domain/content-columns.js';
import { creditExceeded } from '../domain/credit-note.js';
import type { Assessed, Place } from '../domain/issuance.js';
import { creditHolders } from './credit-holders.js';
import type { IssuingContextRow } from './issuing-context.js';
import { refusalOf } from './issuing-refusal.js';
import type { Replay } from './same-request.js';

/** Distinguishes a repetition of a request from another request. */
export interface RequestIdentity {
  readonly idempotencyKey: string | null;
  readonly fingerprint: string;
}

/** A request for a draft, and what its idempotency key is used for. */
export interface DraftRequest extends RequestIdentity {
  readonly operation: 'draft' | `credit_note:${string}`;
}

/** `accepted`: the next in turn; `in_line`: earlier numbers of its emission point are not sent yet; `replayed`: the answer is that of an earlier request. */
export type Issued = Replay & { readonly outcome: 'accepted' | 'in_line' | 'replayed' };

/** A stored document as it was read: the functions refuse it once it has another version. */
export interface ReadVersion {
  readonly id: string;
  readonly version: number;
}

const CONTEXT = new Prepared('context', 'select * from issuing_context($1, $2, $3, $4, $5)');

/** Checks the credential once more after waiting for the number's lock. `issue_document` checks it before, and also refuses a closed tenant. */
const ISSUE = new Prepared('issue', 'select d.*, require_credential($1, $2, $4, $11) from issue_document($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) d');

/**
 * Drafts, and numbers taken for them: one SQL function a call, all or nothing.
 *
 * Every call that writes throws DomainError for what the database refuses at its last look, under locks, and
 * ConcurrentChangeError when a document is no longer in the state in which it was read.
 */
@Injectable()
export class IssuingRepository {
  private readonly log = new Logger(IssuingRepository.name);

  constructor(private readonly transaction: TenantTransaction) {}

  /** Issuer, establishment and point, and what the idempotency key was used for, in one round trip; null for what is not there. */
  async lookUp(tenantId: string, place: Place, key: string | null): Promise<{ context: IssuingContextRow | null; replay: Replay | null }> {
    const [row] = await this.transaction.call<{ context: IssuingContextRow | null; replay: Replay | null }>(
      tenantId,
      CONTEXT,
      [place.issuerId, place.establishmentId, place.emissionPointId, key],
    );
    return { context: row?.context ?? null, replay: row?.replay ?? null };
  }

  /** Which id of a place that `lookUp` did not find is unknown: the first that the tenant, the issuer or the establishment has not. */
  async unknownIdOf(tenantId: string, { issuerId, establishmentId }: Place): Promise<'issuer_id' | 'establishment_id' | 'emission_point_id'> {
    const [issuer] = await this.transaction.run(tenantId, (manager) =>
      manager.query<{ has_establishment: boolean }[]>(
        `select e.id is not null as has_establishment from issuers i
         left join establishments e on e.tenant_id = i.tenant_id and e.issuer_id = i.id and e.id = $3
         where i.tenant_id = $1 and i.id = $2`,
        [tenantId, issuerId, establishmentId],
      ),
    );
    return issuer === undefined ? 'issuer_id' : issuer.has_establishment ? 'emission_point_id' : 'establishment_id';
  }

  /**
   * The refusal of a note for more than its original has left to credit; null if it is for no more. A refused note of the same
   * emission point and numeric code does not count: this may be its correction.
   */
  async creditRefusal(tenantId: string, emissionPointId: string, originalId: string, { numericCode, total }: DocumentContent): Promise<DomainError | null> {
    const [left] = await this.transaction.run(tenantId, (manager) =>
      manager.query<{ available: string | null; exceeded: boolean | null; corrected: string | null }[]>(
        `select greatest(available, 0.00) as available, $3::numeric > available as exceeded, corrected
         from (select (
           select n.id from documents n
           where n.tenant_id = $1 and n.modified_document_id = $2 and n.document_type = '04' and n.status = 'REJECTED' and n.emission_point_id = $5 and substr(n.access_key, 40, 8) = $4
           limit 1) as corrected) refused cross join lateral credit_left($1, $2, corrected) available`,
        [tenantId, originalId, total, numericCode, emissionPointId],
      ),
    );
    return left?.exceeded === true ? creditExceeded(left.available, await creditHolders(this.transaction, tenantId, originalId, left.corrected)) : null;
  }

  /** Whether the counter of a document type has given out its last number. */
  async isSequenceUsedUp({ tenantId, environment }: TenantContext, emissionPointId: string, documentType: string): Promise<boolean> {
    const used = await this.transaction.run(tenantId, (manager) =>
      manager.query<unknown[]>(
        'select from sequence_counters s where s.tenant_id = $1 and s.emission_point_id = $2 and s.document_type = $3 and s.environment = $4 and s.last_value >= 999999999',
        [tenantId, emissionPointId, documentType, environment],
      ),
    );
    return used.length > 0;
  }

  /** Whether the tenant is closed, as it stands now. */
  async isTenantClosed(tenantId: string): Promise<boolean> {
    const open = await this.transaction.run(tenantId, (manager) => manager.query<unknown[]>('select from tenants t where t.id = $1 and t.is_active', [tenantId]));
    return open.length === 0;
  }

  /**
   * Takes a number and stores the document with its access key, contents, history and due work: once, also where the connection
   * ends before PostgreSQL has answered.
   * @param id of the document
   */
  async issue(tenant: TenantContext, id: string, place: Place, assessed: Assessed, { idempotencyKey, fingerprint }: RequestIdentity, now: Date): Promise<Issued> {
    const issued = await this.once<Issued>(
      () => this.call<Issued>(tenant, ISSUE, [credentialOf(tenant.principal), id, now, ...storedForm(tenant, place, assessed), idempotencyKey, fingerprint, roleOf(tenant.principal)], { id, content: assessed.content }),
      async () => {
        const accessKey = await this.accessKeyOf(tenant.tenantId, id);
        return accessKey && { outcome: 'accepted', operation: 'issue', fingerprint, response: { document_id: id, status: 'NUMBER_RESERVED', ...accessKey } };
      },
      // Without a key the last look at issuer and certificate refuses before it waits for anything.
      idempotencyKey !== null,
    );
    const isItsOwnReplay = issued.outcome === 'replayed' && issued.response['document_id'] === id;
    return isItsOwnReplay ? { ...issued, outcome: 'accepted' } : issued;
  }

  /** Null when the tenant has no such document. */
  private async accessKeyOf(tenantId: string, id: string): Promise<{ access_key: string } | null> {
    const [stored] = await this.transaction.run(tenantId, (manager) =>
      manager.query<{ access_key: string }[]>('select d.access_key from documents d where d.tenant_id = $1 and d.id = $2', [tenantId, id]),
    );
    return stored ?? null;
  }

  /** Takes a number for a draft: once, as `issue` does. */
  issueDraft(tenant: TenantContext, draft: ReadVersion, place: Place, assessed: Assessed, now: Date): Promise<{ access_key: string }> {
    return this.once(
      () =>
        this.call(tenant, 'select issue_draft($1, $2, $3, $4, $5, $6, $7, $8, $9) as access_key, require_credential($1, $2, $5, $10)', [
          credentialOf(tenant.principal), draft.id, draft.version, now, ...storedForm(tenant, place, assessed), roleOf(tenant.principal),
        ], { id: draft.id, content: assessed.content }),
      () => this.accessKeyOfAct(tenant.tenantId, draft, assessed, now),
    );
  }

  /** Puts other content under the number of a refused document: once, as `issue` does. @param act line of the audit log that commits with it */
  correct(tenant: TenantContext, refused: ReadVersion, place: Place, assessed: Assessed, act: string, now: Date): Promise<{ access_key: string }> {
    return this.once(
      () =>
        this.call(tenant, 'select access_key, record_act($1, $10) from correct_document($1, $2, $3, $4, $5, $6, $7, $8, $9) as access_key', [
          credentialOf(tenant.principal), refused.id, refused.version, now, ...storedForm(tenant, place, assessed), act,
        ], { id: refused.id, content: assessed.content }),
      () => this.accessKeyOfAct(tenant.tenantId, refused, assessed, now),
    );
  }

  /** Null unless the document, as it was read, went on its way at this very millisecond with this very content: that was this act, or one that cannot be told from it. */
  private async accessKeyOfAct(tenantId: string, { id, version }: ReadVersion, { content }: Assessed, at: Date): Promise<{ access_key: string } | null> {
    const [done] = await this.transaction.run(tenantId, (manager) =>
      manager.query<{ access_key: string }[]>(
        `select d.access_key from documents d
         join document_history h on h.tenant_id = d.tenant_id and h.document_id = d.id and h.version in ($3 + 1, $3 + 2) and h.to_status = 'NUMBER_RESERVED' and h.at = $4
         join document_contents c on c.tenant_id = d.tenant_id and c.document_id = d.id and c.created_at = h.at and c.content = $5
         where d.tenant_id = $1 and d.id = $2`,
        [tenantId, id, version, at, JSON.stringify(content)],
      ),
    );
    return done ?? null;
  }

  /** Stores a draft. @param id of the document */
  createDraft(tenant: TenantContext, id: string, place: Place, assessed: Assessed, { idempotencyKey, fingerprint, operation }: DraftRequest, now: Date): Promise<Issued> {
    return this.call<Issued>(tenant, 'select d.*, require_credential($1, $11, $3, $12) from create_draft($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) d', [
      id, now, ...storedForm(tenant, place, assessed), idempotencyKey, operation, fingerprint, credentialOf(tenant.principal), roleOf(tenant.principal),
    ]);
  }

  /** Puts other content into a draft. */
  async updateDraft(tenant: TenantContext, draft: ReadVersion, place: Place, assessed: Assessed, now: Date): Promise<void> {
    await this.call(tenant, 'select update_draft($1, $2, $3, $4, $5, $6, $7, $8), require_credential($1, $9, $4, $10)', [
      draft.id, draft.version, now, ...storedForm(tenant, place, assessed), credentialOf(tenant.principal), roleOf(tenant.principal),
    ]);
  }

  /** Deletes a draft. Its idempotency key stays used. @param act line of the audit log that commits with it: nothing else tells of the draft afterwards */
  async deleteDraft(tenant: TenantContext, { id, version }: ReadVersion, act: string): Promise<void> {
    await this.call(tenant, 'select delete_draft($1, $2, $3), record_act($1, $4)', [id, version, act]);
  }

  /**
   * Has an act done once, also where the connection ends before PostgreSQL has answered.
   * @param act refused when it was done before
   * @param found the answer of the act if it was done, else null
   * @param waits whether a second `act` waits for one that is under way before it may be refused
   * @throws what `act` throws; the end of the connection where that leaves open whether the act was done
   */
  private async once<Answer>(act: () => Promise<Answer>, found: () => Promise<Answer | null>, waits = true): Promise<Answer> {
    let lost: unknown;
    try {
      return await act();
    } catch (error) {
      if (!isAnswerLost(error)) throw error;
      lost = error;
    }
    this.log.warn('the connection to PostgreSQL ended before it answered: the document is asked for once more');
    // If the first is under way still, this one waits for it, or its refusal says nothing of the first. If it is done, this one is
    // refused, for what the first wrote or used up.
    try {
      return await act();
    } catch (refusal) {
      const answer = isNoConnection(refusal) ? null : await found();
      if (answer === null) throw waits ? refusal : lost;
      return answer;
    }
  }

  /** @param issued the document that takes, or has, a number: where it is a note for too much, the refusal names those that hold the balance */
  private async call<Row>({ tenantId }: TenantContext, sql: string | Prepared, parameters: readonly unknown[], issued?: { readonly id: string; readonly content: DocumentContent }): Promise<Row> {
    try {
      const [row] = await this.transaction.call<Row>(tenantId, sql, parameters);
      if (!row) throw new Error(`no row from ${sql instanceof Prepared ? sql.text : sql}`);
      return row;
    } catch (error) {
      if (issued === undefined || sqlState(error) !== OWN_SQL_STATE.creditExceeded) throw refusalOf(error);
      throw creditExceeded(sqlDetail(error), await creditHolders(this.transaction, tenantId, issued.content.modifiedDocumentId, issued.id));
    }
  }
}

/** A document as the SQL functions take it: its columns, content, issuer and findings, each as JSON. */
const storedForm = (tenant: TenantContext, place: Place, { content, issuer, findings }: Assessed): string[] =>
  [headerOf(tenant, place, content), content, issuer, findings].map((part) => JSON.stringify(part));

const COLUMNS = Object.entries(CONTENT_COLUMNS);

/** Columns of `documents` that come from place and content. */
export function headerOf(tenant: TenantContext, place: Place, content: DocumentContent): Record<string, unknown> {
  return {
    issuer_id: place.issuerId,
    establishment_id: place.establishmentId,
    emission_point_id: place.emissionPointId,
    sri_environment: tenant.environment,
    document_type: content.documentType,
    ...Object.fromEntries(COLUMNS.map(([column, property]) => [column, content[property]])),
  };
}
