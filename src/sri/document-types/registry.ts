import { INVOICE } from './01-invoice/invoice.js';
import { PURCHASE_SETTLEMENT } from './03-purchase-settlement/purchase-settlement.js';
import { CREDIT_NOTE } from './04-credit-note/credit-note.js';
import { DEBIT_NOTE } from './05-debit-note/debit-note.js';
import { DELIVERY_GUIDE } from './06-delivery-guide/delivery-guide.js';
import { WITHHOLDING } from './07-withholding/withholding.js';
import type { DocumentTypeDefinition } from './document-type.js';

/** Every document type the service issues. CONTRIBUTING.md says what a new one needs besides its line here. */
export const documentTypes: readonly DocumentTypeDefinition[] = [
  INVOICE,
  PURCHASE_SETTLEMENT,
  CREDIT_NOTE,
  DEBIT_NOTE,
  DELIVERY_GUIDE,
  WITHHOLDING,
];

/** Their SRI codes (`codDoc`). */
export const DOCUMENT_TYPE_CODES = documentTypes.map(({ code }) => code);

/** The type of an SRI document code (`codDoc`). */
export function documentType(code: string): DocumentTypeDefinition | undefined {
  return documentTypes.find((type) => type.code === code);
}
