import { Inject, Injectable } from '@nestjs/common';
import { type AuditEntry, actLine } from '../../../platform/audit/audit-trail.js';
import { ofDocument } from '../../../platform/tracing/document-trace.js';
import { traced } from '../../../platform/tracing/spans.js';
import { found } from '../../../shared/found.js';
import { CLOCK, type Clock } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { retryOnConcurrentChange } from '../domain/concurrent-change.js';
import type { Decision } from '../domain/document.js';
import { type DocumentStatus, target } from '../domain/lifecycle.js';
import { actionRefusal } from '../persistence/action-refusal.js';
import { DocumentsRepository, type LoadedDocument, type Records } from '../persistence/documents.repository.js';

/** How the audit log names an action. */
type ActEntry = Pick<AuditEntry, 'action' | 'detail'>;

/** What an action decides on the document as it stands, with rows that commit with it. */
export interface ActionDecision {
  readonly decision: Decision;
  readonly records?: Records;
  /** Names the action in the audit log where it turned out to be another one. */
  readonly entry?: ActEntry;
}

/** Decides on the document as it stands. */
export type Act = (loaded: LoadedDocument, now: Date) => Promise<ActionDecision> | ActionDecision;

/** The state reached, and when. */
export interface Performed {
  readonly status: DocumentStatus;
  readonly at: Date;
  /** The document as the act found it. */
  readonly loaded: LoadedDocument;
  readonly decision: Decision;
}

/** Some actions ask the SRI at every try. */
const TRIES = 3;

/** Reads a document, lets an action decide, writes the decision; starts over when a worker moved the document meanwhile. */
@Injectable()
export class DocumentActions {
  constructor(
    private readonly documents: DocumentsRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * @throws DomainError NOT_FOUND, INVALID_STATE, and what the action itself refuses
   */
  async perform(tenant: TenantContext, documentId: string, entry: ActEntry, act: Act): Promise<Performed> {
    return traced(ofDocument(entry.action, { tenantId: tenant.tenantId, documentId }), () => retryOnConcurrentChange(() => this.attempt(tenant, documentId, entry, act), TRIES));
  }

  private async attempt(tenant: TenantContext, documentId: string, entry: ActEntry, act: Act): Promise<Performed> {
    const loaded = found(await this.documents.load(tenant.tenantId, documentId));
    const { decision, records, entry: turnedOut } = await act(loaded, this.clock.now());
    const at = this.clock.now();
    try {
      const line = actLine(tenant, { ...(turnedOut ?? entry), target: { kind: 'document', id: documentId } }, at);
      await this.documents.advance(loaded.state, decision, null, at, records, line);
    } catch (error) {
      throw await actionRefusal(error, loaded, this.documents);
    }
    const status = decision.moves.reduce<DocumentStatus>((from, { trigger }) => target(from, trigger), loaded.state.status);
    return { status, at, loaded, decision };
  }
}
