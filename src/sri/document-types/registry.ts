import { INVOICE } from './01-invoice/invoice.js';
import { DELIVERY_GUIDE } from './06-delivery-guide/delivery-guide.js';
import type { DocumentTypeDefinition } from './document.js';

/** Every document type the service issues. A new type is its folder and one line here. */
export const documentTypes: readonly DocumentTypeDefinition[] = [INVOICE, DELIVERY_GUIDE];

/** The type of an SRI document code (`codDoc`). */
export function documentType(code: string): DocumentTypeDefinition | undefined {
  return documentTypes.find((type) => type.code === code);
}
