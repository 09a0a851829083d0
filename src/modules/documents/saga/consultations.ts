import { Inject, Injectable } from '@nestjs/common';
import { DomainError } from '../../../shared/domain-error.js';
import { CLOCK, type Clock, IDS, type Ids } from '../../../shared/ports.js';
import { ConsultationClient } from '../../../sri/soap/consultation.js';
import { isAnswered } from '../../../sri/soap/unanswered.js';
import { formerKeys } from '../domain/authorization-finding.js';
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
    const answer = await this.query(state.accessKey);
    return { answer, records: consultationRecords(this.ids, state, answer, startedAt), now: this.clock.now() };
  }

  /**
   * Asks about every access key that the document has had: what the SRI showed authorized may be so under a former one.
   * @returns the answers, the present key's first, and the row that records them with what the action writes
   * @throws DomainError SRI_UNAVAILABLE where it gives no answer about one of them
   */
  async askOfEveryKey(state: DocumentState): Promise<{ answers: readonly ConsultedAnswer[]; records: Records; now: Date }> {
    const startedAt = this.clock.now();
    const answer = await this.query(state.accessKey);
    const former: ConsultedAnswer[] = [];
    for (const key of formerKeys(state)) former.push(await this.query(key));
    return { answers: [answer, ...former], records: consultationRecords(this.ids, state, answer, startedAt, former), now: this.clock.now() };
  }

  private async query(accessKey: string): Promise<ConsultedAnswer> {
    const answer = await this.client.query(accessKey);
    if (!isAnswered(answer)) throw new DomainError('SRI_UNAVAILABLE');
    return answer;
  }
}
