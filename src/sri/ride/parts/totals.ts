import { dec } from '../../../shared/decimal.js';
import type { DocumentContent, DocumentTax } from '../../document-types/content.js';
import { TAX, TAX_CODES } from '../../tables/taxes.js';
import type { Block } from '../page/block.js';
import type { Pen } from '../page/pen.js';
import { COLOR, lineHeight, TEXT } from '../page/style.js';
import { figure, isZero, named, percent, percentOfFraction, sumFigure } from '../figures.js';

/** A line of the sum: label and amount. */
export interface TotalLine {
  readonly label: string;
  readonly amount: string;
}

/** IVA codes whose subtotal has a name instead of a percentage. */
const NAMED_RATES: ReadonlyMap<string, string> = new Map([
  ['6', 'NO OBJETO DE IVA'],
  ['7', 'EXENTO DE IVA'],
  ['8', 'TARIFA ESPECIAL'],
]);

/** Subtotals, discount and taxes of documents with lines; only what has an amount, but always the subtotal without taxes. */
export function taxedTotals(content: DocumentContent): readonly TotalLine[] {
  const iva = grouped(content.taxes.filter((tax) => tax.taxCode === TAX.iva));
  const others = content.taxes.filter((tax) => tax.taxCode !== TAX.iva);
  return [
    ...iva.map((rate) => amount(`SUBTOTAL ${rate.name}`, sumFigure(rate.taxes.map((tax) => tax.taxableBase)))).flat(),
    {
      label: 'SUBTOTAL SIN IMPUESTOS',
      amount: figure(dec(content.subtotal).minus(dec(content.totalDiscount)).toFixed()),
    },
    ...amount('TOTAL DESCUENTO', content.totalDiscount),
    ...sumOf('ICE', others, TAX.ice),
    ...iva.map((rate) => amount(`IVA ${rate.name}`, sumFigure(rate.taxes.map((tax) => tax.taxAmount)))).flat(),
    ...sumOf('IRBPNR', others, TAX.irbpnr),
    ...others
      .filter(({ taxCode }) => taxCode !== TAX.ice && taxCode !== TAX.irbpnr)
      .flatMap((tax) =>
        amount(`${named(TAX_CODES, tax.taxCode, content.issueDate)} ${tax.taxRateCode}`, tax.taxAmount),
      ),
  ];
}

/** The line, unless its amount is zero or absent. */
export function amount(label: string, value: string | null): TotalLine[] {
  return value === null || isZero(value) ? [] : [{ label, amount: figure(value) }];
}

function sumOf(label: string, taxes: readonly DocumentTax[], code: string): TotalLine[] {
  return amount(label, sumFigure(taxes.filter((tax) => tax.taxCode === code).map((tax) => tax.taxAmount)));
}

function grouped(taxes: readonly DocumentTax[]): readonly { readonly name: string; readonly taxes: DocumentTax[] }[] {
  const groups = new Map<string, DocumentTax[]>();
  for (const tax of taxes) {
    const rate = `${percent(tax.tariff ?? percentOfFraction(tax.rate))}%`;
    const special = NAMED_RATES.get(tax.taxRateCode);
    const name = special === undefined ? rate : tax.taxRateCode === '8' ? `${special} ${rate}` : special;
    groups.set(name, [...(groups.get(name) ?? []), tax]);
  }
  return [...groups]
    .map(([name, members]) => ({ name, taxes: members }))
    .sort((one, other) => rank(one.taxes) - rank(other.taxes));
}

/** Full rates from the highest down, then the special one, 0 %, no objeto, exento. */
function rank([tax]: readonly DocumentTax[]): number {
  if (tax === undefined) return 0;
  if (tax.taxRateCode === '7') return 3;
  if (tax.taxRateCode === '6') return 2;
  const rate = dec(tax.tariff ?? percentOfFraction(tax.rate));
  if (rate.isZero()) return 1;
  return tax.taxRateCode === '8' ? 0 : -rate.toNumber();
}

const ROW_PAD = 2.6;
const SIDE = 7;

/** The sum at the foot of the document, its last line standing out. */
export function totalsBlock(pen: Pen, lines: readonly TotalLine[], grand: TotalLine, width: number): Block {
  const amountWidth = Math.max(0, ...lines.map((line) => pen.width(line.amount, TEXT.cell))) + 8;
  const rows = lines.map((line) => ({
    ...line,
    wrapped: pen.wrap(line.label, TEXT.cell, width - 2 * SIDE - amountWidth),
  }));
  const rowHeight = (row: { wrapped: readonly string[] }): number =>
    row.wrapped.length * lineHeight(TEXT.cell) + 2 * ROW_PAD;
  const grandHeight = lineHeight(TEXT.total) + 9;
  const bodyHeight = rows.reduce((total, row) => total + rowHeight(row), 0);
  return {
    height: bodyHeight + grandHeight + 2,
    draw(x, y) {
      let top = y;
      for (const row of rows) {
        pen.writeLines(row.wrapped, x + SIDE, top + ROW_PAD, TEXT.cell);
        pen.write(row.amount, x + width - SIDE, top + ROW_PAD, TEXT.cell, 'right');
        top += rowHeight(row);
        pen.rule(x, top, width);
      }
      pen.fill(x, top + 2, width, grandHeight, COLOR.accent);
      pen.write(grand.label, x + SIDE, top + 2 + 4.5, TEXT.total);
      pen.write(grand.amount, x + width - SIDE, top + 2 + 4.5, TEXT.total, 'right');
    },
  };
}
