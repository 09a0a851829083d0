import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock, IDS, type Ids } from '../../../shared/ports.js';
import { ConsultationClient } from '../../../sri/soap/consultation.js';
import { isAnswered } from '../../../sri/soap/unanswered.js';
import { decideConsultation } from '../domain/cancellation.js';
import type { SagaPolicy, Work } from '../domain/document.js';
import { DocumentsRepository } from '../persistence/documents.repository.js';
import { consultationRecords } from './consultation-records.js';
import { SAGA_POLICY } from './policy.js';
import { postpone } from './postpone.js';
import { callWithPermit } from './sri-breaker.js';
import { SriCalls } from './sri-calls.js';
import type { LeasedDocument, SagaStep } from './step.js';

/** Asks whether a document that is to be annulled was annulled in the portal. */
@Injectable()
export class WatchStep implements SagaStep {
  constructor(
    private readonly documents: DocumentsRepository,
    private readonly consultation: ConsultationClient,
    private readonly calls: SriCalls,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
    @Inject(SAGA_POLICY) private readonly policy: SagaPolicy,
  ) {}

  async run(document: LeasedDocument): Promise<Work | null> {
    const { loaded, token } = document;
    const { state } = loaded;
    const permit = await this.calls.acquire('consultation');
    const startedAt = this.clock.now();
    if (permit.kind === 'wait') return await postpone(this.documents, document, 'watch', permit.until, startedAt);
    const answer = await callWithPermit(permit, () => this.consultation.query(state.accessKey), isAnswered);
    const now = this.clock.now();
    const decision = decideConsultation(state, answer, now, this.policy);
    await this.documents.advance(state, decision, token, now, consultationRecords(this.ids, state, answer, startedAt));
    return decision.work;
  }
}
