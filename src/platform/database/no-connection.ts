import { driverErrorOf, sqlState } from './sql-error.js';

const CODES: ReadonlySet<string | null> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/** Pool and driver say so without a code: no connection was free, or one did not come about in time. */
const TEXTS: ReadonlySet<string> = new Set(['timeout exceeded when trying to connect', 'Connection terminated due to connection timeout']);

/** What connections failed to come about by. */
const noted = new WeakSet();

/** Keeps in mind that a connection did not come about for this, which by itself may say anything: a login refused, a certificate run out. */
export function noteNoConnection(error: unknown): void {
  if (typeof error === 'object' && error !== null) noted.add(error);
}

/** Whether PostgreSQL was not asked at all, because no connection came about. */
export function isNoConnection(error: unknown): boolean {
  const cause = driverErrorOf(error);
  if (typeof cause === 'object' && cause !== null && noted.has(cause)) return true;
  return CODES.has(sqlState(error)) || (error instanceof Error && (TEXTS.has(error.message) || (error as NodeJS.ErrnoException).syscall === 'connect'));
}
