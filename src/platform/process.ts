import type { INestApplicationContext } from '@nestjs/common';

/**
 * Ties a process to whoever started it: tells a forking parent that it is ready,
 * and ends with it, so that no process outlives a parent that was killed.
 */
export function announceReady(app: INestApplicationContext, details: Readonly<Record<string, unknown>>): void {
  app.enableShutdownHooks();
  if (!process.send) return;
  process.send({ type: 'ready', ...details });
  process.once('disconnect', () => {
    void app.close().finally(() => process.exit(0));
  });
}

/** Reports a failed start in one readable line and ends the process. */
export function failToStart(error: unknown): never {
  console.error(error instanceof Error ? `Cannot start: ${error.message}` : 'Cannot start');
  process.exit(1);
}
