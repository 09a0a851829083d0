import { fileURLToPath } from 'node:url';
import { withBuyerCode, withLineCodes, withLineTaxes } from '../completion.js';
import type { DocumentContent } from '../content.js';
import type { DocumentTypeDefinition, Normalised } from '../document-type.js';
import { CREDIT_NOTE_EXAMPLES } from './examples.js';
import { checkCreditNote } from './rules.js';
import { buildCreditNote, CREDIT_NOTE_POINTERS, ROOT, VERSION } from './xml.js';

const SCHEMA = fileURLToPath(new URL('./credit-note-1.1.0.xsd', import.meta.url));

function normaliseCreditNote(content: DocumentContent): Normalised {
  return { content: withLineTaxes(withLineCodes(withBuyerCode(content))), warnings: [] };
}

/** Credit note (nota de crédito, 04). */
export const CREDIT_NOTE: DocumentTypeDefinition = {
  code: '04',
  rootElement: ROOT,
  version: () => VERSION,
  normalise: normaliseCreditNote,
  check: checkCreditNote,
  buildXml: buildCreditNote,
  schemaFile: () => SCHEMA,
  schemaPointers: CREDIT_NOTE_POINTERS,
  examples: CREDIT_NOTE_EXAMPLES,
};
