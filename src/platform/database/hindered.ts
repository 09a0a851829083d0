import { isNoConnection } from './no-connection.js';
import { sqlState } from './sql-error.js';
import { SQL_STATE } from './sql-state.js';

const STATES: ReadonlySet<string | null> = new Set([
  SQL_STATE.diskFull, SQL_STATE.tooManyConnections, SQL_STATE.ioError,
  SQL_STATE.lockNotAvailable, SQL_STATE.deadlockDetected, SQL_STATE.serializationFailure,
  SQL_STATE.adminShutdown, SQL_STATE.crashShutdown, SQL_STATE.cannotConnectNow, SQL_STATE.readOnlySqlTransaction,
]);

/**
 * Whether PostgreSQL could not do a statement for what is no fault of it: it has run out of disk or connections, somebody else held
 * a lock for too long, it is shut down or started, it only reads, or there was no connection to ask by. A want of memory, of time or
 * a connection that ended under the statement may be one.
 */
export const isHindered = (error: unknown): boolean => STATES.has(sqlState(error)) || isNoConnection(error);
