import { sqlState } from './sql-error.js';

/** disk_full, too_many_connections, io_error */
const STATES: ReadonlySet<string | null> = new Set(['53100', '53300', '58030']);

/**
 * Whether PostgreSQL could not do a statement for want of what any other would have wanted too: it lies with nothing that was
 * asked of it. Not so memory, and connections that end, which one statement may bring about.
 */
export const isWantOfServer = (error: unknown): boolean => STATES.has(sqlState(error));
