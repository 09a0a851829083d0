import { DomainError } from './domain-error.js';

/**
 * The record that was looked for; another tenant's and an unknown one are the same to the caller.
 * @throws DomainError NOT_FOUND when there is none
 */
export function found<T>(record: T | null | undefined): T {
  if (record === null || record === undefined) throw new DomainError('NOT_FOUND');
  return record;
}
