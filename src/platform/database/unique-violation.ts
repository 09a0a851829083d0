import { sqlState } from './sql-error.js';
import { SQL_STATE } from './sql-state.js';
import { DomainError } from '../../shared/domain-error.js';

/** Runs an insert; a row that exists already becomes ALREADY_EXISTS naming the field. */
export async function refuseDuplicates<T>(field: string, insert: () => Promise<T>): Promise<T> {
  try {
    return await insert();
  } catch (error) {
    if (sqlState(error) === SQL_STATE.uniqueViolation) throw new DomainError('ALREADY_EXISTS', { field });
    throw error;
  }
}
