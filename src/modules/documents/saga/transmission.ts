import { Inject, Injectable } from '@nestjs/common';
import { KillPoints } from '../../../platform/faults/kill-points.js';
import { OutboxRelay } from '../../../platform/outbox/relay.js';
import { CLOCK, type Clock, IDS, type Ids } from '../../../shared/ports.js';
import { ReceptionClient, type ReceptionAnswer } from '../../../sri/soap/reception.js';
import { isAnswered, isHeard } from '../../../sri/soap/unanswered.js';
import { decide } from '../domain/decide.js';
import type { Decision, DocumentState, SagaPolicy, Work } from '../domain/document.js';
import { type AttemptOutcome, DocumentsRepository, type LoadedDocument } from '../persistence/documents.repository.js';
import { unansweredOutcome } from './attempt-outcome.js';
import { SAGA_POLICY } from './policy.js';
import type { CallPermit } from './sri-breaker.js';
import type { FreshSignature, LeasedDocument } from './step.js';

/** Where the document stands once it is said to be sent. */
interface Begun {
  readonly attempt: string;
  readonly submitted: DocumentState;
}

/**
 * One call of the SRI's reception. "Submitted" and the attempt are committed before
 * the first byte leaves, so a vanished worker leaves a trace that makes the next one
 * ask before it sends.
 */
@Injectable()
export class Transmission {
  constructor(
    private readonly documents: DocumentsRepository,
    private readonly reception: ReceptionClient,
    private readonly relay: OutboxRelay,
    private readonly killPoints: KillPoints,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
    @Inject(SAGA_POLICY) private readonly policy: SagaPolicy,
  ) {}

  /**
   * Sends the bytes and writes what the answer means.
   * @param permit to call the SRI; used up in any case
   */
  async send({ loaded, token, signature }: LeasedDocument, xml: Buffer, permit: CallPermit): Promise<Work | null> {
    try {
      const { numericCode } = loaded.content;
      const sentAt = this.clock.now();
      const { attempt, submitted } = await this.begin(loaded.state, token, sentAt, signature);
      await this.killPoints.pass('after-attempt', numericCode);

      const answer = await this.reception.submit(xml, submitted.accessKey);
      permit.report(isHeard(answer), isAnswered(answer) ? undefined : loaded.issuerId);
      await this.killPoints.pass('after-reception-answer', numericCode);

      const answeredAt = this.clock.now();
      const decided = decide(submitted, { kind: 'reception', answer }, answeredAt, this.policy);
      const decision = answer.kind === 'not_delivered' ? this.asUnsentAsBefore(loaded, decided, signature ? null : sentAt, answeredAt) : decided;
      await this.documents.advance(submitted, decision, token, answeredAt, { finished: outcomeOf(attempt, answer) });
      await this.killPoints.pass('after-reception-commit', numericCode);
      return decision.work;
    } finally {
      permit.release();
    }
  }

  private async begin(state: DocumentState, token: string, now: Date, signature?: FreshSignature): Promise<Begun> {
    const attempt = this.ids.uuid();
    const signingNo = signature?.signing.signingNo ?? state.signingNo;
    const sending: Decision = {
      moves: [...(signature?.moves ?? []), { trigger: 'sending' }],
      patch: { ...signature?.patch, receptionAttempts: state.receptionAttempts + 1, firstSentAt: state.firstSentAt ?? now },
      // Should this worker vanish, the next one asks: no pause holds that up.
      work: { step: 'authorize', dueAt: now, keepLease: true, unsent: false },
    };
    const { version, successorWoken } = await this.documents.advance(state, sending, token, now, {
      ...(signature && { signing: signature.signing }),
      attempt: { id: attempt, service: 'reception', signingNo },
    });
    // The next document of the emission point need not wait for the SRI's answer to this one.
    if (successorWoken) this.relay.nudge();
    const { accessKey, contentRevision } = state;
    const signings = signature ? [...state.signings, { signingNo, digest: signature.signing.digest, signedAt: now, accessKey, contentRevision }] : state.signings;
    return { attempt, submitted: { ...state, ...sending.patch, signings, isResigning: false, status: 'SUBMITTED_TO_SRI', version } };
  }

  /**
   * Nothing left this process: neither the first sending nor a transmission counts. The waiting time still grows: it is the
   * wait before this try, doubled, up to the longest for a service that does not answer.
   *
   * @param triedAt null for the first try with a signature: whatever the document waited for before was something else
   */
  private asUnsentAsBefore({ state }: LoadedDocument, decided: Decision, triedAt: Date | null, now: Date): Decision {
    const { receptionAttempts, firstSentAt, status, changedAt } = state;
    const waited = status === 'RECEPTION_RETRY_SCHEDULED' && triedAt !== null ? triedAt.getTime() - changedAt.getTime() : 0;
    const grown = new Date(now.getTime() + Math.min(2 * waited, this.policy.unansweredWaitMs));
    const { work } = decided;
    return {
      ...decided,
      patch: { ...decided.patch, receptionAttempts, firstSentAt },
      work: work !== null && work.dueAt !== 'never' && work.dueAt < grown ? { ...work, dueAt: grown } : work,
    };
  }
}

function outcomeOf(id: string, answer: ReceptionAnswer): AttemptOutcome {
  return isAnswered(answer) ? { id, outcome: answer.kind, messages: answer.messages } : { id, ...unansweredOutcome(answer) };
}
