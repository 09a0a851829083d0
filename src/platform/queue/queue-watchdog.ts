import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../config/settings.js';
import { CLOCK, type Clock, SLEEPER, type Sleeper } from '../../shared/ports.js';
import { endToStartAnew } from '../process.js';
import { IssuanceBell } from './issuance-bell.js';

/** Who takes jobs in this process. */
export interface Consumer {
  /** Jobs begun so far. */
  begun(): number;
  /** Could begin another one now. */
  hasRoom(): boolean;
}

/** Looks in one watch; a single odd moment proves nothing. */
const LOOKS = 6;

/**
 * Bull is known to go on adding jobs and to stop taking them, after Redis was
 * restarted or flushed under it (OptimalBits/bull 1873, 2417, 2609). A worker
 * that has room, sees jobs wait and begins none for WATCHDOG_SECONDS ends itself
 * with a clear word, so that its supervisor starts it anew.
 */
@Injectable()
export class QueueWatchdog implements OnApplicationShutdown {
  private readonly log = new Logger(QueueWatchdog.name);
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly bell: IssuanceBell,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SLEEPER) private readonly sleeper: Sleeper,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Watches from now on until the process ends. */
  watch(consumer: Consumer): void {
    this.running = this.loop(consumer);
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  /** Ends this process in good order. */
  protected end(): void {
    endToStartAnew();
  }

  private async loop(consumer: Consumer): Promise<void> {
    const limitMs = this.settings.WATCHDOG_SECONDS * 1_000;
    let begun = consumer.begun();
    let idleSince: number | null = null;
    while (await this.pause(limitMs / LOOKS)) {
      const idle = consumer.begun() === begun && consumer.hasRoom() && (await this.jobsWait());
      begun = consumer.begun();
      const now = this.clock.now().getTime();
      if (!idle) {
        idleSince = null;
        continue;
      }
      idleSince ??= now;
      if (now - idleSince < limitMs) continue;
      this.log.error(`jobs wait in the queue and this worker has taken none for ${this.settings.WATCHDOG_SECONDS} s: it ends, to be started anew`);
      this.end();
      return;
    }
  }

  private async jobsWait(): Promise<boolean> {
    try {
      // From a Redis that only reads none can be taken.
      return (await this.bell.waitingJobs()) > 0 && (await this.bell.isReachable());
    } catch {
      // Redis is away: there is nothing to take, and a new process would find it no nearer.
      return false;
    }
  }

  /** @returns false when the process ends */
  private async pause(milliseconds: number): Promise<boolean> {
    try {
      await this.sleeper.sleep(milliseconds, this.stopping.signal);
      return true;
    } catch (error) {
      if (!this.stopping.signal.aborted) throw error;
      return false;
    }
  }
}
