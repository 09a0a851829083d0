import { Inject, Injectable } from '@nestjs/common';
import { DomainError } from '../../../shared/domain-error.js';
import { CLOCK, type Clock, IDS, type Ids } from '../../../shared/ports.js';
import { ConsultationClient } from '../../../sri/soap/consultation.js';
import { isAnswered } from '../../../sri/soap/unanswered.js';
import type { ConsultedAnswer } from '../domain/cancellation.js';
import type { DocumentState } from '../domain/document.js';
import type { Records } from '../persistence/documents.repository.js';
import { consultationRecords } from './consultation-records.js';

/** Questions to the SRI's consultation service that an action needs answered now: it alone tells of annulments. */
@Injectable()
export class Consultations {
  constructor(
    private readonly client: ConsultationClient,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  /**
   * @returns the answer, and the row that records it with what the action writes
   * @throws DomainError SRI_UNAVAILABLE
   */
  async ask(state: DocumentState): Promise<{ answer: ConsultedAnswer; records: Records; now: Date }> {
    const startedAt = this.clock.now();
    const answer = await this.client.query(state.accessKey);
    if (!isAnswered(answer)) throw new DomainError('SRI_UNAVAILABLE');
    return { answer, records: consultationRecords(this.ids, state, answer, startedAt), now: this.clock.now() };
  }
}
