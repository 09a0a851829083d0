import { DomainError } from '../../../shared/domain-error.js';
import { defineRules, finding } from '../../../sri/document-types/rules/rule.js';
import type { ActionSubject } from './actions.js';
import { type NamingField, originalNotStanding } from './credit-note.js';
import type { DocumentStatus } from './lifecycle.js';
import type { RequestedSupport } from './withheld-before.js';

const RULES = defineRules({
  'support.own_document': {
    es: 'De los documentos del propio emisor solo una liquidación de compra (03) sustenta una retención: la factura la emite el proveedor',
    en: "Of the issuer's own documents only a purchase settlement (03) supports a withholding: the invoice is the supplier's",
    reference: 'Ficha técnica 2.32, anexo del comprobante de retención',
  },
});

/**
 * States in which a document has no legal effect and cannot gain any by itself. One on its way to the SRI is not among them: it
 * may already be debited or carried. One given up that the SRI shows with other bytes is among them: what stands there is another.
 */
const CANNOT_BE_BUILT_ON: readonly DocumentStatus[] = ['DRAFT', 'VALIDATED', 'REJECTED', 'FAILED_PERMANENT', 'CANCELLED'];

/**
 * Refuses a reference to one of the issuer's own documents that cannot support this one: a debit note, guide or withholding for
 * a document in `CANNOT_BE_BUILT_ON` (the SRI would authorize it, with warning 68 at most), and a withholding on the issuer's own
 * sale.
 * @throws DomainError INVALID_STATE or FISCAL_RULE_VIOLATED
 */
export function refuseUnfit(documentType: string, original: ActionSubject & { readonly documentType: string }, field: NamingField): void {
  if (CANNOT_BE_BUILT_ON.includes(original.status)) throw originalNotStanding(original, field);
  if (documentType === '07' && original.documentType !== '03') {
    throw new DomainError('FISCAL_RULE_VIOLATED', [finding(RULES['support.own_document'], `/${field}`, '03', original.documentType)]);
  }
}

/** A purchase settlement (03) of the issuer's own. */
export interface OwnSettlement extends ActionSubject {
  readonly documentType: string;
  /** `001-002-000000003`. */
  readonly number: string;
  readonly accessKey: string;
}

/**
 * Refuses a withholding that names by number a purchase settlement of the issuer's own which cannot support it. One with another
 * authorization number than that settlement's access key is another document: on paper, or of a former system.
 * @param supports    the purchase settlements that the withholding names
 * @param settlements those of the issuer's own that have these numbers
 * @throws DomainError INVALID_STATE
 */
export function refuseUnfitSettlements(supports: readonly RequestedSupport[], settlements: readonly OwnSettlement[]): void {
  for (const { field, number, authorizationNumber } of supports) {
    const own = settlements.find((one) => one.number === number && (authorizationNumber ?? one.accessKey) === one.accessKey);
    if (own !== undefined) refuseUnfit('07', own, field);
  }
}
