import { DomainError } from '../../../shared/domain-error.js';
import { defineRules, finding } from '../../../sri/document-types/rules/rule.js';
import type { ActionSubject } from './actions.js';
import { type NamingField, originalNotStanding } from './credit-note.js';
import type { DocumentStatus } from './lifecycle.js';

const RULES = defineRules({
  'support.own_document': {
    es: 'De los documentos del propio emisor solo una liquidación de compra (03) sustenta una retención: la factura la emite el proveedor',
    en: "Of the issuer's own documents only a purchase settlement (03) supports a withholding: the invoice is the supplier's",
    reference: 'Ficha técnica 2.32, anexo del comprobante de retención',
  },
});

/**
 * States in which a document has no legal effect and cannot gain any by itself. One on its way to the SRI is not among them: it
 * may already be debited or carried.
 */
export const CAME_TO_NOTHING: readonly DocumentStatus[] = ['DRAFT', 'VALIDATED', 'REJECTED', 'FAILED_PERMANENT', 'CANCELLED'];

/**
 * Refuses a reference to one of the issuer's own documents that cannot support this one: a debit note, guide or withholding for
 * a document in `CAME_TO_NOTHING` (the SRI would authorize it, with warning 68 at most), and a withholding on the issuer's own
 * sale.
 * @throws DomainError INVALID_STATE or FISCAL_RULE_VIOLATED
 */
export function refuseUnfit(documentType: string, original: ActionSubject & { readonly documentType: string }, field: NamingField): void {
  if (CAME_TO_NOTHING.includes(original.status)) throw originalNotStanding(original, field);
  if (documentType === '07' && original.documentType !== '03') {
    throw new DomainError('FISCAL_RULE_VIOLATED', [finding(RULES['support.own_document'], `/${field}`, '03', original.documentType)]);
  }
}
