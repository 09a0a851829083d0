import type { Decimal } from 'decimal.js';
import { ivaRate } from './iva-rates.js';
import { agree, amount, cents, difference, type Line, sumOf, type Tax, TOLERANCE, type Totals } from './totals.js';

const IVA = '2';
const ICE = '3';
const MAX_TIP = '0.10';

/**
 * Every difference that message 52 would report about a sale-like document:
 * exact decimals, one cent of tolerance per figure. A group's tax may be the sum
 * of the lines' rounded taxes or the tax of the group's base. ICE is taken as printed:
 * its parts per unit and its own bases are in no element of the document.
 */
export function differences(totals: Totals): readonly string[] {
  return [
    ...totals.lines.flatMap((line, index) => lineDifferences(line, index + 1, totals.ratesOn)),
    ...groupDifferences(totals),
    ...headerDifferences(totals),
  ];
}

function lineDifferences(line: Line, number: number, ratesOn: string): readonly string[] {
  const found: string[] = [];
  const net = amount(line.net);
  const computed = cents(amount(line.quantity).times(amount(line.unitPrice)).minus(amount(line.discount)));
  if (!agree(net, computed)) found.push(difference(`Línea ${number}: el precio total sin impuesto`, net, computed));

  const iva = line.taxes.filter((tax) => tax.code === IVA);
  if (iva.length !== 1) found.push(`Línea ${number}: debe tener un solo impuesto IVA`);
  const ice = sumOf(line.taxes.filter((tax) => tax.code === ICE).map((tax) => amount(tax.amount)));
  for (const tax of iva) {
    const base = net.plus(ice);
    if (!agree(amount(tax.base), base))
      found.push(difference(`Línea ${number}: la base del IVA`, amount(tax.base), base));
    found.push(...ivaDifferences(tax, `Línea ${number}`, ratesOn));
  }
  return found;
}

/** The rate of the code on the day, and base times rate. */
function ivaDifferences(tax: Tax, where: string, ratesOn: string): readonly string[] {
  const rate = ivaRate(tax.rateCode, ratesOn);
  if (rate === null) return [`${where}: el código de porcentaje de IVA ${tax.rateCode} no está vigente`];
  if (tax.rate !== null && !amount(tax.rate).equals(rate)) {
    return [difference(`${where}: la tarifa de IVA`, amount(tax.rate), rate)];
  }
  const computed = cents(amount(tax.base).times(rate).dividedBy(100));
  return agree(amount(tax.amount), computed) ? [] : [difference(`${where}: el IVA`, amount(tax.amount), computed)];
}

function groupDifferences(totals: Totals): readonly string[] {
  const found: string[] = [];
  const inLines = groupByCode(totals.lines.flatMap((line) => line.taxes));
  const inHeader = groupByCode(totals.taxes);
  for (const code of new Set([...inLines.keys(), ...inHeader.keys()])) {
    const where = `Impuesto ${code}`;
    const lines = inLines.get(code) ?? [];
    const [printed, repeated] = inHeader.get(code) ?? [];
    if (!printed || repeated || lines.length === 0) {
      found.push(`${where}: los totales con impuestos no corresponden a los detalles`);
      continue;
    }
    const base = sumOf(lines.map((tax) => amount(tax.base)));
    if (!agree(amount(printed.base), base))
      found.push(difference(`${where}: la base imponible`, amount(printed.base), base));
    const ofLines = sumOf(lines.map((tax) => amount(tax.amount)));
    if (!agree(amount(printed.amount), ofLines) && !isTaxOfBase(printed, lines, totals.ratesOn)) {
      found.push(difference(`${where}: el valor`, amount(printed.amount), ofLines));
    }
  }
  return found;
}

/**
 * The tax of the group's base, beside which the lines are no more than by what became of them when they were rounded, up or down, and a
 * cent. What is a cent or more beside its own tax was not rounded to that: of it counts the nearest cent.
 */
function isTaxOfBase(tax: Tax, lines: readonly Tax[], ratesOn: string): boolean {
  const rate = tax.code === IVA ? ivaRate(tax.rateCode, ratesOn) : null;
  if (rate === null) return false;
  const exactly = (base: string): Decimal => amount(base).times(rate).dividedBy(100);
  const rounding = lines.map((line) => {
    const exact = exactly(line.base);
    const apart = exact.minus(amount(line.amount)).abs();
    return apart.lessThan(TOLERANCE) ? apart : exact.minus(cents(exact)).abs();
  });
  const ofBase = exactly(tax.base);
  const ofLines = sumOf(lines.map((line) => amount(line.amount)));
  return agree(amount(tax.amount), cents(ofBase)) && ofBase.minus(ofLines).abs().lessThanOrEqualTo(sumOf(rounding).plus(TOLERANCE));
}

function headerDifferences(totals: Totals): readonly string[] {
  const found: string[] = [];
  const compare = (what: string, printed: string, computed: Decimal): void => {
    if (!agree(amount(printed), computed)) found.push(difference(what, amount(printed), computed));
  };
  compare('El total sin impuestos', totals.net, sumOf(totals.lines.map((line) => amount(line.net))));
  if (totals.discount !== null) {
    compare('El total de descuentos', totals.discount, sumOf(totals.lines.map((line) => amount(line.discount))));
  }
  const taxes = sumOf(totals.taxes.map((tax) => amount(tax.amount).minus(amount(tax.refund))));
  const additions = sumOf([amount(totals.tip), ...totals.extras.map(amount)]);
  compare('El importe total', totals.total, amount(totals.net).plus(taxes).plus(additions));
  if (totals.payments !== null) {
    compare('La suma de los pagos', sumOf(totals.payments.map(amount)).toFixed(), amount(totals.total));
  }
  const maxTip = cents(amount(totals.net).times(MAX_TIP));
  if (amount(totals.tip).minus(maxTip).greaterThan('0.01')) {
    found.push(difference('La propina supera el 10 %:', amount(totals.tip), maxTip));
  }
  return found;
}

function groupByCode(taxes: readonly Tax[]): ReadonlyMap<string, readonly Tax[]> {
  const groups = new Map<string, Tax[]>();
  for (const tax of taxes) {
    const code = `${tax.code}/${tax.rateCode}`;
    const group = groups.get(code);
    if (group) group.push(tax);
    else groups.set(code, [tax]);
  }
  return groups;
}
