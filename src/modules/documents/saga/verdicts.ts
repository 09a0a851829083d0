import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock, IDS, type Ids } from '../../../shared/ports.js';
import { AuthorizationClient } from '../../../sri/soap/authorization.js';
import { isAway, isHeard } from '../../../sri/soap/unanswered.js';
import { decideReconciliation, isAtWorkOn, isSilenceOfItsOwn } from '../domain/decide.js';
import type { Decision, DocumentState, SagaPolicy } from '../domain/document.js';
import type { Records } from '../persistence/documents.repository.js';
import { askAuthorization, authorizationRecords } from './ask-authorization.js';
import { SAGA_POLICY } from './policy.js';

/** What the SRI says of a document now. */
export interface Told {
  /** What a verdict changes; without moves where there is none. */
  readonly decision: Decision;
  /** The row that records the answer with what the action writes. */
  readonly records: Records;
  /** Whether the SRI gave an answer to all that it was asked, be it one that proves nothing. */
  readonly isHeard: boolean;
  /** Whether what came of a question shows that the service is away. */
  readonly isAway: boolean;
  /** Whether the SRI is at work on a sending of it. */
  readonly isAtWork: boolean;
  readonly now: Date;
}

/** Questions to the SRI's authorization service that an action needs answered now. */
@Injectable()
export class Verdicts {
  constructor(
    private readonly authorization: AuthorizationClient,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
    @Inject(SAGA_POLICY) private readonly policy: SagaPolicy,
  ) {}

  async ask(state: DocumentState): Promise<Told> {
    const startedAt = this.clock.now();
    const answers = await askAuthorization(state, (accessKey) => this.authorization.query(accessKey), isSilenceOfItsOwn(state, startedAt, this.policy));
    const all = [answers.answer, ...(answers.former ?? [])];
    const now = this.clock.now();
    return {
      decision: decideReconciliation(state, answers, now, this.policy),
      records: authorizationRecords(this.ids, state, answers, startedAt),
      isHeard: all.every(isHeard),
      isAway: all.some(isAway),
      isAtWork: isAtWorkOn(state, answers),
      now,
    };
  }
}
