import { sqlState } from './sql-error.js';

const CODES: ReadonlySet<string | null> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/** Pool and driver say so without a code: no connection was free, or one did not come about in time. */
const TEXTS: ReadonlySet<string> = new Set(['timeout exceeded when trying to connect', 'Connection terminated due to connection timeout']);

/** Whether PostgreSQL was not asked at all, because no connection came about. */
export const isNoConnection = (error: unknown): boolean =>
  CODES.has(sqlState(error)) || (error instanceof Error && (TEXTS.has(error.message) || (error as NodeJS.ErrnoException).syscall === 'connect'));
