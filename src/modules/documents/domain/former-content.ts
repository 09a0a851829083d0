import type { Finding } from '../../../shared/finding.js';
import { defineRules, finding } from '../../../sri/document-types/rules/rule.js';

const RULES = defineRules({
  'authorization.former_content': {
    severity: 'warning',
    es: 'El SRI autorizó la versión anterior a la corrección, y el documento vuelve a ser esa versión: si no es la debida, anúlela o emita una nota de crédito',
    en: 'The SRI authorized the version from before the correction, and the document is that version again: if it is not the right one, have it annulled or issue a credit note',
    reference: 'Ficha técnica 2.32, sección 5.11',
  },
});

/** Stands on the record of a document that the SRI authorized as it was before its correction. */
export const FORMER_CONTENT_AUTHORIZED: Finding = finding(RULES['authorization.former_content'], '');
