import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { Prepared, TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import { isStoreOutage } from '../../../platform/database/store-outage.js';
import type { Wait } from '../../../platform/http/prefer.js';
import { Shutdown } from '../../../platform/shutdown/shutdown.js';
import { DomainError } from '../../../shared/domain-error.js';
import { found } from '../../../shared/found.js';
import { CLOCK, type Clock, SLEEPER, type Sleeper } from '../../../shared/ports.js';
import { credentialOf, type TenantContext } from '../../../shared/tenant-context.js';
import { type SuggestedAction, waitsForPerson } from '../../../shared/suggested-actions.js';
import { PAUSE_COLUMN } from '../content/document-record.js';
import type { DocumentSyncSubmit } from '../documents.responses.js';
import { type DocumentStatus, isSettled, LIFECYCLE } from '../domain/lifecycle.js';

/**
 * Waits until an accepted document is decided, or waits for a person, at most as long as its caller does; then answers with whatever state it is in.
 * For a person waits also what is parked under a pause or for a certificate, though its state is one of those that pass.
 */
export class AwaitDocument extends Query<DocumentSyncSubmit> {
  constructor(
    readonly tenant: TenantContext,
    readonly documentId: string,
    readonly wait: Wait,
    readonly replayed: boolean,
    /** The access key in its first answer; if it was corrected to another day since, it is authorized under another key. */
    readonly firstKey: string | null = null,
  ) {
    super();
  }
}

/** Milliseconds until the next look: who has waited long hardly waits longer for one that comes later. */
const pauseAfter = (waited: number): number => Math.min(500, Math.max(150, waited / 10));

/** Whether it is parked is asked after so many milliseconds, and again whenever the wait is twice as long: few are, and it costs a transaction. */
const FIRST_ASKED_MS = 500;

const OUTCOME = new Prepared('document-outcome', 'select * from document_outcome($1, $2, $3, $4)');

interface Row {
  status: DocumentStatus;
  sri_messages: DocumentSyncSubmit['sri_messages'];
  authorization_number: string | null;
  authorization_date: Date | null;
  credential_is_valid: boolean;
}

/** What is known of a document when nothing could be read since it was accepted. */
const ACCEPTED: Row = { status: 'NUMBER_RESERVED', sri_messages: [], authorization_number: null, authorization_date: null, credential_is_valid: true };

@QueryHandler(AwaitDocument)
export class AwaitDocumentHandler implements IQueryHandler<AwaitDocument> {
  constructor(
    private readonly transaction: TenantTransaction,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SLEEPER) private readonly sleeper: Sleeper,
    private readonly shutdown: Shutdown,
  ) {}

  async execute({ tenant, documentId, wait, replayed, firstKey }: AwaitDocument): Promise<DocumentSyncSubmit> {
    const from = this.clock.now().getTime();
    const longest = wait.seconds * 1_000;
    let row = await this.look(tenant, documentId, ACCEPTED);
    let askAt = FIRST_ASKED_MS;
    // A process that stops lets nobody wait, and for whoever has left nobody looks: the document goes on without it.
    for (let waited = 0; !isSettled(row.status) && waited < longest && !this.shutdown.isStopping && !wait.hasLeft(); ) {
      const pause = Math.min(pauseAfter(waited), longest - waited);
      await this.sleeper.sleep(pause);
      row = await this.look(tenant, documentId, row);
      // A clock that is put back meanwhile makes nobody wait longer.
      waited = Math.max(waited + pause, this.clock.now().getTime() - from);
      if (waited >= askAt) {
        if (await this.isParked(tenant, documentId, row.status)) break;
        askAt = waited * 2;
      }
    }
    // A key that was revoked or a session that ended during the wait learns nothing; the document stays accepted.
    if (!row.credential_is_valid) throw new DomainError('UNAUTHENTICATED');
    return {
      document_id: documentId,
      status: row.status,
      action_taken: replayed ? 'replayed' : actionTaken(row.status),
      sri_messages: row.sri_messages,
      authorization_number: row.authorization_number,
      authorization_date: row.authorization_date,
      new_access_key: firstKey === null || firstKey === row.authorization_number ? null : row.authorization_number,
    };
  }

  /** The document as it stands; `known` while the database is away: an error now would make the caller issue it twice. */
  private async look(tenant: TenantContext, documentId: string, known: Row): Promise<Row> {
    try {
      return await this.read(tenant, documentId);
    } catch (error) {
      if (!isStoreOutage(error)) throw error;
      return known;
    }
  }

  /** Whether nothing happens to it until a person acts. */
  private async isParked(tenant: TenantContext, documentId: string, status: DocumentStatus): Promise<boolean> {
    // What the SRI may have is not held up.
    if (isSettled(status) || LIFECYCLE[status].step === 'authorize') return false;
    try {
      const [row] = await this.transaction.run(tenant.tenantId, (manager) =>
        manager.query<{ suggested: SuggestedAction | null; pause: object | null }[]>(
          `select d.error_detail ->> 'suggested_action' as suggested, ${PAUSE_COLUMN} from documents d where d.tenant_id = $1 and d.id = $2`, [tenant.tenantId, documentId],
        ),
      );
      return row !== undefined && (row.pause !== null || waitsForPerson(row.suggested));
    } catch (error) {
      if (!isStoreOutage(error)) throw error;
      return false;
    }
  }

  private async read(tenant: TenantContext, documentId: string): Promise<Row> {
    const [row] = await this.transaction.call<Row>(tenant.tenantId, OUTCOME, [documentId, credentialOf(tenant.principal), this.clock.now()]);
    return found(row);
  }
}

/** One that was given up or waits for a person may never have been sent, though the SRI is asked about it. */
function actionTaken(status: DocumentStatus): string {
  if (status === 'AUTHORIZED') return 'authorized';
  if (status === 'REJECTED') return 'rejected';
  return LIFECYCLE[status].step === 'authorize' && !isSettled(status) ? 'submitted' : 'pending';
}
