import type { Decimal } from 'decimal.js';
import { child, children, type Element, textAt } from '../xml/element.js';
import { ivaRate } from './iva-rates.js';
import { agree, agreeByLines, amount, cents, difference, sumOf } from './totals.js';

const IVA = '2';

/**
 * Reimbursed documents (ficha técnica, annex 5): the three totals that announce them
 * are the sums over their taxes, and each IVA is base times the rate of its day, or the sum of its lines.
 *
 * @param header element that holds the totals
 * @param holder element that holds `reembolsos`
 */
export function reimbursementDifferences(header: Element | null, holder: Element | null): readonly string[] {
  const entries = children(child(holder, 'reembolsos'), 'reembolsoDetalle');
  const announced = textAt(header, 'totalComprobantesReembolso') !== null;
  if (entries.length === 0) return announced ? ['Los totales de reembolso no tienen detalle de reembolsos'] : [];
  const taxes = entries.flatMap((entry) =>
    taxesOf(entry).map((tax) => ({ tax, on: textAt(entry, 'fechaEmisionDocReembolso') ?? '' })),
  );
  const base = sumOf(taxes.map(({ tax }) => amount(textAt(tax, 'baseImponibleReembolso'))));
  const taxed = sumOf(taxes.map(({ tax }) => amount(textAt(tax, 'impuestoReembolso'))));
  const found: string[] = [];
  const compare = (what: string, printed: Decimal, computed: Decimal): void => {
    if (!agree(printed, computed)) found.push(difference(what, printed, computed));
  };
  compare('El total de bases de reembolso', amount(textAt(header, 'totalBaseImponibleReembolso')), base);
  compare('El total de impuestos de reembolso', amount(textAt(header, 'totalImpuestoReembolso')), taxed);
  compare('El total de reembolsos', amount(textAt(header, 'totalComprobantesReembolso')), base.plus(taxed));
  for (const { tax, on } of taxes) {
    if (textAt(tax, 'codigo') !== IVA) continue;
    const rateCode = textAt(tax, 'codigoPorcentaje') ?? '';
    const rate = ivaRate(rateCode, on);
    if (rate === null || !amount(textAt(tax, 'tarifa')).equals(rate)) {
      found.push(`El código de porcentaje de IVA ${rateCode} de un reembolso no corresponde a la tarifa`);
      continue;
    }
    const computed = cents(amount(textAt(tax, 'baseImponibleReembolso')).times(rate).dividedBy(100));
    const printed = amount(textAt(tax, 'impuestoReembolso'));
    if (!agreeByLines(printed, computed)) found.push(difference('El IVA de un reembolso', printed, computed));
  }
  return found;
}

const taxesOf = (entry: Element): readonly Element[] => children(child(entry, 'detalleImpuestos'), 'detalleImpuesto');
