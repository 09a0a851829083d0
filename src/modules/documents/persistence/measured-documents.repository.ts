import { Inject, Injectable, Logger } from '@nestjs/common';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import { Meters } from '../../../platform/observability/meters.js';
import { noteSpan } from '../../../platform/tracing/spans.js';
import { IDS, type Ids } from '../../../shared/ports.js';
import { rowOf } from '../../../sri/soap/classification.js';
import type { Decision, DocumentState } from '../domain/document.js';
import { LIFECYCLE, target } from '../domain/lifecycle.js';
import { type Advanced, DocumentsRepository, type Records } from './documents.repository.js';

/** The repository, with metrics of what it wrote: the states that documents reach, how long they take, and faults of ours; the log names the documents that somebody has to look at. */
@Injectable()
export class MeasuredDocumentsRepository extends DocumentsRepository {
  private readonly log = new Logger(MeasuredDocumentsRepository.name);

  constructor(
    transaction: TenantTransaction,
    @Inject(IDS) ids: Ids,
    private readonly meters: Meters,
  ) {
    super(transaction, ids);
  }

  override async advance(state: DocumentState, decision: Decision, token: string | null, now: Date, records?: Records, act?: string | null): Promise<Advanced> {
    const advanced = await super.advance(state, decision, token, now, records, act);
    this.measure(state, decision, now);
    return advanced;
  }

  private measure(state: DocumentState, { moves, patch, restore }: Decision, now: Date): void {
    const { id, status: from, accessKey, firstSentAt } = state;
    // It waits, and nobody else hears of it: whoever keeps the key has to bring it back.
    if (patch.errorCode === 'SIGNING_KEY_UNAVAILABLE') this.meters.count('ownFaults', { source: 'document', code: patch.errorCode });
    const last = moves.at(-1);
    if (last === undefined) return;
    const status = moves.reduce((at, { trigger }) => target(at, trigger), from);
    const documentType = documentTypeOf(accessKey);
    noteSpan({ 'sello.status': status });
    // A cancellation that is withdrawn authorizes nothing anew.
    if (status === 'AUTHORIZED' && last.trigger !== 'authorized') return;
    this.meters.count('documentMoves', { document_type: documentType, status });
    if (restore) {
      this.log.error(`document ${id} is authorized with the content from before its correction, and has become that version again`);
      this.ownFault(state, 'document', 'FORMER_CONTENT');
    }
    if (status === 'AUTHORIZED' && firstSentAt !== null) {
      this.meters.time('authorizationDelay', { document_type: documentType }, now.getTime() - firstSentAt.getTime());
    }
    if (last.trigger === 'failed' || last.trigger === 'mismatch') this.ownFault(state, 'document', patch.errorCode ?? 'UNKNOWN');
    else if (LIFECYCLE[status].needsPerson) this.log.warn(`${nameOf(state)} is ${status}: ${patch.errorCode ?? last.trigger}`);
    if (last.trigger === 'refused') this.countOwnFaults(state, last.detail, patch.sriMessages ?? []);
  }

  private ownFault(state: DocumentState, source: 'document' | 'reception' | 'authorization', code: string): void {
    this.log.error(`${nameOf(state)} met a fault of ours: ${source} ${code}`);
    this.meters.count('ownFaults', { source, code });
  }

  private countOwnFaults(state: DocumentState, detail: unknown, messages: DocumentState['sriMessages']): void {
    const { service } = detail as { readonly service: 'reception' | 'authorization' };
    for (const { identifier } of messages) {
      if (identifier !== null && rowOf(service, identifier)?.ours === true) this.ownFault(state, service, identifier);
    }
  }
}

/** How the log names a document: metrics name none, and whoever is alarmed has to find it. */
const nameOf = ({ id, tenantId }: DocumentState): string => `document ${id} of tenant ${tenantId}`;

/** The document type stands in the access key, after the date. */
const documentTypeOf = (accessKey: string): string => accessKey.slice(8, 10);
