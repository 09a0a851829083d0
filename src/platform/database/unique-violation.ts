import { sqlState } from './sql-error.js';
import { DomainError } from '../../shared/domain-error.js';

const UNIQUE_VIOLATION = '23505';

/** Runs an insert; a row that exists already becomes ALREADY_EXISTS naming the field. */
export async function refuseDuplicates<T>(field: string, insert: () => Promise<T>): Promise<T> {
  try {
    return await insert();
  } catch (error) {
    if (sqlState(error) === UNIQUE_VIOLATION) throw new DomainError('ALREADY_EXISTS', { field });
    throw error;
  }
}
