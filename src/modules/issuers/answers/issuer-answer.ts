import { checkRuc } from '../../../sri/taxpayer-id.js';
import type { IssuerRecord } from '../issuers.responses.js';
import type { IssuerRow } from '../persistence/issuers.repository.js';

/** The issuer as callers see it, with what is doubtful about its RUC. */
export function issuerAnswer(row: IssuerRow): IssuerRecord {
  const { warning } = checkRuc(row.ruc);
  return { ...row, warnings: warning === undefined ? [] : [`ruc.${warning}`] };
}
