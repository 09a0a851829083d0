import { OWN_SQL_STATE } from '../../../platform/database/own-sql-state.js';
import { sqlConstraint, sqlDetail, sqlState } from '../../../platform/database/sql-error.js';
import { SQL_STATE } from '../../../platform/database/sql-state.js';
import { DomainError } from '../../../shared/domain-error.js';
import type { ErrorCode } from '../../../shared/error-catalogue.js';
import { ConcurrentChangeError } from '../domain/concurrent-change.js';
import { duplicateKey } from './same-request.js';

/** Refusals of the issuing functions at their last look, and the error codes by which the caller learns of them. */
const REFUSALS: Readonly<Record<string, ErrorCode>> = {
  [OWN_SQL_STATE.sequenceExhausted]: 'SEQUENCE_EXHAUSTED',
  [OWN_SQL_STATE.issuerDisabled]: 'ISSUER_DISABLED',
  [OWN_SQL_STATE.certificateExpired]: 'CERTIFICATE_EXPIRED',
  [OWN_SQL_STATE.certificateMissing]: 'CERTIFICATE_NOT_FOUND',
};

/** Ids of a body that the database holds against what the tenant has. */
const REFERENCES = ['issuer_id', 'establishment_id', 'emission_point_id', 'modified_document_id'] as const;

/** The refusal of an id that the tenant has not, by the field of the body that names it. */
export const unknownId = (field: (typeof REFERENCES)[number]): DomainError => new DomainError('NOT_FOUND', { field });

/** The refusal of an administrator of the platform: of a closed tenant everybody else is refused before. */
export const tenantClosed = (): DomainError => new DomainError('FORBIDDEN', { reason: 'tenant_closed' });

/** What the database refused, in the caller's terms; any other error as it is. */
export function refusalOf(error: unknown): unknown {
  const state = sqlState(error);
  switch (state) {
    case OWN_SQL_STATE.emissionPointGone:
      return unknownId('emission_point_id');
    case OWN_SQL_STATE.tenantClosed:
      return tenantClosed();
    case OWN_SQL_STATE.keyTaken:
      return duplicateKey(sqlDetail(error));
    case OWN_SQL_STATE.originalNotAuthorized:
    case OWN_SQL_STATE.documentMoved:
      return new ConcurrentChangeError();
    case SQL_STATE.foreignKeyViolation: {
      // PostgreSQL names the constraint after its columns, that of the id last.
      const field = REFERENCES.find((name) => sqlConstraint(error)?.includes(`_${name}_fkey`));
      return field === undefined ? new DomainError('NOT_FOUND') : unknownId(field);
    }
    default: {
      const refusal = REFUSALS[state ?? ''];
      return refusal === undefined ? error : new DomainError(refusal);
    }
  }
}
