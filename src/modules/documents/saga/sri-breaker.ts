import { Inject, Injectable, Logger } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../../config/settings.js';
import { CLOCK, type Clock } from '../../../shared/ports.js';
import type { SriService } from '../../../sri/soap/classification.js';

/** Consecutive calls without an answer that take an operation for down. */
const FAILURES_TO_OPEN = 5;
const FIRST_BREAK_MS = 2_000;
/** After an outage: shares of the worker's concurrency, each for this long. */
const RAMP = [0.25, 0.5] as const;
const RAMP_PAUSE_MS = 500;
const PROBE_PAUSE_MS = 1_000;

interface Operation {
  failures: number;
  breaks: number;
  openUntil: Date | null;
  probing: boolean;
  recoveredAt: Date | null;
  inFlight: number;
}

export type Entry =
  | { readonly kind: 'go'; /** Call once the SRI answered (true) or not (false). */ readonly leave: (answered: boolean) => void }
  | { readonly kind: 'wait'; readonly reason: 'breaker_open' | 'ramp'; readonly until: Date };

/**
 * Keeps this worker from hammering a service of the SRI that does not answer, and from
 * storming it when it comes back: one probe, then a quarter of the concurrency for a
 * minute, then half. Each operation stands by itself: half an outage stops one half.
 */
@Injectable()
export class SriBreaker {
  private readonly log = new Logger(SriBreaker.name);
  private readonly operations = new Map<SriService, Operation>();

  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'WORKER_CONCURRENCY' | 'SRI_LONGEST_BREAK_SECONDS' | 'SRI_RAMP_SECONDS'>,
  ) {}

  /** Asks for leave to call the service now. */
  enter(service: SriService): Entry {
    const operation = this.operation(service);
    const now = this.clock.now();
    const wait = (reason: 'breaker_open' | 'ramp', milliseconds: number): Entry => ({ kind: 'wait', reason, until: new Date(now.getTime() + milliseconds) });
    if (operation.openUntil !== null) {
      if (now < operation.openUntil) return wait('breaker_open', operation.openUntil.getTime() - now.getTime());
      if (operation.probing) return wait('breaker_open', PROBE_PAUSE_MS);
      operation.probing = true;
    } else if (operation.inFlight >= this.limit(operation, now)) {
      return wait('ramp', RAMP_PAUSE_MS);
    }
    operation.inFlight += 1;
    let left = false;
    return {
      kind: 'go',
      leave: (answered) => {
        if (left) return;
        left = true;
        this.left(service, operation, answered);
      },
    };
  }

  private limit({ recoveredAt }: Operation, now: Date): number {
    if (recoveredAt === null) return Number.POSITIVE_INFINITY;
    const share = RAMP[Math.floor((now.getTime() - recoveredAt.getTime()) / (this.settings.SRI_RAMP_SECONDS * 1_000))];
    return share === undefined ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(this.settings.WORKER_CONCURRENCY * share));
  }

  private left(service: SriService, operation: Operation, answered: boolean): void {
    operation.inFlight -= 1;
    operation.probing = false;
    if (answered) {
      if (operation.openUntil !== null) {
        operation.recoveredAt = this.clock.now();
        this.log.log(`the SRI answers ${service} again: ramping up`);
      }
      operation.failures = 0;
      operation.breaks = 0;
      operation.openUntil = null;
      return;
    }
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
      operation = { failures: 0, breaks: 0, openUntil: null, probing: false, recoveredAt: null, inFlight: 0 };
      this.operations.set(service, operation);
    }
    return operation;
  }
}
