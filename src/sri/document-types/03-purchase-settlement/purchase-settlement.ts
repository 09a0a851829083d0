import { fileURLToPath } from 'node:url';
import { withBuyerCode, withLineCodes, withLineTaxes, withPayments, withTerms } from '../completion.js';
import type { DocumentContent, IssuerSnapshot } from '../content.js';
import type { DocumentTypeDefinition, Normalised } from '../document-type.js';
import { REIMBURSEMENTS } from '../rules/reimbursements.js';
import { checkStructure } from '../rules/structure.js';
import { PURCHASE_SETTLEMENT_EXAMPLES } from './examples.js';
import { checkPurchaseSettlement } from './rules.js';
import { buildPurchaseSettlement, PURCHASE_SETTLEMENT_POINTERS, ROOT, VERSION } from './xml.js';

const SCHEMA = fileURLToPath(new URL('./purchase-settlement-1.1.0.xsd', import.meta.url));

function normalisePurchaseSettlement(content: DocumentContent, issuer: IssuerSnapshot): Normalised {
  const { content: paid, warnings } = withPayments(withLineTaxes(withLineCodes(withBuyerCode(content))), issuer);
  return { content: withTerms(paid), warnings };
}

/** Purchase settlement (liquidación de compra de bienes y prestación de servicios, 03). */
export const PURCHASE_SETTLEMENT: DocumentTypeDefinition = {
  code: '03',
  rootElement: ROOT,
  version: () => VERSION,
  shape: (content) => checkStructure(content.reimbursements, REIMBURSEMENTS, '/reimbursements'),
  normalise: normalisePurchaseSettlement,
  check: checkPurchaseSettlement,
  buildXml: buildPurchaseSettlement,
  schemaFile: () => SCHEMA,
  schemaPointers: PURCHASE_SETTLEMENT_POINTERS,
  examples: PURCHASE_SETTLEMENT_EXAMPLES,
};
