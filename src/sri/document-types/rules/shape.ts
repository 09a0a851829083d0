import { isCalendarDay } from '../../../shared/guayaquil.js';
import type { Finding } from '../../../shared/finding.js';
import type { DocumentContent, DocumentLine, DocumentTax } from '../content.js';
import { defineRules, excerpt, finding } from './rule.js';
import { DECIMAL, wireName } from './structure.js';

const RULES = defineRules({
  'shape.decimal': {
    es: 'No es un número decimal',
    en: 'Not a decimal number',
    reference: 'Ficha técnica 2.32, anexo 3',
  },
  'shape.date': {
    es: 'No es una fecha existente',
    en: 'Not an existing date',
    reference: 'Ficha técnica 2.32, tabla 1',
  },
  'shape.numeric_code': {
    es: 'El código numérico debe tener 8 dígitos',
    en: 'The numeric code must have 8 digits',
    reference: 'Ficha técnica 2.32, tabla 1',
  },
  'shape.empty': {
    es: 'Se necesita al menos un elemento',
    en: 'At least one element is needed',
    reference: 'Ficha técnica 2.32, anexo 3',
  },
});

/** The rule of a list without the elements that it needs; other faults of shape leave nothing that rules can read. */
export const EMPTY_LIST = RULES['shape.empty'].id;

/** Fields of a part that hold an amount, or null where there is none. */
type AmountOf<Part> = { [Name in keyof Part]: Part[Name] extends string | null ? Name : never }[keyof Part] & string;

const DOCUMENT_AMOUNTS: readonly AmountOf<DocumentContent>[] = ['subtotal', 'totalDiscount', 'totalTax', 'total', 'tip'];
const LINE_AMOUNTS: readonly AmountOf<DocumentLine>[] = ['quantity', 'unitPrice', 'discount', 'subtotal'];
const TAX_AMOUNTS: readonly AmountOf<DocumentTax>[] = ['taxableBase', 'rate', 'taxAmount', 'tariff'];
const PAYMENT_AMOUNTS: readonly AmountOf<DocumentContent['payments'][number]>[] = ['total'];

/**
 * What every other rule takes for granted. Requests are checked before they become
 * content; this guards content from elsewhere, so that no rule ever throws.
 */
export function* checkShape(content: DocumentContent): Generator<Finding> {
  if (!isCalendarDay(content.issueDate)) yield finding(RULES['shape.date'], '/issue_date', null, content.issueDate);
  const modified = content.modifiedDocumentIssueDate;
  if (modified !== null && !isCalendarDay(modified)) {
    yield finding(RULES['shape.date'], '/modified_document_issue_date', null, excerpt(modified));
  }
  if (!/^[0-9]{8}$/.test(content.numericCode)) yield finding(RULES['shape.numeric_code'], '/numeric_code');
  if (content.lines.length === 0) yield finding(RULES['shape.empty'], '/lines');
  if (content.taxes.length === 0) yield finding(RULES['shape.empty'], '/taxes');
  yield* checkAmounts(content, DOCUMENT_AMOUNTS, () => '');
  for (const [index, line] of content.lines.entries()) {
    yield* checkAmounts(line, LINE_AMOUNTS, () => `/lines/${index}`);
    for (const [place, tax] of (line.taxes ?? []).entries()) yield* checkAmounts(tax, TAX_AMOUNTS, () => `/lines/${index}/taxes/${place}`);
  }
  for (const [index, tax] of content.taxes.entries()) yield* checkAmounts(tax, TAX_AMOUNTS, () => `/taxes/${index}`);
  for (const [index, payment] of content.payments.entries()) yield* checkAmounts(payment, PAYMENT_AMOUNTS, () => `/payments/${index}`);
}

/** Nearly all amounts are good: the pointer of a part is put together for one that is not. */
function* checkAmounts<Part>(part: Part, names: readonly AmountOf<Part>[], pointer: () => string): Generator<Finding> {
  for (const name of names) {
    const value = part[name] as string | null;
    if (value !== null && !DECIMAL.test(value)) yield finding(RULES['shape.decimal'], `${pointer()}/${wireName(name)}`, null, excerpt(value));
  }
}
