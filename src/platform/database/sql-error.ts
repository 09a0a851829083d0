import { QueryFailedError } from 'typeorm';

/** Those of PostgreSQL's SQLSTATEs that the service tells from others, by the names that PostgreSQL gives them. */
export const SQL_STATE = {
  featureNotSupported: '0A000',
  invalidParameterValue: '22023',
  foreignKeyViolation: '23503',
  uniqueViolation: '23505',
  invalidAuthorization: '28000',
  invalidPassword: '28P01',
  invalidCatalogName: '3D000',
  invalidSchemaName: '3F000',
  serializationFailure: '40001',
  deadlockDetected: '40P01',
  insufficientPrivilege: '42501',
  undefinedFunction: '42883',
  diskFull: '53100',
  tooManyConnections: '53300',
  lockNotAvailable: '55P03',
  queryCanceled: '57014',
  ioError: '58030',
} as const;

/** SQLSTATE of a failed query, or null when the error is none of PostgreSQL's. */
export const sqlState = (error: unknown): string | null => fieldOf(error, 'code');

/** What PostgreSQL, or a function of ours that refuses, tells besides; null when it tells nothing. */
export const sqlDetail = (error: unknown): string | null => fieldOf(error, 'detail');

/** Name of the constraint that a failed query would have broken; null when it was none. */
export const sqlConstraint = (error: unknown): string | null => fieldOf(error, 'constraint');

function fieldOf(error: unknown, name: 'code' | 'detail' | 'constraint'): string | null {
  const driverError: unknown = error instanceof QueryFailedError ? error.driverError : error;
  const value: unknown = typeof driverError === 'object' && driverError !== null ? Reflect.get(driverError, name) : null;
  return typeof value === 'string' ? value : null;
}
