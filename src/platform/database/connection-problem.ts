import { SettingsError } from '../../config/settings.js';
import { reasonOf } from '../reason.js';
import { sqlState } from './sql-error.js';

/** What to do where PostgreSQL names no remedy. */
const HINTS: Readonly<Record<string, string>> = {
  // insufficient_privilege
  '42501': '; the login must be allowed to connect, and a member of the role sello_app',
  // invalid_parameter_value: the role that each connection takes is not there
  '22023': '; run the migrate command first (npm run migrate)',
};

/** No such function, no such schema. */
const NOT_MIGRATED = new Set(['42883', '3F000']);

/** Why the service does not come to its database; neither PostgreSQL nor the driver repeats a password. */
export function connectionProblem(error: unknown): SettingsError {
  return new SettingsError(`DATABASE_URL: ${reasonOf(error) || 'no connection'}${HINTS[sqlState(error) ?? ''] ?? ''}`, { cause: error });
}

/** A login that PostgreSQL refuses, and a database that it does not have, it has no more a second later. */
const REFUSED = new Set(['28P01', '28000', '3D000', '42501']);

/** Whether what `connectionProblem` told of may pass by itself, as a server that is still starting does. */
export function isWorthRetrying(problem: Error): boolean {
  return !REFUSED.has(sqlState(problem.cause) ?? '');
}

/** What a database lacks that was not migrated; null for any other error. */
export function migrationProblem(error: unknown): SettingsError | null {
  if (!NOT_MIGRATED.has(sqlState(error) ?? '')) return null;
  return new SettingsError('DATABASE_URL: the database lacks what this version needs: run the migrate command first (npm run migrate)', { cause: error });
}
