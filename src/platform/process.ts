import type { INestApplicationContext } from '@nestjs/common';
import { createLogger, type Logger } from './observability/logger.js';
import { reasonOf } from './reason.js';
import { Shutdown } from './shutdown/shutdown.js';

/** For what stops behind the work itself: connections, files. */
const LAST_GRACE_MS = 3_000;

const ENDINGS = ['SIGTERM', 'SIGINT', 'disconnect'] as const;
const endAtOnce = (): never => process.exit(0);

/**
 * For the time until `announceReady`: told to stop, or left by whoever started it, a process that is starting has nothing
 * to finish. As the first process of a container it would not even hear.
 */
export function exitAtOnceUntilReady(): void {
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

/**
 * Failures that nobody handles. What Redis refuses is told and outlived: Bull and ioredis leave the refusals of commands of
 * their own (a connection named, a channel subscribed again) to nobody, and Redis may be lost at any moment. Anything else
 * ends the process, told by the log, which takes secrets out: Node itself would print what hangs on the error, and on that of
 * a refused login hangs the password.
 */
export function handleUncaughtErrors(logger: Logger): void {
  process.on('unhandledRejection', (reason) => {
    if (reason instanceof Error && reason.name === 'ReplyError') logger.warn({ err: reason }, 'Redis refused a command');
    else end(reason);
  });
  process.on('uncaughtException', end);

  function end(error: unknown): never {
    const last = logger.isLevelEnabled('fatal') ? logger : createLogger('fatal');
    last.fatal({ err: error }, 'a failure that nobody handled: the process ends');
    process.exit(1);
  }
}

/** Reports a failed start in one line and ends the process: in words to a person at a terminal, else in JSON as the log is. */
export function failToStart(error: unknown): never {
  const line = ['Cannot start', reasonOf(error)].filter(Boolean).join(': ');
  // The last line there is, behind those that the log still holds.
  process.once('exit', () => (process.stderr.isTTY ? console.error(line) : createLogger('fatal', process.stderr).fatal(line)));
  process.exit(1);
}
