import { SettingsError } from '../../config/settings.js';
import { reasonOf } from '../reason.js';
import { sqlState } from './sql-error.js';
import { SQL_STATE } from './sql-state.js';

/** What to do where PostgreSQL names no remedy. */
const HINTS: Readonly<Record<string, string>> = {
  [SQL_STATE.insufficientPrivilege]: '; the login must be allowed to connect, and a member of the role sello_app',
  // The role that each connection takes is not there.
  [SQL_STATE.invalidParameterValue]: '; run the migrate command first (npm run migrate)',
};

const NOT_MIGRATED: ReadonlySet<string> = new Set([SQL_STATE.undefinedFunction, SQL_STATE.invalidSchemaName]);

/** Why the service does not come to its database; neither PostgreSQL nor the driver repeats a password. */
export function connectionProblem(error: unknown): SettingsError {
  return new SettingsError(`DATABASE_URL: ${reasonOf(error) || 'no connection'}${HINTS[sqlState(error) ?? ''] ?? ''}`, { cause: error });
}

/** A login that PostgreSQL refuses, and a database that it does not have, it has no more a second later. */
const REFUSED: ReadonlySet<string> = new Set([SQL_STATE.invalidPassword, SQL_STATE.invalidAuthorization, SQL_STATE.invalidCatalogName, SQL_STATE.insufficientPrivilege]);

/** Whether a problem from `connectionProblem` may pass by itself, as with a server that is still starting. */
export function isWorthRetrying(problem: Error): boolean {
  return !REFUSED.has(sqlState(problem.cause) ?? '');
}

/** Why a database is not served that a restore filled and left closed. */
export function unfinishedRestore(cause: unknown): SettingsError {
  return new SettingsError(
    'DATABASE_URL: a restore into this database is not finished: restore again into an empty one, or run npm run migrate and then npm run after-restore -- --skip N (docs/operating.md)', { cause });
}

/** What a database lacks that was not migrated; null for any other error. */
export function migrationProblem(error: unknown): SettingsError | null {
  if (!NOT_MIGRATED.has(sqlState(error) ?? '')) return null;
  return new SettingsError('DATABASE_URL: the database lacks what this version needs: run the migrate command first (npm run migrate)', { cause: error });
}
