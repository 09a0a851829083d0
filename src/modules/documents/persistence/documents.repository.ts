import { gzipSync } from 'node:zlib';
import { Inject, Injectable } from '@nestjs/common';
import { OWN_SQL_STATE } from '../../../platform/database/own-sql-state.js';
import { sqlState } from '../../../platform/database/sql-error.js';
import { Prepared, TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import { CLAIM_STEP, type Claim } from '../../../platform/outbox/due-work.js';
import { IDS, type Ids } from '../../../shared/ports.js';
import type { DocumentContent, IssuerSnapshot } from '../../../sri/document-types/content.js';
import type { SriMessage } from '../../../sri/soap/message.js';
import { CONTENT_COLUMNS } from '../domain/content-columns.js';
import type { CreditHolder } from '../domain/credit-note.js';
import type { Decision, DocumentState, Pause } from '../domain/document.js';
import { FORMER_CONTENT_AUTHORIZED } from '../domain/former-content.js';
import { type DocumentStatus, EVENT_OF_STATE, type Step, target } from '../domain/lifecycle.js';
import { creditHolders } from './credit-holders.js';
import { type LoadedRow, toColumns, toLoaded, toRecordRows, workJson } from './document-rows.js';

/** A document as a saga step sees it. */
export interface LoadedDocument {
  readonly state: DocumentState;
  /** When its number was taken. */
  readonly acceptedAt: Date;
  readonly issuerId: string;
  readonly sequential: number;
  readonly content: DocumentContent;
  readonly issuer: IssuerSnapshot;
  /**
   * The current signing, exactly the bytes to send. `certificateValidTo`: or revoked, whichever came first.
   * `wasSent`: these bytes may have reached the SRI.
   */
  readonly signed: { readonly xml: Buffer; readonly certificateValidTo: Date; readonly wasSent: boolean } | null;
  readonly activeCertificate: { readonly id: string; readonly validTo: Date } | null;
}

export interface TakenDocument {
  readonly claim: Claim<Step>;
  /** About to be signed, and then free to be sent at once. */
  readonly clearToSend: boolean;
  readonly loaded: LoadedDocument;
}

export interface AttemptOutcome {
  readonly id: string;
  readonly outcome: string;
  readonly messages?: readonly SriMessage[];
  readonly excerpt?: string | null;
}

/** Rows that commit together with the moves. */
export interface Records {
  readonly signing?: { readonly signingNo: number; readonly certificateId: string; readonly digest: string; readonly xml: Buffer };
  readonly attempt?: { readonly id: string; readonly service: 'reception'; readonly signingNo: number };
  readonly finished?: AttemptOutcome;
  readonly asked?: AttemptOutcome & { readonly service: 'authorization' | 'consultation'; readonly signingNo: number; readonly startedAt: Date };
  readonly authorization?: { readonly state: string; readonly xml: string };
}

export interface Advanced {
  readonly version: number;
  /** A document that waited for this one's first transmission may go now. */
  readonly successorWoken: boolean;
}

/** The row moved on, or another worker holds the lease: whatever was decided is void. */
export class StaleDocumentError extends Error {}

const ADVANCE = new Prepared('advance', 'select * from advance_document($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)');
// As in TAKE, the case has the document restored before it is advanced.
const ADVANCE_RESTORED = `select a.* from restore_content($1, $2, $4, $13, $14, $15, $16) restored
  cross join lateral advance_document($1, case when restored then $2::uuid end, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) a`;

// The case makes reading depend on the claim: read first, the document might be older than the lease.
const TAKE = new Prepared('take', `select claim.step, claim.lost_leases, case when claim.step = 'prepare' then clear_to_send($1, $2) end as clear_to_send, loaded.* from ${CLAIM_STEP} claim
  cross join lateral load_document($1, case when claim.step is not null then $2::uuid end) loaded`);

/**
 * Documents in the database. `status` is written by SQL functions only: `create_draft`, `issue_document`, `issue_draft` and
 * `correct_document` (`IssuingRepository`), `advance_document` (`advance` here), and the two triggers that settle a credited
 * original. `guard_document` refuses every move outside `document_moves`.
 */
@Injectable()
export class DocumentsRepository {
  constructor(
    private readonly transaction: TenantTransaction,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  /** Everything a step needs, in one round trip; null when the document is gone. */
  async load(tenantId: string, documentId: string): Promise<LoadedDocument | null> {
    const [row] = await this.transaction.call<LoadedRow>(tenantId, 'select * from load_document($1, $2)', [documentId]);
    return row ? toLoaded(row) : null;
  }

  /**
   * Takes or renews the lease of a document's due work and reads the document, in one round trip.
   * @returns null when there is nothing for this worker to do
   */
  async take(tenantId: string, documentId: string, token: string, now: Date, leaseMs: number): Promise<TakenDocument | null> {
    const [row] = await this.transaction.call<LoadedRow & { step: Step; lost_leases: number; clear_to_send: boolean | null }>(
      tenantId,
      TAKE,
      [documentId, token, now, leaseMs],
    );
    return row ? { claim: { step: row.step, lostLeases: row.lost_leases }, clearToSend: row.clear_to_send ?? false, loaded: toLoaded(row) } : null;
  }

  /**
   * Writes a decision: moves, columns, history, events, due work and the rows that
   * belong to them, in one transaction and one round trip.
   * @param token the worker's fencing token; null for a caller's own action
   * @param act line of the audit log that commits with the decision, for what a person or key did
   * @returns the new version, and whether the next document of the emission point was woken by it
   * @throws StaleDocumentError when status, version or lease no longer match; nothing was written
   */
  async advance(state: DocumentState, decision: Decision, token: string | null, now: Date, records: Records = {}, act: string | null = null): Promise<Advanced> {
    const { moves, events } = this.unfold(state.status, decision);
    const { signing, authorization } = records;
    const bytes = signing ? gzipSync(signing.xml, { level: 1 }) : authorization ? gzipSync(authorization.xml, { level: 1 }) : null;
    const parameters: unknown[] = [
      state.id, state.status, state.version, token, now,
      JSON.stringify(moves), JSON.stringify(toColumns(decision.patch)), workJson(decision), JSON.stringify(events),
      JSON.stringify({ ...toRecordRows(records), ...(decision.pause && { pause: this.pauseRow(decision.pause, now) }) }), bytes,
    ];
    let statement: string | Prepared = ADVANCE;
    if (decision.restore) {
      const { contentRevision, accessKey } = decision.restore;
      parameters.push(contentRevision, accessKey, JSON.stringify(CONTENT_COLUMNS), JSON.stringify([FORMER_CONTENT_AUTHORIZED]));
      statement = ADVANCE_RESTORED;
    }
    if (act !== null) {
      // The tenant stands before them all.
      statement = `select a.*, record_act($1, $${String(parameters.length + 2)}) from (${statement instanceof Prepared ? statement.text : statement}) a`;
      parameters.push(act);
    }
    try {
      const [row] = await this.transaction.call<{ new_version: number; successor_woken: boolean }>(state.tenantId, statement, parameters);
      if (!row) throw new Error('advance_document returned no row');
      return { version: row.new_version, successorWoken: row.successor_woken };
    } catch (error) {
      if (sqlState(error) === OWN_SQL_STATE.documentMoved) throw new StaleDocumentError((error as Error).message);
      throw error;
    }
  }

  /** Which other documents use up the credit of an original. */
  creditHolders(tenantId: string, originalId: string | null, exceptId: string): Promise<CreditHolder[]> {
    return creditHolders(this.transaction, tenantId, originalId, exceptId);
  }

  /** Tells the refusal's age, not its time: the clocks of this worker and of the database, by which scopes are resumed, may differ. */
  private pauseRow({ by, ...pause }: Pause, now: Date): Record<string, unknown> {
    const ageMs = by === 'sri' || pause.decidedAt === null ? null : now.getTime() - pause.decidedAt.getTime();
    return { id: this.ids.uuid(), event_id: this.ids.uuid(), ...pause, ageMs };
  }

  private unfold(from: DocumentStatus, decision: Decision): { moves: unknown[]; events: unknown[] } {
    const moves: unknown[] = [];
    const events: unknown[] = [];
    let status = from;
    for (const { trigger, detail } of decision.moves) {
      status = target(status, trigger);
      moves.push({ trigger, to: status, detail: detail ?? null });
    }
    // Only the state that is reached is news; passing through one is not.
    const type = decision.moves.length > 0 ? EVENT_OF_STATE[status] : undefined;
    if (type) events.push({ id: this.ids.uuid(), type });
    return { moves, events };
  }
}
