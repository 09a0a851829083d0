import { Inject, Injectable, Logger } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../../config/settings.js';
import { CLOCK, type Clock } from '../../../shared/ports.js';
import { pauseGoesOn } from '../../../shared/pause.js';
import type { SriService } from '../../../sri/soap/classification.js';
import type { Step } from '../domain/lifecycle.js';

/** Consecutive calls without an answer, or with answers that tell nobody anything, that take an operation for down. */
const FAILURES_TO_OPEN = 5;
/** Of documents of fewer issuers in a row it may say what proves nothing without being out of order: their content may be why. */
const ISSUERS_TOLD_NOTHING = 5;
const FIRST_BREAK_MS = 2_000;
/** Shares of the worker's concurrency after an outage, each for `SRI_RAMP_SECONDS`. */
const RAMP = [0.25, 0.5] as const;
/** How much of such a share documents that waited for the service may use at most. */
const BACKLOG_SHARE = 0.5;
const RAMP_PAUSE_MS = 500;
/** A document that comes to a closed service is put off by no more: other workers may reach the SRI. */
const PUT_OFF_MS = 1_000;
/** What the steps call; signing calls nothing. */
export const SERVICE_OF: Readonly<Partial<Record<Step, SriService>>> = { submit: 'reception', authorize: 'authorization', watch: 'consultation' };

interface Operation {
  hasAnswered: boolean;
  failures: number;
  /** Issuers whose documents got answers that prove nothing since the last one that proved something. */
  toldNothing: Set<string>;
  breaks: number;
  openUntil: Date | null;
  /** The one call let through while open: only its failure keeps the service closed off longer. */
  probe: object | null;
  recoveredAt: Date | null;
  inFlight: number;
  /** How many of these are for documents from before the service came back. */
  waitedInFlight: number;
}

/** Permits one call of a service; every way out of the call goes through one of the two. */
export interface CallPermit {
  /**
   * Call once the SRI answered (true) or not (false).
   * @param toldNothing the issuer of the document of which an answer proves nothing; of no effect where there was none
   */
  readonly report: (answered: boolean, toldNothing?: string) => void;
  /** Call where nothing was learned of the SRI, as when a fault of our own ended the call; of no effect after `report`. */
  readonly release: () => void;
}

export type Admission =
  | ({ readonly kind: 'go' } & CallPermit)
  | { readonly kind: 'wait'; readonly reason: 'breaker_open' | 'ramp' | 'crowded'; readonly until: Date };

/**
 * Keeps this worker from hammering a service of the SRI that does not answer, and from
 * storming it when it comes back: one probe, then a quarter of the concurrency for `SRI_RAMP_SECONDS`,
 * then as long half of it. Documents that waited for it may use half of that, so that they do not hold
 * up those that arrive meanwhile. Each operation stands by itself: half an outage stops one half.
 * Steps whose service may not be called are not announced, so that a backlog does not go round.
 */
