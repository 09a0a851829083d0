import { sqlState } from './sql-error.js';

/** disk_full, too_many_connections, io_error */
const STATES: ReadonlySet<string | null> = new Set(['53100', '53300', '58030']);

/**
 * Whether PostgreSQL has run out of disk or connections, which is no fault of the statement that it could not do. A want of memory
 * or an ended connection may be one.
 */
export const isServerExhausted = (error: unknown): boolean => STATES.has(sqlState(error));
