import { isCalendarDay } from '../../../shared/guayaquil.js';
import type { Finding } from '../../../shared/finding.js';
import type { DocumentContent, DocumentTax } from '../document.js';
import { defineRules, finding } from './rule.js';

const RULES = defineRules({
  'shape.decimal': {
    es: 'No es un número decimal',
    en: 'Not a decimal number',
    reference: 'Ficha técnica 2.32, annex 3',
  },
  'shape.date': {
    es: 'No es una fecha existente',
    en: 'Not an existing date',
    reference: 'Ficha técnica 2.32, table 1',
  },
  'shape.numeric_code': {
    es: 'El código numérico debe tener 8 dígitos',
    en: 'The numeric code must have 8 digits',
    reference: 'Ficha técnica 2.32, table 1',
  },
  'shape.empty': {
    es: 'Se necesita al menos un elemento',
    en: 'At least one element is needed',
    reference: 'Ficha técnica 2.32, annex 3',
  },
});

const DECIMAL = /^[0-9]{1,18}(\.[0-9]{1,6})?$/;

/**
 * What every other rule takes for granted. Requests are checked before they become
 * content; this guards content from elsewhere, so that no rule ever throws.
 */
export function* checkShape(content: DocumentContent): Generator<Finding> {
  if (!isCalendarDay(content.issueDate)) yield finding(RULES['shape.date'], '/issue_date', null, content.issueDate);
  const modified = content.modifiedDocumentIssueDate;
  if (modified !== null && !isCalendarDay(modified)) {
    yield finding(RULES['shape.date'], '/modified_document_issue_date', null, modified.slice(0, 64));
  }
  if (!/^[0-9]{8}$/.test(content.numericCode)) yield finding(RULES['shape.numeric_code'], '/numeric_code');
  if (content.lines.length === 0) yield finding(RULES['shape.empty'], '/lines');
  if (content.taxes.length === 0) yield finding(RULES['shape.empty'], '/taxes');
  for (const [pointer, value] of decimalsOf(content)) {
    if (value !== null && !DECIMAL.test(value))
      yield finding(RULES['shape.decimal'], pointer, null, value.slice(0, 64));
  }
}

function* decimalsOf(content: DocumentContent): Generator<readonly [string, string | null]> {
  yield ['/subtotal', content.subtotal];
  yield ['/total_discount', content.totalDiscount];
  yield ['/total_tax', content.totalTax];
  yield ['/total', content.total];
  yield ['/tip', content.tip];
  for (const [index, line] of content.lines.entries()) {
    yield [`/lines/${index}/quantity`, line.quantity];
    yield [`/lines/${index}/unit_price`, line.unitPrice];
    yield [`/lines/${index}/discount`, line.discount];
    yield [`/lines/${index}/subtotal`, line.subtotal];
    yield* taxDecimals(line.taxes ?? [], `/lines/${index}/taxes`);
  }
  yield* taxDecimals(content.taxes, '/taxes');
  for (const [index, payment] of content.payments.entries()) yield [`/payments/${index}/total`, payment.total];
}

function* taxDecimals(taxes: readonly DocumentTax[], pointer: string): Generator<readonly [string, string | null]> {
  for (const [index, tax] of taxes.entries()) {
    yield [`${pointer}/${index}/taxable_base`, tax.taxableBase];
    yield [`${pointer}/${index}/rate`, tax.rate];
    yield [`${pointer}/${index}/tax_amount`, tax.taxAmount];
    yield [`${pointer}/${index}/tariff`, tax.tariff];
  }
}
