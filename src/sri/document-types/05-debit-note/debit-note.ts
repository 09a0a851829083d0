import { fileURLToPath } from 'node:url';
import { withBuyerCode, withLineTaxes, withPayments } from '../completion.js';
import type { DocumentContent, IssuerSnapshot } from '../content.js';
import type { DocumentTypeDefinition, Normalised } from '../document-type.js';
import { DEBIT_NOTE_EXAMPLES } from './examples.js';
import { checkDebitNote } from './rules.js';
import { buildDebitNote, DEBIT_NOTE_POINTERS, ROOT, VERSION } from './xml.js';

const SCHEMA = fileURLToPath(new URL('./debit-note-1.0.0.xsd', import.meta.url));

function normaliseDebitNote(content: DocumentContent, issuer: IssuerSnapshot): Normalised {
  return withPayments(withLineTaxes(withBuyerCode(content)), issuer);
}

/** Debit note (nota de débito, 05). */
export const DEBIT_NOTE: DocumentTypeDefinition = {
  code: '05',
  rootElement: ROOT,
  version: () => VERSION,
  normalise: normaliseDebitNote,
  check: checkDebitNote,
  buildXml: buildDebitNote,
  schemaFile: () => SCHEMA,
  schemaPointers: DEBIT_NOTE_POINTERS,
  examples: DEBIT_NOTE_EXAMPLES,
};
