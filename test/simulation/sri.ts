import type { AuthorizationAnswer, AuthorizationClient } from '../../src/sri/soap/authorization.js';
import type { ConsultationAnswer, ConsultationClient, ConsultedState } from '../../src/sri/soap/consultation.js';
import type { SriMessage } from '../../src/sri/soap/message.js';
import type { ReceptionAnswer, ReceptionClient } from '../../src/sri/soap/reception.js';
import { InProcessSri } from '../../src/simulator/brain/in-process.js';
import type { SriMessage as BrainMessage } from '../../src/simulator/brain/messages.js';
import type { Process, Scheduler } from './scheduler.js';

/** What the network does to one exchange with the SRI. */
export type NetworkFault = 'none' | 'not_delivered' | 'lost_on_the_way' | 'answer_lost' | 'delivered_late' | 'slow_answer';

/** Hears what crosses the wire: the checker's fourth ledger. */
export interface WireTap {
  /** A document leaves the house. */
  submitted(accessKey: string, bytes: Uint8Array): void;
  answered(accessKey: string, answer: ReceptionAnswer): void;
  told(accessKey: string, answer: AuthorizationAnswer): void;
  consulted(accessKey: string, answer: ConsultationAnswer): void;
  disturbed(accessKey: string): void;
}

export type ReceptionPort = Pick<ReceptionClient, 'submit'>;
export type ConsultationPort = Pick<ConsultationClient, 'query'>;
export type AuthorizationPort = Pick<AuthorizationClient, 'query'>;

/** Of so many answers to come, each entry of a decision is dated like this. */
export interface OddDates {
  readonly date: string;
  readonly times: number;
}

/** The SRI and the network before it. */
export class SimulatedSri {
  readonly brain = new InProcessSri({ processingMs: { min: 0, max: 40_000 } });
  private oddDates: OddDates | null = null;

  constructor(
    private readonly scheduler: Scheduler,
    private readonly network: Process,
    private readonly fault: () => NetworkFault,
    private readonly tap: WireTap,
  ) {}

  dateDecisions(odd: OddDates): void {
    this.oddDates = odd;
  }

  /** From now on it says what it holds. */
  calm(): void {
    this.brain.clearFaults();
    this.oddDates = null;
  }

  receptionFor(owner: Process): ReceptionPort {
    return {
      submit: (signed, accessKey) =>
        this.exchange(owner, 'reception', accessKey, () => this.submit(signed), (answer) => this.tap.answered(accessKey, answer), () => this.tap.submitted(accessKey, signed)),
    };
  }

  authorizationFor(owner: Process): AuthorizationPort {
    return { query: (accessKey) => this.exchange(owner, 'authorization', accessKey, () => this.query(accessKey), (answer) => this.tap.told(accessKey, answer)) };
  }

  consultationFor(owner: Process): ConsultationPort {
    return { query: (accessKey) => this.exchange(owner, 'consultation', accessKey, () => this.consult(accessKey), (answer) => this.tap.consulted(accessKey, answer)) };
  }

  private async exchange<Answer extends { readonly kind: string }>(
    owner: Process, label: string, accessKey: string, deliver: () => Answer, arrived: (answer: Answer) => void, departs: () => void = () => undefined,
  ): Promise<Answer> {
    const nothing = (reason: string): Answer => ({ kind: 'no_evidence', reason, excerpt: '' }) as unknown as Answer;
    const hindered = (answer: Answer): Answer => {
      this.tap.disturbed(accessKey);
      return answer;
    };
    const delay = { slow: false };
    const answer = await this.scheduler.call(owner, `sri ${label}`, (): Answer => {
      const fault = this.fault();
      switch (fault) {
        case 'not_delivered':
          return hindered({ kind: 'not_delivered', reason: 'refused' } as unknown as Answer);
        case 'lost_on_the_way':
          departs();
          return hindered(nothing('timeout'));
        case 'answer_lost':
          if (deliver().kind !== 'not_delivered') departs();
          return hindered(nothing('reset'));
        case 'delivered_late':
          departs();
          this.scheduler.add({ owner: this.network, label: `sri ${label} arrives late`, at: this.scheduler.now + 30_000, idle: false, fire: () => void deliver() });
          return hindered(nothing('timeout'));
        case 'slow_answer':
        case 'none': {
          delay.slow = fault === 'slow_answer';
          const answer = deliver();
          if (answer.kind !== 'not_delivered') departs();
          if (answer.kind === 'no_evidence' || answer.kind === 'not_delivered') return hindered(answer);
          return answer;
        }
      }
    });
    if (delay.slow) await this.scheduler.call(owner, `sri ${label} answers`, () => undefined);
    arrived(answer);
    return answer;
  }

