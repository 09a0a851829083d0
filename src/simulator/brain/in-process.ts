import type { Clock } from '../../shared/ports.js';
import type { Holding } from './authority.js';
import { type BrainSnapshot, type Exchange, SriBrain } from './brain.js';
import type { ServiceName, TransportAction } from './fault-actions.js';
import type { FaultRuleInput } from './fault-rules.js';
import type { KeyAccount } from './ledger.js';
import type { AuthorizationOutcome, ConsultationOutcome, ReceptionOutcome } from './outcome.js';
import type { OutageKind } from './outages.js';
import type { PortalAnswer } from './portal.js';
import { defaultSettings, type SimulatorSettings } from './settings.js';
import type { SchemaSource } from './xml/schemas.js';

/** What a caller in the same process gets: the answer, or the way in which it stayed away. */
export type Reply<Outcome> =
  | { readonly kind: 'answer'; readonly outcome: Outcome; readonly delayMs: number }
  /**
   * Nothing readable came back: time-out, reset, HTML, a spoilt body.
   * `accepted`: the SRI stored the document all the same.
   */
  | { readonly kind: 'no_answer'; readonly accepted: boolean; readonly reason: string; readonly delayMs: number }
  /** Nobody listened: surely nothing happened. Only from `takeDown(service, 'unreachable')`. */
  | { readonly kind: 'not_delivered'; readonly reason: string };

/** No schema at all: for scrutiny `key`, which reads none. */
const NO_SCHEMAS: SchemaSource = () => null;
/** About what an answer with a document weighs, for the length of a dripping one. */
const ANSWER_BYTES = 2_000;

/**
 * The SRI for simulations in one process: no HTTP, no timer, no host clock, no
 * chance. Time is what the caller passes as `now`, to every call, and may jump;
 * the same calls in the same order give the same replies.
 *
 * - `submit(bytes, now)`, `query(key, now)`, `consult(key, now)`: the three
 *   services. A reply comes at once; `delayMs` is how long the caller should
 *   pretend to wait for it. A `no_answer` says whether the document was stored.
 * - `annul`, `receiverAccepts`, `receiverRefuses`: the acts of people in the
 *   portal. Silence of the receiver is no call: `PENDIENTE DE ANULAR` ends by
 *   itself after five business days. An annulment cannot be taken back.
 * - `addFaults` takes the fault rules of the control API, e.g.
 *   `{match: {access_key}, action: {kind: 'hang', phase: 'after'}}`;
 *   `takeDown` and `bringUp` switch one service; `clearFaults` ends all of it,
 *   for the phase that proves liveness. Magic values in a document work as over HTTP.
 * - `holding`, `account`: what the SRI holds and has seen of a key, for invariants.
 * - `snapshot`, `restore`: the whole state, by shallow copies.
 *
 * By default the documents are not read: the bytes need only show
 * `<claveAcceso>` with a valid key near the start (any text around it will do),
 * and digest, number, date, environment and taxpayer are judged by that key.
 * One submission then takes some microseconds. `{scrutiny: 'content', schemas}`
 * judges schema and arithmetic too, without the signature; `'full'` judges all.
 * Documents are in process for 0 to 300 ms of the caller's time; set
 * `processingMs` for other spans.
 */
export class InProcessSri {
  private readonly clock = new GivenClock();
  private readonly brain: SriBrain;

  constructor(settings: Partial<SimulatorSettings> = {}) {
    this.brain = new SriBrain(this.clock, {
      ...defaultSettings(settings.schemas ?? NO_SCHEMAS),
      scrutiny: 'key',
      ...settings,
    });
  }

  /** Reception: a signed document arrives. */
  submit(bytes: Uint8Array, now: Date): Reply<ReceptionOutcome> {
    this.clock.instant = now;
    return this.reply('reception', this.brain.submit(bytes));
  }

  /** Authorization: what became of a key. */
  query(accessKey: string, now: Date): Reply<AuthorizationOutcome> {
    this.clock.instant = now;
    return this.reply('authorization', this.brain.authorize(accessKey));
  }

  /** Consultation: the state after authorization, annulments included. */
  consult(accessKey: string, now: Date): Reply<ConsultationOutcome> {
    this.clock.instant = now;
    return this.reply('consultation', this.brain.consult(accessKey));
  }

  /** The issuer asks for an annulment in the portal. */
  annul(accessKey: string, now: Date): PortalAnswer {
    this.clock.instant = now;
    return this.brain.authority.annul(accessKey);
  }

  receiverAccepts(accessKey: string, now: Date): PortalAnswer {
    this.clock.instant = now;
    return this.brain.authority.answerAnnulment(accessKey, true);
  }

  receiverRefuses(accessKey: string, now: Date): PortalAnswer {
    this.clock.instant = now;
    return this.brain.authority.answerAnnulment(accessKey, false);
  }

  /** @returns the rules' ids @throws InvalidFaultRule */
  addFaults(...rules: readonly FaultRuleInput[]): readonly number[] {
    return this.brain.faults.add({ rules });
  }

  takeDown(service: ServiceName, kind: OutageKind = 'unavailable'): void {
    this.brain.outages.takeDown(service, kind);
  }

  bringUp(service: ServiceName): void {
    this.brain.outages.bringUp(service);
  }

  /** Removes all rules, brings all services up, and lets magic values have no effect from now on. */
  clearFaults(): void {
    this.brain.calm();
  }

  /** Changes the behaviour from now on. */
  configure(changes: Partial<Omit<SimulatorSettings, 'schemas'>>): void {
    this.brain.authority.configure(changes);
  }

  /** What the SRI holds under a key at `now`. */
  holding(accessKey: string, now: Date): Holding {
    this.clock.instant = now;
    return this.brain.authority.holding(accessKey);
  }

  /** Requests about a key so far and the digests that arrived. */
  account(accessKey: string): KeyAccount {
    return this.brain.ledger.account(accessKey);
  }

  /** Requests so far, over all services. */
  get requests(): number {
    return this.brain.ledger.length;
  }

  snapshot(): BrainSnapshot {
    return this.brain.snapshot();
  }

  restore(snapshot: BrainSnapshot): void {
    this.brain.restore(snapshot);
  }

  private reply<Outcome>(service: ServiceName, exchange: Exchange<Outcome>): Reply<Outcome> {
    if (exchange.outage === 'unreachable') return { kind: 'not_delivered', reason: `${service} is unreachable` };
    const { outcome, transport, delayMs } = exchange;
    const spoilt = transport === null ? null : reasonOf(transport);
    if (spoilt !== null || outcome === null) {
      return { kind: 'no_answer', accepted: exchange.stored, reason: spoilt ?? 'not processed', delayMs };
    }
    const dripMs = transport?.kind === 'drip' ? Math.ceil((ANSWER_BYTES / transport.bytes_per_second) * 1000) : 0;
    return { kind: 'answer', outcome, delayMs: delayMs + dripMs };
  }
}

/** Why an answer cannot be read; null when it only takes its time. */
function reasonOf(action: TransportAction): string | null {
  switch (action.kind) {
    case 'hang':
      return 'time-out';
    case 'reset':
      return 'connection reset';
    case 'http':
      return `HTTP ${action.status}`;
    case 'malformed':
      return action.body === 'byte_order_mark' ? null : `malformed: ${action.body}`;
    case 'drip':
      return null;
  }
}

/** Tells the time of the call at hand. */
class GivenClock implements Clock {
  instant = new Date(0);

  now(): Date {
    return this.instant;
  }
}
