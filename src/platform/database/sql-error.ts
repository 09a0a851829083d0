import { QueryFailedError } from 'typeorm';

/** SQLSTATE of a failed query, or null when the error is none of PostgreSQL's. */
export const sqlState = (error: unknown): string | null => fieldOf(error, 'code');

/** The detail that PostgreSQL, or a function of ours that refuses, adds to an error; null when there is none. */
export const sqlDetail = (error: unknown): string | null => fieldOf(error, 'detail');

/** Name of the constraint that a failed query would have broken; null when it was none. */
export const sqlConstraint = (error: unknown): string | null => fieldOf(error, 'constraint');

/** What the driver said, which the library may have wrapped. */
export const driverErrorOf = (error: unknown): unknown => (error instanceof QueryFailedError ? error.driverError : error);

function fieldOf(error: unknown, name: 'code' | 'detail' | 'constraint'): string | null {
  const driverError = driverErrorOf(error);
  const value: unknown = typeof driverError === 'object' && driverError !== null ? Reflect.get(driverError, name) : null;
  return typeof value === 'string' ? value : null;
}
