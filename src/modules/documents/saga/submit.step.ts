import { Inject, Injectable } from '@nestjs/common';
import { OutboxRelay } from '../../../platform/outbox/relay.js';
import { CLOCK, type Clock, IDS, type Ids } from '../../../shared/ports.js';
import { ReceptionClient, type ReceptionAnswer } from '../../../sri/soap/reception.js';
import { decide } from '../domain/decide.js';
import type { Decision, DocumentState, SagaPolicy, Work } from '../domain/document.js';
import { type AttemptOutcome, DocumentsRepository, type LoadedDocument } from '../persistence/documents.repository.js';
import { KillPoints } from '../../../platform/faults/kill-points.js';
import { SAGA_POLICY } from './policy.js';
import { postpone } from './postpone.js';
import { SriBreaker } from './sri-breaker.js';
import type { LeasedDocument, SagaStep } from './step.js';

/**
 * Sends the stored bytes. "Submitted" and the attempt are committed before the
 * first byte leaves, so a vanished worker leaves a trace that makes the next one
 * ask before it sends.
 */
@Injectable()
export class SubmitStep implements SagaStep {
  constructor(
    private readonly documents: DocumentsRepository,
    private readonly reception: ReceptionClient,
    private readonly breaker: SriBreaker,
    private readonly relay: OutboxRelay,
    private readonly killPoints: KillPoints,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
    @Inject(SAGA_POLICY) private readonly policy: SagaPolicy,
  ) {}

  async run({ loaded, token }: LeasedDocument): Promise<Work | null> {
    const { state, signed } = loaded;
    const now = this.clock.now();
    if (signed === null) throw new Error(`document ${state.id} has nothing signed to send`);
    if (signed.certificateValidTo <= now && state.firstSentAt === null) {
      const again = signAgain(state, now);
      await this.documents.advance(state, again, token, now);
      return again.work;
    }

    const entrance = this.breaker.enter('reception');
    if (entrance.kind === 'wait') return await postpone(this.documents, loaded, 'submit', entrance.until, token, now, entrance.reason);
    try {
      return await this.send(loaded, signed.xml, token, now, entrance.leave);
    } finally {
      entrance.abandon();
    }
  }

  private async send(loaded: LoadedDocument, xml: Buffer, token: string, now: Date, leave: (answered: boolean) => void): Promise<Work | null> {
    const { state, content } = loaded;
    const attempt = this.ids.uuid();
    const sending: Decision = {
      moves: [{ trigger: 'sending' }],
      patch: { receptionAttempts: state.receptionAttempts + 1, firstSentAt: state.firstSentAt ?? now },
      // Should this worker vanish, the next one asks: no pause holds that up.
      work: { step: 'authorize', dueAt: now, keepLease: true, unsent: false },
    };
    const { version, successorWoken } = await this.documents.advance(state, sending, token, now, {
      attempt: { id: attempt, service: 'reception', signingNo: state.signingNo },
    });
    // The next document of the emission point need not wait for the SRI's answer to this one.
    if (successorWoken) this.relay.nudge();
    await this.killPoints.pass('after-attempt', content.numericCode);

    const answer = await this.reception.submit(xml, state.accessKey);
    leave(answer.kind === 'received' || answer.kind === 'returned');
    await this.killPoints.pass('after-reception-answer', content.numericCode);

    const answeredAt = this.clock.now();
    const submitted = { ...state, ...sending.patch, status: 'SUBMITTED_TO_SRI' as const, version } as typeof state;
    const decided = decide(submitted, { kind: 'reception', answer }, answeredAt, this.policy);
    const decision = answer.kind === 'not_delivered' ? this.asUnsentAsBefore(loaded, decided, now, answeredAt) : decided;
    await this.documents.advance(submitted, decision, token, answeredAt, { finished: outcomeOf(attempt, answer) });
    await this.killPoints.pass('after-reception-commit', content.numericCode);
    return decision.work;
  }

  /**
   * Nothing left the house: neither the first sending nor a transmission counts. What keeps the waiting
   * time growing is the wait before this try, doubled, up to the longest for a service that does not answer.
   */
  private asUnsentAsBefore({ state, decidedAt }: LoadedDocument, decided: Decision, triedAt: Date, now: Date): Decision {
    const { receptionAttempts, firstSentAt, status } = state;
    const waited = status === 'RECEPTION_RETRY_SCHEDULED' && decidedAt !== null ? triedAt.getTime() - decidedAt.getTime() : 0;
    const grown = new Date(now.getTime() + Math.min(2 * waited, this.policy.unansweredWaitMs));
    const { work } = decided;
    return {
      ...decided,
      patch: { ...decided.patch, receptionAttempts, firstSentAt },
      work: work !== null && work.dueAt !== 'never' && work.dueAt < grown ? { ...work, dueAt: grown } : work,
    };
  }
}

/** The certificate ran out between signing and sending; nothing left the house, so a new signature is clean. */
const signAgain = ({ status }: DocumentState, now: Date): Decision => ({
  moves: status === 'RECEPTION_PENDING' ? [{ trigger: 'signature_stale' }] : [],
  patch: {},
  work: { step: 'prepare', dueAt: now, keepLease: true },
});

function outcomeOf(id: string, answer: ReceptionAnswer): AttemptOutcome {
  switch (answer.kind) {
    case 'received':
    case 'returned':
      return { id, outcome: answer.kind, messages: answer.messages };
    case 'not_delivered':
      return { id, outcome: answer.kind, excerpt: answer.reason };
    case 'no_evidence':
      return { id, outcome: `${answer.kind}: ${answer.reason}`, excerpt: answer.excerpt };
  }
}
