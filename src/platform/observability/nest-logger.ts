import type { LoggerService } from '@nestjs/common';
import { type Logger, redact } from './logger.js';

type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace';

/** Nest's own lines and those of its `Logger` class, in the JSON log of the process. */
export function nestLogger(logger: Logger): LoggerService {
  const at =
    (level: Level) =>
    (message: unknown, ...rest: unknown[]): void => {
      // Nest passes the context last, and for errors the stack before it.
      const context = rest.at(-1);
      const stack = level === 'error' && rest.length > 1 ? rest[0] : undefined;
      const record = { context, ...(stack === undefined ? {} : { stack }), ...(message instanceof Error ? { err: message } : {}) };
      logger[level](record, textOf(message));
    };
  return { fatal: at('fatal'), error: at('error'), warn: at('warn'), log: at('info'), debug: at('debug'), verbose: at('trace') };
}

function textOf(message: unknown): string {
  if (message instanceof Error) return message.name;
  return String(redact(typeof message === 'string' ? message : JSON.stringify(message)));
}
