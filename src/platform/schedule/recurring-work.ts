import { Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Sleeper } from '../../shared/ports.js';

/**
 * Work that a process does again and again as long as it runs. Every worker process does it, so it must be harmless
 * at once and twice: PostgreSQL keeps what is done.
 */
export abstract class RecurringWork implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();

  protected constructor(
    private readonly intervalMs: number,
    private readonly sleeper: Sleeper,
  ) {}

  /** Does what there is to do now. */
  protected abstract work(stopping: AbortSignal): Promise<void>;

  onApplicationBootstrap(): void {
    this.running = this.loop();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  /**
   * Works through what there is in parts of this size, far below what one statement has time for.
   * @param part does up to so many, and answers how many they were
   */
  protected async inParts(size: number, stopping: AbortSignal, part: (limit: number) => Promise<number>): Promise<void> {
    let done = size;
    while (done === size && !stopping.aborted) done = await part(size);
  }

  private async loop(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        await this.work(signal);
      } catch (error) {
        // What was left undone is done the next time.
        new Logger(this.constructor.name).warn(`stopped short: ${(error as Error).message}`);
      }
      await this.sleeper.sleep(this.intervalMs, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    }
  }
}
