import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock, IDS, type Ids } from '../../../shared/ports.js';
import { type AuthorizationAnswer, AuthorizationClient } from '../../../sri/soap/authorization.js';
import { authorizationOf, decide } from '../domain/decide.js';
import type { SagaPolicy, Work } from '../domain/document.js';
import { type AttemptOutcome, DocumentsRepository, type Records } from '../persistence/documents.repository.js';
import { authorizationWrapper } from './authorization-wrapper.js';
import { KillPoints } from '../../../platform/faults/kill-points.js';
import { SAGA_POLICY } from './policy.js';
import { postpone } from './postpone.js';
import { type Passage, SriBreaker } from './sri-breaker.js';
import type { LeasedDocument, SagaStep } from './step.js';

/** Asks the SRI what became of the document. The question changes nothing there, so it may be repeated freely. */
@Injectable()
export class AuthorizeStep implements SagaStep {
  constructor(
    private readonly documents: DocumentsRepository,
    private readonly authorization: AuthorizationClient,
    private readonly breaker: SriBreaker,
    private readonly killPoints: KillPoints,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
    @Inject(SAGA_POLICY) private readonly policy: SagaPolicy,
  ) {}

  async run(document: LeasedDocument): Promise<Work | null> {
    const { loaded, token } = document;
    const { state } = loaded;
    const startedAt = this.clock.now();
    if (state.status === 'SUBMITTED_TO_SRI') {
      const lost = decide(state, { kind: 'worker_lost' }, startedAt, this.policy);
      await this.documents.advance(state, lost, token, startedAt);
      return lost.work;
    }
    const entrance = this.breaker.enter('authorization');
    if (entrance.kind === 'wait') return await postpone(this.documents, document, 'authorize', entrance.until, startedAt);
    const answer = await this.ask(state.accessKey, entrance);
    await this.killPoints.pass('after-auth-answer', loaded.content.numericCode);

    const now = this.clock.now();
    const decision = decide(state, { kind: 'authorization', answer }, now, this.policy);
    const entry = authorizationOf(state, answer);
    const records: Records = {
      asked: { ...authorizationOutcome(this.ids.uuid(), answer), service: 'authorization', signingNo: state.signingNo, startedAt },
      ...(entry && { authorization: { state: entry.estado, xml: authorizationWrapper(entry, state.accessKey) } }),
    };
    await this.documents.advance(state, decision, token, now, records);
    await this.killPoints.pass('after-auth-commit', loaded.content.numericCode);
    return decision.work;
  }

  private async ask(accessKey: string, { leave, abandon }: Passage): Promise<AuthorizationAnswer> {
    try {
      const answer = await this.authorization.query(accessKey);
      leave(answer.kind === 'entries');
      return answer;
    } finally {
      abandon();
    }
  }
}

/** The attempt row of a question for the authorization. */
export function authorizationOutcome(id: string, answer: AuthorizationAnswer): AttemptOutcome {
  switch (answer.kind) {
    case 'entries':
      return {
        id,
        outcome: answer.entries.map((entry) => entry.estado).join(', ') || 'no entries',
        messages: answer.entries.flatMap((entry) => entry.messages),
      };
    case 'not_delivered':
      return { id, outcome: answer.kind, excerpt: answer.reason };
    case 'no_evidence':
      return { id, outcome: `${answer.kind}: ${answer.reason}`, excerpt: answer.excerpt };
  }
}