@Injectable()
export class SriBreaker {
  private readonly log = new Logger(SriBreaker.name);
  private readonly operations = new Map<SriService, Operation>();
  private readonly startedAt: Date;

  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'WORKER_CONCURRENCY' | 'SRI_LONGEST_BREAK_SECONDS' | 'SRI_RAMP_SECONDS'>,
  ) {
    this.startedAt = clock.now();
  }

  /**
   * Asks whether the service may be called now.
   * @param acceptedAt of the document; one from before the service came back has waited for it;
   * left out, the call counts as one for a document that has not
   */
  acquire(service: SriService, acceptedAt?: Date): Admission {
    const operation = this.operation(service);
    const now = this.clock.now();
    const hasWaited = acceptedAt !== undefined && operation.recoveredAt !== null && acceptedAt < operation.recoveredAt;
    const wait = (reason: 'breaker_open' | 'ramp', milliseconds: number): Admission => ({ kind: 'wait', reason, until: new Date(now.getTime() + milliseconds) });
    if (operation.openUntil !== null) {
      const breakMs = operation.openUntil.getTime() - now.getTime();
      if (this.isBreak(operation.openUntil, now)) return wait('breaker_open', Math.min(breakMs, PUT_OFF_MS));
      if (operation.probe !== null) return wait('breaker_open', PUT_OFF_MS);
    } else if (this.isFull(operation, hasWaited, now)) {
      return wait('ramp', RAMP_PAUSE_MS);
    }
    operation.inFlight += 1;
    if (hasWaited) operation.waitedInFlight += 1;
    const call = {};
    if (operation.openUntil !== null) operation.probe = call;
    let isOver = false;
    const end = (answered: boolean | null, toldNothing?: string): void => {
      if (isOver) return;
      isOver = true;
      if (hasWaited) operation.waitedInFlight -= 1;
      this.ended(service, operation, call, answered && !tellsNothing(operation, toldNothing));
    };
    return {
      kind: 'go',
      report: end,
      release: () => {
        end(null);
      },
    };
  }

  /** State of each service called so far: 0 it is called freely, 1 in parts after an outage, 2 not, but for probes. */
  states(): { readonly service: SriService; readonly state: 0 | 1 | 2 }[] {
    const now = this.clock.now();
    return Array.from(this.operations, ([service, operation]) => ({
      service,
      state: operation.openUntil !== null ? 2 : Number.isFinite(this.limit(operation, now)) ? 1 : 0,
    }));
  }

  /** While a service is away its step is announced for the probe alone; in parts, as many as the part has room for. */
  stepCapacity(): ReadonlyMap<Step, number> {
    const now = this.clock.now();
    const capacity = Object.entries(SERVICE_OF).map(([step, service]) => [step as Step, this.capacityFor(service, now)] as const);
    return new Map(capacity.filter(([, count]) => Number.isFinite(count)));
  }

  /** Since when the step's service may be called, for the probe at least; of one that is called freely nothing is said. */
  openSince(step: string): Date | null | undefined {
    const service = SERVICE_OF[step as Step];
    if (service === undefined) return undefined;
    const operation = this.operations.get(service);
    if (operation === undefined) return this.startedAt;
    const { openUntil, probe, recoveredAt, hasAnswered } = operation;
    // Once a probe may be made, nobody making it is late.
    if (openUntil !== null) return probe === null && !this.isBreak(openUntil, this.clock.now()) ? openUntil : null;
    // A process that starts in an outage does not know of it before its first calls have failed.
    return recoveredAt ?? (hasAnswered ? undefined : this.startedAt);
  }

  private isBreak(openUntil: Date, now: Date): boolean {
    return pauseGoesOn(openUntil, now, this.settings.SRI_LONGEST_BREAK_SECONDS * 1_000);
  }

  private capacityFor(service: SriService, now: Date): number {
    const operation = this.operations.get(service);
    if (!operation) return Number.POSITIVE_INFINITY;
    const { openUntil, probe, inFlight, waitedInFlight } = operation;
    if (openUntil !== null) return probe === null && !this.isBreak(openUntil, now) ? 1 : 0;
    const limit = this.limit(operation, now);
    // New documents go on from signing to sending by themselves: most of what is announced to be sent has waited for the service.
    const ofBacklog = service === 'reception' ? backlogPart(limit) - waitedInFlight : limit;
    return Math.max(0, Math.min(limit - inFlight, ofBacklog));
  }

  private isFull(operation: Operation, hasWaited: boolean, now: Date): boolean {
    const limit = this.limit(operation, now);
    return operation.inFlight >= limit || (hasWaited && operation.waitedInFlight >= backlogPart(limit));
  }

  private limit({ recoveredAt }: Operation, now: Date): number {
    if (recoveredAt === null) return Number.POSITIVE_INFINITY;
    const share = RAMP[Math.floor((now.getTime() - recoveredAt.getTime()) / (this.settings.SRI_RAMP_SECONDS * 1_000))];
    return share === undefined ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(this.settings.WORKER_CONCURRENCY * share));
  }

  /** @param answered null where nothing was learned of the SRI */
  private ended(service: SriService, operation: Operation, call: object, answered: boolean | null): void {
    operation.inFlight -= 1;
    const isProbe = operation.probe === call;
    if (isProbe) operation.probe = null;
    if (answered === null) return;
    if (answered) {
      // An answer is an answer, also to a call that left before the pause.
      operation.probe = null;
      operation.hasAnswered = true;
      if (operation.openUntil !== null) {
        operation.recoveredAt = this.clock.now();
        this.log.log(`the SRI answers ${service} again: ramping up`);
      }
      operation.failures = 0;
      operation.breaks = 0;
      operation.openUntil = null;
      return;
    }
    // The end of a call that was under way when the service was taken for down is nothing new.
    if (operation.openUntil !== null && !isProbe) return;
    operation.failures += 1;
    if (operation.failures < FAILURES_TO_OPEN) return;
    const pause = Math.min(FIRST_BREAK_MS * 2 ** operation.breaks, this.settings.SRI_LONGEST_BREAK_SECONDS * 1_000);
    if (operation.breaks === 0) this.log.warn(`the SRI does not answer ${service}: pausing it`);
    operation.breaks += 1;
    operation.openUntil = new Date(this.clock.now().getTime() + pause);
  }

  private operation(service: SriService): Operation {
    let operation = this.operations.get(service);
    if (!operation) {
      operation = { hasAnswered: false, failures: 0, toldNothing: new Set(), breaks: 0, openUntil: null, probe: null, recoveredAt: null, inFlight: 0, waitedInFlight: 0 };
      this.operations.set(service, operation);
    }
    return operation;
  }
}

const backlogPart = (limit: number): number => Math.ceil(limit * BACKLOG_SHARE);

/** Whether the service tells nobody anything, though it answers. */
function tellsNothing({ toldNothing }: Operation, issuerId: string | undefined): boolean {
  if (issuerId === undefined) toldNothing.clear();
  else if (toldNothing.size < ISSUERS_TOLD_NOTHING) toldNothing.add(issuerId);
  return toldNothing.size >= ISSUERS_TOLD_NOTHING;
}

/**
 * Makes the call that a permit is for, and reports what came of it; the permit is used up in any case.
 * @param isAnswer whether the SRI has answered with this
 */
export async function callWithPermit<Answer>({ report, release }: CallPermit, call: () => Promise<Answer>, isAnswer: (answer: Answer) => boolean): Promise<Answer> {
  try {
    const answer = await call();
    report(isAnswer(answer));
    return answer;
  } finally {
    release();
  }
}
