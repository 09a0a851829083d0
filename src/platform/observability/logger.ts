import { type DestinationStream, type Logger, pino } from 'pino';
import { traceFields } from '../tracing/spans.js';
import { logFields } from './log-context.js';

export type { Logger } from 'pino';

export const LOGGER = Symbol('Logger');

/** Names whose values never reach the log, at any depth, whatever their writing, English or Spanish. A `clave_acceso` is an access key, which is printed on documents. */
const SECRET_NAME = /contrase|clave(?!s?[-_ ]?(?:de[-_ ]?)?acceso)|passw|pass(?:phrase|code)|(?:^|[-_]|user|smtp|db|mail)pass$|pwd|api[-_]?key$|^authorization$|cookie|secret|token$|^p12$|^file$|file_?base64|private_?key|master_?key|sealed|^key$|pkcs8/i;

/** True for the name of what may be a secret, also in a writing of the caller's own. */
export const isSecretName = (name: string): boolean => SECRET_NAME.test(name);

const MAX_DEPTH = 8;
const REDACTED = '[redacted]';

/** Service keys, webhook secrets and bearer credentials inside free text. */
const SECRET_TEXT = /svc_(?:live|test)_[0-9A-Za-z]+|whsec_[0-9A-Za-z+/=]+|Bearer\s+[^\s"]+/g;

/** A copy of a log record without secrets: by name at any depth, and by shape inside texts. */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return value.replace(SECRET_TEXT, REDACTED);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '[deep]';
  if (value instanceof Date) return value;
  if (Buffer.isBuffer(value) || value instanceof Uint8Array) return `[${value.length} bytes]`;
  if (Array.isArray(value)) return value.slice(0, 100).map((item) => redact(item, depth + 1));
  if (value instanceof Error) return redactError(value, depth);
  const clean: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value)) {
    clean[name] = isSecretName(name) ? REDACTED : redact(inner, depth + 1);
  }
  return clean;
}

/**
 * What an error says without what it carries: drivers hang statements and their
 * parameters on errors, and those may hold a caller's data.
 */
function redactError(error: Error, depth: number): Record<string, unknown> {
  const code: unknown = 'code' in error ? error.code : undefined;
  return {
    type: error.name,
    message: redact(error.message),
    ...(typeof code === 'string' ? { code } : {}),
    stack: redact(error.stack),
    ...(error.cause === undefined ? {} : { cause: redact(error.cause, depth + 1) }),
  };
}

/** The JSON log of a process: one line per record, secrets taken out. */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const settings = {
    level,
    base: { service: 'sello', pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    messageKey: 'message',
    mixin: () => ({ ...logFields(), ...traceFields() }),
    // Errors are made plain by `redact`; pino's own serializer would put their first form back.
    serializers: { err: (error: unknown) => error },
    formatters: {
      level: (label: string) => ({ level: label }),
      log: (record: Record<string, unknown>) => redact(record) as Record<string, unknown>,
    },
  };
  return destination === undefined ? pino(settings) : pino(settings, destination);
}
