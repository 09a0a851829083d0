import { OWN_SQL_STATE } from '../../../platform/database/own-sql-state.js';
import { sqlDetail, sqlState } from '../../../platform/database/sql-error.js';
import { DomainError } from '../../../shared/domain-error.js';
import { defineRules, finding } from '../../../sri/document-types/rules/rule.js';
import { notAllowed } from '../domain/actions.js';
import { ConcurrentChangeError } from '../domain/concurrent-change.js';
import { creditExceeded } from '../domain/credit-note.js';
import { type DocumentsRepository, type LoadedDocument, StaleDocumentError } from './documents.repository.js';

/** What the database refused of an action under its locks, in the caller's terms; any other error as it is. */
export async function actionRefusal(error: unknown, { state, content }: LoadedDocument, documents: DocumentsRepository): Promise<unknown> {
  if (error instanceof StaleDocumentError) return new ConcurrentChangeError(notAllowed(state, undefined, 'IT_MOVES'));
  switch (sqlState(error)) {
    case OWN_SQL_STATE.originalNotAuthorized:
      return notAllowed(state, 'retry', 'ORIGINAL_NOT_AUTHORIZED');
    case OWN_SQL_STATE.creditExceeded:
      return creditExceeded(sqlDetail(error), await documents.creditHolders(state.tenantId, content.modifiedDocumentId, state.id));
    case OWN_SQL_STATE.creditedCancellation:
      return new DomainError('FISCAL_RULE_VIOLATED', [finding(RULES['cancellation.credited'], '', null, sqlDetail(error))]);
    default:
      return error;
  }
}

const RULES = defineRules({
  'cancellation.credited': {
    es: 'El documento tiene las notas de crédito que `actual` nombra: anule primero cada una, o abandone la que el SRI no autorizó',
    en: 'The document has the credit notes that `actual` names: cancel each of them first, or abandon what the SRI did not authorize',
    reference: 'Res. NAC-DGERCGC25-00000014',
  },
});
