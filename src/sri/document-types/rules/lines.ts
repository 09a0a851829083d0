import { dec, money } from '../../../shared/decimal.js';
import type { Finding } from '../../../shared/finding.js';
import { lineSubtotal } from '../../money.js';
import type { DocumentContent } from '../content.js';
import { defineRules, finding, repeated } from './rule.js';

const ARITHMETIC = 'Ficha técnica 2.32, anexo 3 y mensaje 52';

const RULES = defineRules({
  'line.number_repeated': {
    es: 'El número de línea está repetido',
    en: 'The line number is repeated',
    reference: 'Ficha técnica 2.32, anexo 3',
  },
  'line.quantity': {
    es: 'La cantidad debe ser mayor que cero',
    en: 'The quantity must be greater than zero',
    reference: 'Ficha técnica 2.32, anexo 3',
  },
  'line.discount': {
    es: 'El descuento supera el valor de la línea redondeado a centavos',
    en: 'The discount exceeds the amount of the line rounded to cents',
    reference: ARITHMETIC,
  },
  'line.subtotal': {
    es: 'El subtotal de la línea no es cantidad × precio unitario − descuento',
    en: 'The subtotal of the line is not quantity × unit price − discount',
    reference: ARITHMETIC,
  },
});

/** Each line by itself: number, quantity, arithmetic. */
export function* checkLines(content: DocumentContent): Generator<Finding> {
  for (const [line, index] of repeated(content.lines, ({ lineNumber }) => String(lineNumber))) {
    yield finding(RULES['line.number_repeated'], `/lines/${index}/line_number`, null, String(line.lineNumber));
  }
  for (const [index, line] of content.lines.entries()) {
    if (dec(line.quantity).lte(0)) {
      yield finding(RULES['line.quantity'], `/lines/${index}/quantity`, null, line.quantity);
    }
    const expected = lineSubtotal(line.quantity, line.unitPrice, line.discount);
    if (expected.isNegative() && !expected.isZero()) {
      yield finding(RULES['line.discount'], `/lines/${index}/discount`, null, line.discount);
    } else if (!expected.eq(dec(line.subtotal))) {
      yield finding(RULES['line.subtotal'], `/lines/${index}/subtotal`, money(expected), line.subtotal);
    }
  }
}
