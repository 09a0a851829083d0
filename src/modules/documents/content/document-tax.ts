import type { Camelized } from '../../../platform/http/camelize.js';
import type { DocumentTax } from '../../../sri/document-types/content.js';
import type { DocumentTaxDto } from '../documents.line.dto.js';

/** One tax entry of a body as content. */
export function toTax(tax: Camelized<DocumentTaxDto>): DocumentTax {
  return {
    taxCode: tax.taxCode,
    taxRateCode: tax.taxRateCode,
    taxableBase: tax.taxableBase,
    rate: tax.rate,
    taxAmount: tax.taxAmount,
    tariff: tax.tariff ?? null,
  };
}
