import { fileURLToPath } from 'node:url';
import { withBuyerCode, withFinalConsumer, withLineCodes, withLineTaxes, withPayments } from '../completion.js';
import type { DocumentContent, DocumentTypeDefinition, IssuerSnapshot, Normalised } from '../document.js';
import { INVOICE_EXAMPLES } from './examples.js';
import { checkInvoice } from './rules.js';
import { buildInvoice, INVOICE_POINTERS, ROOT, VERSION } from './xml.js';

const SCHEMA = fileURLToPath(new URL('./invoice-1.1.0.xsd', import.meta.url));

function normaliseInvoice(content: DocumentContent, issuer: IssuerSnapshot): Normalised {
  return withPayments(withLineTaxes(withLineCodes(withFinalConsumer(withBuyerCode(content)))), issuer);
}

/** Invoice (factura, 01). */
export const INVOICE: DocumentTypeDefinition = {
  code: '01',
  rootElement: ROOT,
  version: () => VERSION,
  normalise: normaliseInvoice,
  check: checkInvoice,
  buildXml: buildInvoice,
  schemaFile: () => SCHEMA,
  schemaPointers: INVOICE_POINTERS,
  examples: INVOICE_EXAMPLES,
};
