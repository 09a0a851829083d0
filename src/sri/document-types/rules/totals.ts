import { dec, sum } from '../../../shared/decimal.js';
import type { Finding } from '../../../shared/finding.js';
import { lookup } from '../../tables/code-table.js';
import { AMOUNT_LIMITS, LIMIT } from '../../tables/limits.js';
import type { DocumentContent } from '../content.js';
import { defineRules, equal, finding } from './rule.js';

const ARITHMETIC = 'Ficha técnica 2.32, anexo 3 y mensaje 52';

const RULES = defineRules({
  'totals.subtotal': {
    es: 'El subtotal no es la suma de las líneas antes de descuentos',
    en: 'The subtotal is not the sum of the lines before discounts',
    reference: ARITHMETIC,
  },
  'totals.total_discount': {
    es: 'El descuento total no es la suma de los descuentos de las líneas',
    en: 'The total discount is not the sum of the discounts of the lines',
    reference: ARITHMETIC,
  },
  'totals.total_tax': {
    es: 'El total de impuestos no es la suma de los impuestos',
    en: 'The total tax is not the sum of the taxes',
    reference: ARITHMETIC,
  },
  'totals.total': {
    es: 'El total no es subtotal − descuento + impuestos + propina y demás cargos',
    en: 'The total is not subtotal − discount + tax + tip and other charges',
    reference: ARITHMETIC,
  },
  'totals.too_large': {
    es: 'Los servicios web del SRI no reciben totales tan altos: piden un trámite especial',
    en: "The SRI's web services take no total this large: it needs a special procedure",
    reference: 'Condiciones del SRI para los servicios web: comprobantes de hasta USD 200 000 000',
  },
});

/**
 * The totals against their parts, to the cent, and against what the web services take; the total itself once its parts are right.
 * A document whose total is zero is accepted: samples, bonuses and full discounts are invoiced so.
 *
 * @param additions amounts that the total holds outside the tax bases (tip, freight, charges of third parties)
 */
export function* checkTotals(content: DocumentContent, additions: readonly string[] = []): Generator<Finding> {
  const discount = sum(content.lines.map((line) => line.discount));
  const net = sum(content.lines.map((line) => line.subtotal));
  const taxes = sum(content.taxes.map((tax) => tax.taxAmount));
  const ofParts = [
    ...equal(RULES['totals.subtotal'], '/subtotal', net.plus(discount), content.subtotal),
    ...equal(RULES['totals.total_discount'], '/total_discount', discount, content.totalDiscount),
    ...equal(RULES['totals.total_tax'], '/total_tax', taxes, content.totalTax),
  ];
  yield* ofParts;
  // From a wrong part no total follows, nor from what is expected in its place: lines and taxes may be what is wrong.
  if (ofParts.length === 0) {
    const total = dec(content.subtotal).minus(dec(content.totalDiscount)).plus(dec(content.totalTax)).plus(sum(additions));
    yield* equal(RULES['totals.total'], '/total', total, content.total);
  }
  const limit = lookup(AMOUNT_LIMITS, LIMIT.webService, content.issueDate);
  if (limit && dec(content.total).greaterThan(dec(limit.amount))) yield finding(RULES['totals.too_large'], '/total', `≤ ${limit.amount}`, content.total);
}
