import { DomainError } from '../../../shared/domain-error.js';
import { checkRuc } from '../../../sri/taxpayer-id.js';
import type { IssuerRecord } from '../issuers.responses.js';
import type { IssuerRow } from '../persistence/issuers.repository.js';

/** The issuer as callers see it, with what is doubtful about its RUC. */
export function issuerAnswer(row: IssuerRow): IssuerRecord {
  const { warning } = checkRuc(row.ruc);
  return { ...row, warnings: warning === undefined ? [] : [`ruc.${warning}`] };
}

/** The found record; another tenant's and an unknown one are the same NOT_FOUND. */
export function found<T>(record: T | null): T {
  if (record === null) throw new DomainError('NOT_FOUND');
  return record;
}
