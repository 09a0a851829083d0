import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../../config/settings.js';
import { type StepGate, StepGates } from '../../../platform/outbox/step-gates.js';
import { Shutdown } from '../../../platform/shutdown/shutdown.js';
import { CLOCK, type Clock, SLEEPER, type Sleeper } from '../../../shared/ports.js';
import type { SriService } from '../../../sri/soap/classification.js';
import { type Admission, SERVICE_OF, SriBreaker } from './sri-breaker.js';

/** Reception, authorization and consultation: what a worker handles is divided among them. */
const SERVICES = 3;
const FEWEST_CALLS = 8;
/** The SRI has reset connections where many were opened. */
const MOST_CALLS = 32;
/** A call waits so long for one of the same service to end, or its worker could do nothing else while a service is slow. */
const PATIENCE_MS = 500;
/** A few of those that were announced wait longer: whoever is put off comes after all others that are due. */
const PATIENCE_IN_TURN_MS = 5_000;
/** How many of them, as a share of the places. */
const SHARE_IN_TURN = 0.25;
const PAUSE_MS = 500;
/** A service counts as crowded for so long after a call waited in vain. */
const CROWDED_FOR_MS = 5_000;

/** Calls of one service that a worker of this concurrency has under way at most, and so its connections. */
export const callsAtOnce = (concurrency: number): number => Math.min(MOST_CALLS, Math.max(FEWEST_CALLS, Math.ceil(concurrency / SERVICES)));

/**
 * In the order in which they are called: another call of a step that has called already, a step that the relay announced, and one
 * that follows its signature at once. Without an order, documents that have just come would take the places of those put off.
 */
const TURNS = ['next', 'announced', 'fresh'] as const;
type Turn = (typeof TURNS)[number];

/** For whom a call is made. */
interface Caller {
  /** Of the document; one from before the service came back has waited for it. */
  readonly acceptedAt?: Date;
  readonly turn?: Turn;
}

interface Waiting {
  readonly turn: Turn;
  readonly call: () => void;
}

interface Line {
  underWay: number;
  /** In the order of their turns. */
  readonly waiting: Waiting[];
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
  private readonly patienceInTurnMs: number;

  constructor(
    private readonly breaker: SriBreaker,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SLEEPER) private readonly sleeper: Sleeper,
    @Inject(SETTINGS) { WORKER_CONCURRENCY, LEASE_SECONDS, SRI_TIMEOUT_SECONDS }: Pick<Settings, 'WORKER_CONCURRENCY' | 'LEASE_SECONDS' | 'SRI_TIMEOUT_SECONDS'>,
    private readonly shutdown: Shutdown,
    gates: StepGates,
  ) {
    this.most = callsAtOnce(WORKER_CONCURRENCY);
    // The lease runs meanwhile, and is to hold the call.
    this.patienceInTurnMs = Math.min(PATIENCE_IN_TURN_MS, Math.max(PATIENCE_MS, (LEASE_SECONDS - SRI_TIMEOUT_SECONDS - 1) * 1_000));
    gates.register(this);
  }

  /** Asks whether the service may be called; where all its places are taken, it waits a moment for a call to end. */
  async acquire(service: SriService, { acceptedAt, turn = 'announced' }: Caller = {}): Promise<Admission> {
    const line = this.line(service);
    if (!(await this.enter(line, turn))) return this.crowded(PAUSE_MS);
    if (this.shutdown.isStopping) {
      leave(line);
      return this.crowded(0);
    }
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
      report: (answered, toldNothing) => {
        admission.report(answered, toldNothing);
        end();
      },
      release: () => {
        admission.release();
        end();
      },
    };
  }

  /** How many of a step the breaker lets begin; of a crowded service, no more than it has room for, or a few that take the next places. */
  stepCapacity(): ReadonlyMap<string, number> {
    const capacity = new Map<string, number>(this.breaker.stepCapacity());
    const now = this.clock.now();
    for (const [step, service] of Object.entries(SERVICE_OF)) {
      const line = this.lines.get(service);
      if (!line?.crowdedUntil || line.crowdedUntil <= now) continue;
      const room = Math.max(this.most - line.underWay, this.roomInTurn(line));
      capacity.set(step, Math.min(capacity.get(step) ?? room, room));
    }
    return capacity;
  }

  /** Since when the breaker lets a step begin: a service that is slow holds nothing up, it is we who call it too seldom. */
  openSince(step: string): Date | null | undefined {
    return this.breaker.openSince(step);
  }

  /**
   * Takes a place, or waits for one; a step that goes on calling does so for as long as it takes: a call always ends.
   * @returns false when none was left in time
   */
  private async enter(line: Line, turn: Turn): Promise<boolean> {
    if (line.underWay < this.most) {
      line.underWay += 1;
      return true;
    }
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        turn,
        call: () => {
          resolve(true);
        },
      };
      const patienceMs = turn === 'announced' && this.roomInTurn(line) > 0 ? this.patienceInTurnMs : PATIENCE_MS;
      const behind = line.waiting.findIndex((other) => TURNS.indexOf(other.turn) > TURNS.indexOf(turn));
      line.waiting.splice(behind < 0 ? line.waiting.length : behind, 0, waiting);
      if (turn === 'next') return;
      this.sleeper.sleep(patienceMs).then(() => {
        const place = line.waiting.indexOf(waiting);
        if (place < 0) return;
        line.waiting.splice(place, 1);
        line.crowdedUntil = new Date(this.clock.now().getTime() + CROWDED_FOR_MS);
        resolve(false);
      }, reject);
    });
  }

  /** How many more of those that were announced may wait for the next places. */
  private roomInTurn(line: Line): number {
    return Math.ceil(this.most * SHARE_IN_TURN) - line.waiting.filter(({ turn }) => turn !== 'fresh').length;
  }

  private crowded(milliseconds: number): Admission {
    return { kind: 'wait', reason: 'crowded', until: new Date(this.clock.now().getTime() + milliseconds) };
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

/** Whoever's turn it is takes the place over. */
function leave(line: Line): void {
  const next = line.waiting.shift();
  if (next === undefined) line.underWay -= 1;
  else next.call();
}