  private get now(): Date {
    return new Date(this.scheduler.now);
  }

  private submit(signed: Uint8Array): ReceptionAnswer {
    const reply = this.brain.submit(signed, this.now);
    if (reply.kind === 'not_delivered') return { kind: 'not_delivered', reason: reply.reason };
    if (reply.kind === 'no_answer') return { kind: 'no_evidence', reason: reply.reason, excerpt: '' };
    const messages = reply.outcome.messages.map(toMessage);
    switch (reply.outcome.estado) {
      case 'RECIBIDA': return { kind: 'received', messages };
      case 'DEVUELTA': return { kind: 'returned', messages };
      case null: return { kind: 'no_evidence', reason: 'no estado', excerpt: '', isHeard: true };
    }
  }

  private consult(accessKey: string): ConsultationAnswer {
    const reply = this.brain.consult(accessKey, this.now);
    if (reply.kind === 'not_delivered') return { kind: 'not_delivered', reason: reply.reason };
    if (reply.kind === 'no_answer') return { kind: 'no_evidence', reason: reply.reason, excerpt: '' };
    const { refusal, estado, messages } = reply.outcome;
    if (refusal !== null || estado === null) return { kind: 'unknown', messages: messages.map(toMessage) };
    return { kind: 'state', state: CONSULTED[estado] ?? 'unknown_state', estado, messages: messages.map(toMessage) };
  }

  private query(accessKey: string): AuthorizationAnswer {
    const reply = this.brain.query(accessKey, this.now);
    if (reply.kind === 'not_delivered') return { kind: 'not_delivered', reason: reply.reason };
    if (reply.kind === 'no_answer') return { kind: 'no_evidence', reason: reply.reason, excerpt: '' };
    const { consultedKey, entries } = reply.outcome;
    if (consultedKey !== accessKey) return { kind: 'no_evidence', reason: 'the answer is for another access key', excerpt: '' };
    // As its reader takes it: the question itself is refused.
    if (entries.length > 0 && entries.every(({ estado }) => estado === 'RECHAZADA')) return { kind: 'no_evidence', reason: 'the query was refused', excerpt: '' };
    const odd = entries.some(({ authorizedAt }) => authorizedAt !== null) ? this.takeOddDate() : null;
    return {
      kind: 'entries',
      entries: entries.map((entry) => ({
        estado: entry.estado,
        numeroAutorizacion: entry.authorizationNumber,
        fechaAutorizacion: odd ?? entry.authorizedAt?.toISOString() ?? null,
        ambiente: entry.environment === '2' ? 'PRODUCCION' : 'PRUEBAS',
        comprobante: entry.document,
        messages: entry.messages.map(toMessage),
      })),
    };
  }

  private takeOddDate(): string | null {
    const odd = this.oddDates;
    if (odd !== null) this.oddDates = odd.times > 1 ? { ...odd, times: odd.times - 1 } : null;
    return odd?.date ?? null;
  }
}

const CONSULTED: Readonly<Record<string, ConsultedState>> = {
  AUTORIZADO: 'authorized', 'NO AUTORIZADO': 'refused', 'PENDIENTE DE ANULAR': 'pending_annulment', ANULADO: 'annulled',
};

function toMessage({ identifier, message, additionalInfo, type }: BrainMessage): SriMessage {
  return { identifier, message, additionalInfo, messageType: type ?? '' };
}
