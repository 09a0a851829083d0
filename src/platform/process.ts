import type { INestApplicationContext } from '@nestjs/common';
import { createLogger, type Logger } from './observability/logger.js';
import { reasonOf } from './reason.js';
import { Shutdown } from './shutdown/shutdown.js';

/** For what stops after the work itself: connections, files. */
const LAST_GRACE_MS = 3_000;

const ENDINGS = ['SIGTERM', 'SIGINT', 'disconnect'] as const;
const endAtOnce = (): never => process.exit(0);

/** "Try again" in sysexits. A supervisor takes an end by SIGTERM for one that was asked for, and starts nothing anew. */
const START_ANEW = 75;
let close = async (): Promise<void> => undefined;

/** Ends this process as SIGTERM does, with an exit code by which its supervisor starts it anew. */
export function endToStartAnew(): void {
  void close().then(() => process.exit(START_ANEW));
}

/**
 * Until `announceReady`: exits at once on SIGTERM, SIGINT or loss of the parent, for there is nothing to finish. Without a
 * handler, PID 1 of a container would ignore the signal.
 */
export function exitAtOnceUntilReady(): void {
  for (const event of ENDINGS) process.once(event, endAtOnce);
  if (process.send && !process.connected) endAtOnce();
}

/**
 * Ties a process to whoever started it: reports to a forking parent that it is ready,
 * and ends with it, so that no process outlives a parent that was killed. Asked to stop, it ends in time whatever hangs.
 */
export function announceReady(app: INestApplicationContext, details: Readonly<Record<string, unknown>>): void {
  app.enableShutdownHooks();
  close = () => app.close();
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
 * Handles what nothing else handled. A command Redis refused is logged and survived (Bull and ioredis leave their own
 * rejections unhandled). Anything else is logged, with secrets removed, and ends the process; Node would print the whole
 * error, and a refused login's error carries the password. So are warnings, which Node would write between the lines of the log.
 */
export function handleUncaughtErrors(logger: Logger): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => logger.warn(`${name}: ${message}`));
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
  // The last line there is, after those that the log still holds.
  process.once('exit', () => (process.stderr.isTTY ? console.error(line) : createLogger('fatal', process.stderr).fatal(line)));
  process.exit(1);
}
