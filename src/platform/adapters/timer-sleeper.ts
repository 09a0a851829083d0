import type { Sleeper } from '../../shared/ports.js';

/** Waits with the host's timers. A pending wait keeps the process alive until it ends or is aborted. */
export class TimerSleeper implements Sleeper {
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(asError(signal.reason));
        return;
      }
      const onAbort = (): void => {
        clearTimeout(timer);
        reject(asError(signal?.reason));
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      }, milliseconds);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('The wait was aborted');
}
