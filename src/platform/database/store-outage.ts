import { isAnswerLost } from './answer-lost.js';
import { isNoConnection } from './no-connection.js';
import { sqlState } from './sql-error.js';

/**
 * SQLSTATE classes of a database that cannot serve now: 53 resources (too many connections, disk full),
 * 57 operator's intervention (shutdown, start-up, statement cancelled), 58 system; 25006 read-only (a failed-over
 * primary), 25P03 idle in a transaction for too long, 55P03 lock not available, 40001 and 40P01 conflicts that retries did not settle.
 */
const OUTAGE_STATE = /^(?:53|57|58)[0-9A-Z]{3}$|^(?:25006|25P03|55P03|40001|40P01)$/;

/** The driver and its pool report these without a code. */
const OUTAGE_TEXT = /^(?:Client has encountered a connection error|Cannot use a pool after)/;

/** True when the database could not be reached or could not store. */
export function isStoreOutage(error: unknown): boolean {
  if (isNoConnection(error) || isAnswerLost(error)) return true;
  const state = sqlState(error);
  if (state !== null && OUTAGE_STATE.test(state)) return true;
  return error instanceof Error && OUTAGE_TEXT.test(error.message);
}
