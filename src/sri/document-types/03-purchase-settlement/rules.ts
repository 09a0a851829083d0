import type { Finding } from '../../../shared/finding.js';
import { TAX } from '../../tables/taxes.js';
import type { DocumentContent, IssuerSnapshot } from '../content.js';
import type { RuleContext } from '../document-type.js';
import { checkAdditionalInfo } from '../rules/additional-info.js';
import { checkIdentifiedBuyer } from '../rules/buyer.js';
import { checkCarriedFields } from '../rules/carried-fields.js';
import { checkIssueDate } from '../rules/issue-date.js';
import { checkLines } from '../rules/lines.js';
import { checkPayments } from '../rules/payments.js';
import { checkReimbursements } from '../rules/reimbursements.js';
import { defineRules, finding } from '../rules/rule.js';
import { checkTaxes } from '../rules/taxes.js';
import { checkTexts } from '../rules/texts.js';
import { checkTotals } from '../rules/totals.js';

const RULES = defineRules({
  'settlement.only_iva': {
    es: 'Una liquidación de compra solo lleva IVA',
    en: 'A purchase settlement carries IVA alone',
    reference: 'Ficha técnica 2.32, anexo de la liquidación de compra',
  },
});

/** Every rule of the purchase settlement in one pass; the buyer's fields hold the supplier. */
export function checkPurchaseSettlement(
  content: DocumentContent,
  issuer: IssuerSnapshot,
  context: RuleContext,
): readonly Finding[] {
  return [
    ...checkIssueDate(content, context),
    ...checkIdentifiedBuyer(content, issuer),
    ...checkLines(content),
    ...checkOnlyIva(content),
    ...checkTaxes(content),
    ...checkTotals(content),
    ...checkPayments(content),
    ...checkReimbursements(content.reimbursements, '/reimbursements', content.issueDate),
    ...checkTexts(content),
    ...checkAdditionalInfo(content, issuer),
    ...checkCarriedFields(content, ['payments', 'reimbursements']),
  ];
}

function* checkOnlyIva(content: DocumentContent): Generator<Finding> {
  for (const [index, line] of content.lines.entries()) {
    for (const [position, tax] of (line.taxes ?? []).entries()) {
      if (tax.taxCode !== TAX.iva) {
        const pointer = `/lines/${index}/taxes/${position}/tax_code`;
        yield finding(RULES['settlement.only_iva'], pointer, TAX.iva, tax.taxCode);
      }
    }
  }
  for (const [index, tax] of content.taxes.entries()) {
    if (tax.taxCode !== TAX.iva) {
      yield finding(RULES['settlement.only_iva'], `/taxes/${index}/tax_code`, TAX.iva, tax.taxCode);
    }
  }
}
