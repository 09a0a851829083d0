import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../../config/settings.js';
import { type StepGate, StepGates } from '../../../platform/outbox/step-gates.js';
import { CLOCK, type Clock, SLEEPER, type Sleeper } from '../../../shared/ports.js';
import type { SriService } from '../../../sri/soap/classification.js';
import { type Admission, SERVICE_OF, SriBreaker } from './sri-breaker.js';

/** Reception, authorization and consultation: what a worker handles is divided among them. */
const SERVICES = 3;
const FEWEST_CALLS = 8;
/** The SRI has reset connections where many were opened. */
const MOST_CALLS = 32;
/** A call waits so long for one of the same service to end. */
const PATIENCE_MS = 500;
const PAUSE_MS = 500;
/** A service counts as crowded for so long after a call waited in vain. */
const CROWDED_FOR_MS = 5_000;

/** Calls of one service that a worker of this concurrency has under way at most, and so its connections. */
export const callsAtOnce = (concurrency: number): number => Math.min(MOST_CALLS, Math.max(FEWEST_CALLS, Math.ceil(concurrency / SERVICES)));

/** For whom a call is made. */
interface Caller {
  /** Of the document; one from before the service came back has waited for it. */
  readonly acceptedAt?: Date;
  /** Another call of a step that has called already. */
  readonly isNext?: boolean;
}

interface Line {
  underWay: number;
  readonly waiting: (() => void)[];
  crowdedUntil: Date | null;
}

/**
 * Permits calls of the SRI: as the breaker says, and as many of a service at once as it has connections. A call that waited for
 * a connection would use up the time that the SRI has to answer, and would count as one that it did not answer; and a service
 * that is slow would take the connections of the others, and the worker with them.
 */
@Injectable()
export class SriCalls implements StepGate {
  private readonly lines = new Map<SriService, Line>();
  protected readonly most: number;

  constructor(
    private readonly breaker: SriBreaker,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SLEEPER) private readonly sleeper: Sleeper,
    @Inject(SETTINGS) settings: Pick<Settings, 'WORKER_CONCURRENCY'>,
    gates: StepGates,
  ) {
    this.most = callsAtOnce(settings.WORKER_CONCURRENCY);
    gates.register(this);
  }

  /** Asks whether the service may be called; where all its places are taken, it waits a moment for a call to end. */
  async acquire(service: SriService, { acceptedAt, isNext = false }: Caller = {}): Promise<Admission> {
    const line = this.line(service);
    if (!(await this.enter(line, isNext))) return { kind: 'wait', reason: 'crowded', until: new Date(this.clock.now().getTime() + PAUSE_MS) };
    const admission = this.breaker.acquire(service, acceptedAt);
    if (admission.kind === 'wait') {
      leave(line);
      return admission;
    }
    let isOver = false;
    const end = (): void => {
      if (!isOver) leave(line);
      isOver = true;
    };
    return {
      kind: 'go',
      report: (answered) => {
        admission.report(answered);
        end();
      },
      release: () => {
        admission.release();
        end();
      },
    };
  }

  /** As the breaker says; of a crowded service, no more than it has room for. */
  stepCapacity(): ReadonlyMap<string, number> {
    const capacity = new Map<string, number>(this.breaker.stepCapacity());
    const now = this.clock.now();
    for (const [step, service] of Object.entries(SERVICE_OF)) {
      const line = this.lines.get(service);
      if (!line?.crowdedUntil || line.crowdedUntil <= now) continue;
      const room = Math.max(0, this.most - line.underWay - line.waiting.length);
      capacity.set(step, Math.min(capacity.get(step) ?? room, room));
    }
    return capacity;
  }

  /** As the breaker says: a service that is slow holds nothing up, it is we who call it too seldom. */
  openSince(step: string): Date | null | undefined {
    return this.breaker.openSince(step);
  }

  /**
   * Takes a place.
   * @param isNext before all who wait, and for as long as it takes: a call always ends
   * @returns false when none was left in time
   */
  private async enter(line: Line, isNext: boolean): Promise<boolean> {
    if (line.underWay < this.most) {
      line.underWay += 1;
      return true;
    }
    return new Promise((resolve, reject) => {
      const call = (): void => {
        resolve(true);
      };
      if (isNext) {
        line.waiting.unshift(call);
        return;
      }
      line.waiting.push(call);
      this.sleeper.sleep(PATIENCE_MS).then(() => {
        const place = line.waiting.indexOf(call);
        if (place < 0) return;
        line.waiting.splice(place, 1);
        line.crowdedUntil = new Date(this.clock.now().getTime() + CROWDED_FOR_MS);
        resolve(false);
      }, reject);
    });
  }

  private line(service: SriService): Line {
    let line = this.lines.get(service);
    if (!line) {
      line = { underWay: 0, waiting: [], crowdedUntil: null };
      this.lines.set(service, line);
    }
    return line;
  }
}

/** Whoever has waited longest takes the place over. */
function leave(line: Line): void {
  const next = line.waiting.shift();
  if (next === undefined) line.underWay -= 1;
  else next();
}
