import { isNoConnection } from './no-connection.js';
import { SQL_STATE } from './sql-state.js';
import { sqlState } from './sql-error.js';

/** Of a connection that ended under a statement, and of a server that ended it. */
const CODES: ReadonlySet<string | null> = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', SQL_STATE.adminShutdown, SQL_STATE.crashShutdown]);
/** SQLSTATE class of connections. */
const CONNECTION = /^08/;
/** The driver reports this without a code. */
const ENDED = /^Connection terminated/;

/** Whether the connection ended under a statement, so that nobody knows whether it was done, or is done yet. */
export function isAnswerLost(error: unknown): boolean {
  if (isNoConnection(error)) return false;
  const state = sqlState(error);
  return CODES.has(state) || (state !== null && CONNECTION.test(state)) || (error instanceof Error && ENDED.test(error.message));
}
