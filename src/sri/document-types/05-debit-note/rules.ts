import { dec, money } from '../../../shared/decimal.js';
import type { Finding } from '../../../shared/finding.js';
import { nearly, taxAmount } from '../../money.js';
import type { DocumentContent, IssuerSnapshot } from '../content.js';
import type { RuleContext } from '../document-type.js';
import { checkAdditionalInfo } from '../rules/additional-info.js';
import { checkIdentifiedBuyer } from '../rules/buyer.js';
import { checkCarriedFields, checkCarriedLineFields } from '../rules/carried-fields.js';
import { checkIssueDate } from '../rules/issue-date.js';
import { checkLines } from '../rules/lines.js';
import { checkModifiedDocument, MODIFIED_DOCUMENT_FIELDS } from '../rules/modified-document.js';
import { checkPayments } from '../rules/payments.js';
import { defineRules, finding } from '../rules/rule.js';
import { effectiveRate } from '../rules/tax-entry.js';
import { checkTaxes } from '../rules/taxes.js';
import { checkTexts } from '../rules/texts.js';
import { checkTotals } from '../rules/totals.js';
import { ratesDay, taxRate } from '../tax-rates.js';

const ANNEX = 'Ficha técnica 2.32, anexo de la nota de débito';

const RULES = defineRules({
  'debit_note.quantity': {
    es: 'Cada línea de una nota de débito es un motivo: su cantidad es 1',
    en: 'Each line of a debit note is a motive: its quantity is 1',
    reference: ANNEX,
  },
  'debit_note.discount': {
    es: 'Una nota de débito no lleva descuentos',
    en: 'A debit note carries no discounts',
    reference: ANNEX,
  },
  'debit_note.tax_amount': {
    es: 'En una nota de débito el impuesto es base imponible × tarifa de cada grupo: no lleva impuestos por línea',
    en: 'In a debit note the tax is taxable base × rate of each group: lines carry no taxes of their own',
    reference: `${ANNEX} y mensaje 52`,
  },
});

/** Every rule of the debit note in one pass. */
export function checkDebitNote(
  content: DocumentContent,
  issuer: IssuerSnapshot,
  context: RuleContext,
): readonly Finding[] {
  return [
    ...checkIssueDate(content, context),
    ...checkIdentifiedBuyer(content, issuer),
    ...checkModifiedDocument(content),
    ...checkLines(content),
    ...checkMotives(content),
    ...checkTaxes(content),
    ...checkGroupAmounts(content),
    ...checkTotals(content),
    ...checkPayments(content),
    ...checkTexts(content),
    ...checkAdditionalInfo(content, issuer),
    ...checkCarriedFields(content, [...MODIFIED_DOCUMENT_FIELDS, 'payments']),
    ...checkCarriedLineFields(content, ['main_code', 'aux_code', 'unit_of_measure', 'additional_details']),
  ];
}

function* checkMotives(content: DocumentContent): Generator<Finding> {
  for (const [index, line] of content.lines.entries()) {
    if (!dec(line.quantity).eq(1)) {
      yield finding(RULES['debit_note.quantity'], `/lines/${index}/quantity`, '1', line.quantity);
    }
    if (!dec(line.discount).isZero()) {
      yield finding(RULES['debit_note.discount'], `/lines/${index}/discount`, '0.00', line.discount);
    }
  }
}

/**
 * The XML shows the groups alone, so the SRI can only multiply: the sum of rounded line taxes may be too far off.
 * That of ICE and IRBPNR is no product where it has a part per unit.
 */
function* checkGroupAmounts(content: DocumentContent): Generator<Finding> {
  for (const [index, tax] of content.taxes.entries()) {
    const rate = taxRate(tax.taxCode, tax.taxRateCode, ratesDay(content));
    if (typeof rate === 'string' || !rate.binding) continue;
    const expected = taxAmount(tax.taxableBase, effectiveRate(tax, rate));
    if (!nearly(expected, tax.taxAmount)) {
      yield finding(RULES['debit_note.tax_amount'], `/taxes/${index}/tax_amount`, money(expected), tax.taxAmount);
    }
  }
}
