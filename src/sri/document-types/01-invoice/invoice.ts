import { fileURLToPath } from 'node:url';
import { withBuyerCode, withFinalConsumer, withLineCodes, withLineTaxes, withPayments } from '../completion.js';
import type { DocumentContent, IssuerSnapshot } from '../content.js';
import type { DocumentTypeDefinition, Normalised } from '../document-type.js';
import { INVOICE_EXAMPLES } from './examples.js';
import { checkInvoice } from './rules.js';
import { checkInvoiceShape } from './extra-rules.js';
import { buildInvoice, EXTENDED_VERSION, INVOICE_POINTERS, ROOT, versionOf } from './xml.js';

const PLAIN_SCHEMA = fileURLToPath(new URL('./invoice-1.1.0.xsd', import.meta.url));
const EXTENDED_SCHEMA = fileURLToPath(new URL('./invoice-2.1.0.xsd', import.meta.url));

function normaliseInvoice(content: DocumentContent, issuer: IssuerSnapshot): Normalised {
  return withPayments(withLineTaxes(withLineCodes(withFinalConsumer(withBuyerCode(content)))), issuer);
}

/** Invoice (factura, 01). */
export const INVOICE: DocumentTypeDefinition = {
  code: '01',
  rootElement: ROOT,
  version: versionOf,
  shape: checkInvoiceShape,
  normalise: normaliseInvoice,
  check: checkInvoice,
  buildXml: buildInvoice,
  schemaFile: (content) => (versionOf(content) === EXTENDED_VERSION ? EXTENDED_SCHEMA : PLAIN_SCHEMA),
  schemaPointers: INVOICE_POINTERS,
  examples: INVOICE_EXAMPLES,
};
