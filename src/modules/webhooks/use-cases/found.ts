import { DomainError } from '../../../shared/domain-error.js';

/** The found record; another tenant's and an unknown one are the same NOT_FOUND. */
export function found<T>(record: T | null): T {
  if (record === null) throw new DomainError('NOT_FOUND');
  return record;
}
