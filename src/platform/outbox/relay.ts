import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../config/settings.js';
import { CLOCK, type Clock, SLEEPER, type Sleeper } from '../../shared/ports.js';
import { KillPoints } from '../faults/kill-points.js';
import { IssuanceBell } from '../queue/issuance-bell.js';
import { type Announcement, DueWork } from './due-work.js';
import { StepGates } from './step-gates.js';

const BATCH = 500;
const PAUSE_AFTER_FAILURE_MS = 1_000;
/** While a step is held up, a look that finds nothing walks past all that waits, tenant by tenant: it takes a tenth of the time at most. */
const REST_AFTER_NOTHING = 9;
/** Why a wait ends early; one for all, for a reason made by `abort` itself is costly. */
const NUDGED = new Error('there may be due work');

/** Who takes documents in this process, with or without a bell. */
export interface DirectWorker {
  /** How many documents should be handed over now; 0 while there is enough in hand. */
  free(): number;
  /** Begins with a document and does not wait for its end. */
  begin(document: Announcement): void;
}

const NOBODY: DirectWorker = { free: () => 0, begin: () => undefined };

/**
 * Walks due work and rings the bell for it: later steps whose time has come, and
 * as sweeper whatever an earlier bell did not bring to a worker. Runs in every
 * worker process; row locks keep them from announcing the same row twice. What
 * Redis does not take, this worker begins with itself (ADR 020).
 */
@Injectable()
export class OutboxRelay implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger(OutboxRelay.name);
  private readonly stopping = new AbortController();
  private wake = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private fallback: DirectWorker = NOBODY;

  constructor(
    private readonly work: DueWork,
    private readonly bell: IssuanceBell,
    private readonly gates: StepGates,
    private readonly killPoints: KillPoints,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SLEEPER) private readonly sleeper: Sleeper,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  onApplicationBootstrap(): void {
    this.running = this.loop();
  }

  /** Who takes what the bell does not bring to anybody. */
  fallBackTo(worker: DirectWorker): void {
    this.fallback = worker;
  }

  /** There may be due work: look now instead of at the next tick. */
  nudge(): void {
    this.wake.abort(NUDGED);
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    this.wake.abort();
    await this.running;
  }

  private async loop(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      this.wake = new AbortController();
      let pause = this.settings.RELAY_INTERVAL_MS;
      try {
        const room = await this.room();
        const [capacity, lookedAt] = [this.gates.stepCapacity(), this.clock.now()];
        const due = room > 0 ? await this.work.announce(lookedAt, this.settings.RELAY_PATIENCE_SECONDS * 1_000, room, capacity) : [];
        // A nudge that comes meanwhile is heeded afterwards.
        if (due.length === 0 && capacity.size > 0) await this.wait(REST_AFTER_NOTHING * (this.clock.now().getTime() - lookedAt.getTime()), this.stopping.signal);
        if (due.length > 0) await this.killPoints.pass('before-relay');
        await this.handOver(due);
        if (due.length > 0) await this.killPoints.pass('after-queue-add');
        if (due.length === BATCH) continue;
      } catch (error) {
        // PostgreSQL is away: the rows stay due and are announced again.
        this.log.warn(`relay pauses: ${(error as Error).message}`);
        pause = PAUSE_AFTER_FAILURE_MS;
      }
      await this.pause(pause);
    }
  }

  /** How many documents to look for. A short queue keeps a backlog in PostgreSQL, where tenants take turns, and lets fresh documents through. */
  private async room(): Promise<number> {
    try {
      return Math.min(BATCH, await this.bell.roomToRefill());
    } catch {
      // The bell has logged why.
      return Math.min(BATCH, this.fallback.free());
    }
  }

  private async handOver(due: readonly Announcement[]): Promise<void> {
    if (due.length === 0) return;
    try {
      await this.bell.ring(due);
    } catch {
      // The bell has logged why.
      const taken = this.fallback.free();
      for (const document of due.slice(0, taken)) this.fallback.begin(document);
      await this.work.leaveToRelay(due.slice(taken));
    }
  }

  private async pause(milliseconds: number): Promise<void> {
    if (!this.stopping.signal.aborted) await this.wait(milliseconds, this.wake.signal);
  }

  private async wait(milliseconds: number, ends: AbortSignal): Promise<void> {
    try {
      await this.sleeper.sleep(milliseconds, ends);
    } catch (error) {
      if (!ends.aborted) throw error;
    }
  }
}
