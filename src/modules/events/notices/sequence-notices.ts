import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../../config/settings.js';
import { CLOCK, type Clock, SLEEPER, type Sleeper } from '../../../shared/ports.js';
import { NoticesRepository } from '../persistence/notices.repository.js';

/** Numbers left, each told once. */
const THRESHOLDS = [1_000_000, 100_000, 10_000, 1_000] as const;

/** Looks every few minutes for counters that run low. Several workers may: what was told is told once. */
@Injectable()
export class SequenceNotices implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger(SequenceNotices.name);
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly notices: NoticesRepository,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SLEEPER) private readonly sleeper: Sleeper,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  onApplicationBootstrap(): void {
    this.running = this.loop();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async loop(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      try {
        await this.notices.noticeLowSequences(THRESHOLDS, this.clock.now());
      } catch (error) {
        // PostgreSQL is away: what ran low is told at the next look.
        this.log.warn(`counters were not looked at: ${(error as Error).message}`);
      }
      await this.sleeper.sleep(this.settings.NOTICE_INTERVAL_SECONDS * 1_000, this.stopping.signal).catch((error: unknown) => {
        if (!this.stopping.signal.aborted) throw error;
      });
    }
  }
}
