import { sqlState } from './sql-error.js';

const CODES: ReadonlySet<string | null> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/** The pool says so without a code. */
const POOL_IS_FULL = 'timeout exceeded when trying to connect';

/** Whether PostgreSQL was not asked at all, because no connection came about. */
export const isNoConnection = (error: unknown): boolean => CODES.has(sqlState(error)) || (error instanceof Error && error.message === POOL_IS_FULL);
