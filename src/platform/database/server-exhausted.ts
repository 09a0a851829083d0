import { sqlState } from './sql-error.js';
import { SQL_STATE } from './sql-state.js';

const STATES: ReadonlySet<string | null> = new Set([SQL_STATE.diskFull, SQL_STATE.tooManyConnections, SQL_STATE.ioError]);

/**
 * Whether PostgreSQL has run out of disk or connections, which is no fault of the statement that it could not do. A want of memory
 * or an ended connection may be one.
 */
export const isServerExhausted = (error: unknown): boolean => STATES.has(sqlState(error));
