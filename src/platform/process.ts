import type { INestApplicationContext } from '@nestjs/common';
import { Shutdown } from './shutdown/shutdown.js';

/** For what stops behind the work itself: connections, files. */
const LAST_GRACE_MS = 3_000;

const ENDINGS = ['SIGTERM', 'SIGINT', 'disconnect'] as const;
const endAtOnce = (): never => process.exit(0);

/**
 * For the time until `announceReady`: told to stop, or left by whoever started it, a process that is starting has nothing
 * to finish. As the first process of a container it would not even hear.
 */
export function endWhileStarting(): void {
  for (const event of ENDINGS) process.once(event, endAtOnce);
  if (process.send && !process.connected) endAtOnce();
}

/**
 * Ties a process to whoever started it: tells a forking parent that it is ready,
 * and ends with it, so that no process outlives a parent that was killed. Told to stop, it ends in time whatever hangs.
 */
export function announceReady(app: INestApplicationContext, details: Readonly<Record<string, unknown>>): void {
  app.enableShutdownHooks();
  for (const event of ENDINGS) process.off(event, endAtOnce);
  app.get(Shutdown).timeIsUp.addEventListener('abort', () => {
    AbortSignal.timeout(LAST_GRACE_MS).addEventListener('abort', () => process.exit(1));
  });
  if (!process.send) return;
  process.send({ type: 'ready', ...details });
  process.once('disconnect', () => {
    void app.close().finally(() => process.exit(0));
  });
}

/** Reports a failed start in one readable line and ends the process. */
export function failToStart(error: unknown): never {
  const reason = error instanceof Error ? `Cannot start: ${error.message}` : 'Cannot start';
  // The last line there is, behind those that the log still holds.
  process.once('exit', () => console.error(reason));
  process.exit(1);
}
