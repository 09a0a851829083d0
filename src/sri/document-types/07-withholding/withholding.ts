import { fileURLToPath } from 'node:url';
import { withBuyerCode } from '../completion.js';
import type { DocumentTypeDefinition } from '../document-type.js';
import { WITHHOLDING_EXAMPLES } from './examples.js';
import { checkWithholding } from './rules.js';
import { checkWithholdingShape } from './shape.js';
import { withholdingTotals } from './summary.js';
import { buildWithholding, FULL_VERSION, ROOT, SHORT_VERSION, WITHHOLDING_POINTERS } from './xml.js';

const SHORT_SCHEMA = fileURLToPath(new URL('./withholding-1.0.0.xsd', import.meta.url));
const FULL_SCHEMA = fileURLToPath(new URL('./withholding-2.0.0.xsd', import.meta.url));

/** Withholding certificate (comprobante de retención, 07): short form 1.0.0, full form 2.0.0. */
export const WITHHOLDING: DocumentTypeDefinition = {
  code: '07',
  rootElement: ROOT,
  version: ({ withholding }) => (withholding === null ? SHORT_VERSION : FULL_VERSION),
  shape: checkWithholdingShape,
  normalise: (content) => ({ content: withBuyerCode(content), warnings: [] }),
  totals: withholdingTotals,
  check: checkWithholding,
  buildXml: buildWithholding,
  schemaFile: ({ withholding }) => (withholding === null ? SHORT_SCHEMA : FULL_SCHEMA),
  schemaPointers: WITHHOLDING_POINTERS,
  examples: WITHHOLDING_EXAMPLES,
};
