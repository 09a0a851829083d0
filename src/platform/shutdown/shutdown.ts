import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../config/settings.js';

/**
 * How long a stopping process may take. All parts begin to stop at once, in `onModuleDestroy`, where none waits; they
 * wait for what they hold in `beforeApplicationShutdown`, and give up what is left when time is up.
 */
@Injectable()
export class Shutdown implements OnModuleDestroy {
  private readonly over = new AbortController();
  /** Called when time is up, besides those who listen to the signal: as many as there is work under way. */
  private readonly waiting = new Set<() => void>();
  private limit: AbortSignal | null = null;

  constructor(@Inject(SETTINGS) private readonly settings: Pick<Settings, 'SHUTDOWN_SECONDS'>) {}

  /** True from the moment in which the process was asked to stop. */
  get isStopping(): boolean {
    return this.limit !== null;
  }

  /** Aborted when a stopping process may take no longer. */
  get timeIsUp(): AbortSignal {
    return this.over.signal;
  }

  onModuleDestroy(): void {
    this.limit ??= AbortSignal.timeout(this.settings.SHUTDOWN_SECONDS * 1_000);
    this.limit.addEventListener('abort', () => this.end(), { once: true });
  }

  /** Waits for the work, but no longer than there is time. */
  async within(work: Promise<unknown>): Promise<void> {
    if (this.timeIsUp.aborted) return;
    let stop = (): void => undefined;
    const over = new Promise<void>((resolve) => (stop = resolve));
    this.waiting.add(stop);
    try {
      await Promise.race([work, over]);
    } finally {
      this.waiting.delete(stop);
    }
  }

  private end(): void {
    this.over.abort();
    for (const stop of this.waiting) stop();
  }
}
