import { dec, isTooLarge, money, sameDecimal, sum, WHOLE_DIGITS } from '../../../shared/decimal.js';
import { taxRate } from '../../../sri/document-types/tax-rates.js';
import { lineSubtotal, nearly, spreadTaxes, taxAmount } from '../../../sri/money.js';
import { lookup } from '../../../sri/tables/code-table.js';
import { IVA_RATES, TAX, TOURISM_RATE } from '../../../sri/tables/taxes.js';

/** A line as a draft's caller may leave it. Names are the wire's, decimals plain strings. */
export interface OpenLine {
  readonly quantity: string;
  readonly description?: string;
  readonly aux_code?: string | null;
  readonly unit_price?: string;
  readonly discount?: string;
  readonly subtotal?: string;
  readonly tax_code?: string;
  readonly tax_rate_code?: string;
  readonly taxes?: readonly LineTax[] | null;
}

export interface LineTax {
  readonly tax_code: string;
  readonly tax_rate_code: string;
  readonly taxable_base: string;
  readonly rate: string;
  readonly tax_amount: string;
  readonly tariff?: string | null;
}

type Taxes = Pick<OpenLine, 'tax_code' | 'tax_rate_code' | 'taxes'>;

/** What a line takes of a product. */
export interface LineProduct {
  readonly name: string;
  readonly aux_code: string | null;
  readonly unit_price: string;
  readonly default_discount: string;
  readonly tax_code: string;
  readonly iva_rate_code: string;
  readonly applies_tourism_iva: boolean;
  readonly applies_ice: boolean;
  readonly ice_code: string | null;
}

/** What of a product's the lines of a document may have. */
export interface LineBounds {
  readonly amounts: boolean;
  readonly discounts: boolean;
  readonly ice: boolean;
}

/** A delivery guide has no amounts, a debit note no discounts; the lines of a settlement and a withholding have IVA alone. */
export const lineBounds = (documentType: string): LineBounds => ({
  amounts: documentType !== '06',
  discounts: documentType !== '05' && documentType !== '06',
  ice: !['03', '06', '07'].includes(documentType),
});

/** What keeps a line from being completed. */
export interface LineProblem {
  readonly field: keyof OpenLine | 'main_code';
  readonly type: 'missing' | 'taxes_not_derivable' | 'less_than_equal' | 'decimal_whole_digits';
  readonly ctx: Readonly<Record<string, string | number>>;
}

/**
 * The line with its open fields taken from the product; given fields stay. The product's discount is that of the whole line;
 * a line that gives its subtotal has given its discount too.
 * @param asOf day whose rates the document uses
 * @param bounds what the type of document lets it take
 */
export function withProduct<Line extends OpenLine>(line: Line, product: LineProduct, asOf: string, bounds: LineBounds): { line: Line; problems: readonly LineProblem[] } {
  const unitPrice = line.unit_price ?? dec(bounds.amounts ? product.unit_price : '0').toFixed(6);
  const takesDiscount = bounds.discounts && line.subtotal === undefined;
  const discount = line.discount ?? (takesDiscount ? money(dec(product.default_discount)) : '0.00');
  const computed = lineSubtotal(line.quantity, unitPrice, discount);
  const subtotal = line.subtotal ?? money(computed);
  const problems: LineProblem[] = [];
  if (line.subtotal === undefined && computed.lt('0')) problems.push({ field: 'discount', type: 'less_than_equal', ctx: { le: largestDiscount(line.quantity, unitPrice) } });
  if (line.subtotal === undefined && isTooLarge(computed)) problems.push({ field: 'subtotal', type: 'decimal_whole_digits', ctx: { whole_digits: WHOLE_DIGITS } });

  const tellsTax = line.tax_rate_code !== undefined || Boolean(line.taxes);
  const isOtherTax = line.tax_code !== undefined && line.tax_code !== product.tax_code;
  const taxed = tellsTax || isOtherTax ? {} : taxOf(product, subtotal, asOf, bounds);
  if (isOtherTax && !tellsTax) problems.push({ field: 'tax_rate_code', type: 'missing', ctx: {} });
  if (taxed === null) problems.push({ field: 'main_code', type: 'taxes_not_derivable', ctx: { ice_code: product.ice_code ?? '' } }, { field: 'taxes', type: 'missing', ctx: {} });

  const told = { description: line.description ?? product.name, aux_code: line.aux_code === undefined ? product.aux_code : line.aux_code, unit_price: unitPrice, discount, subtotal };
  return { line: { ...line, ...told, ...taxed }, problems };
}

/** With a cent more, the subtotal would be below zero. */
const largestDiscount = (quantity: string, unitPrice: string): string => money(dec(quantity).times(dec(unitPrice)));

/** The product's IVA by its code; with ICE, both itemised. Null where that ICE is per litre, gram or piece, which a product does not hold. */
function taxOf(product: LineProduct, subtotal: string, asOf: string, bounds: LineBounds): Taxes | null {
  const isTourismDay = product.applies_tourism_iva && lookup(IVA_RATES, TOURISM_RATE, asOf) !== undefined;
  const ivaCode = isTourismDay ? TOURISM_RATE : product.iva_rate_code;
  if (!product.applies_ice || !bounds.ice) return { tax_code: product.tax_code, tax_rate_code: ivaCode };
  const ice = adValorem(TAX.ice, product.ice_code ?? '', subtotal, asOf);
  // IVA is due on the ICE too.
  const iva = ice && adValorem(TAX.iva, ivaCode, money(dec(subtotal).plus(dec(ice.tax_amount))), asOf);
  return iva && { tax_code: TAX.iva, taxes: [ice, iva] };
}

function adValorem(taxCode: string, rateCode: string, base: string, asOf: string): LineTax | null {
  const rate = taxRate(taxCode, rateCode, asOf);
  if (typeof rate === 'string' || rate.specific !== null || rate.fraction === null) return null;
  // `rate` is a fraction up to 1; above, the percentage stands in `tariff`.
  const isAboveWhole = dec(rate.fraction).gt(1);
  return {
    tax_code: taxCode,
    tax_rate_code: rateCode,
    taxable_base: base,
    rate: isAboveWhole ? '1.0000' : rate.fraction,
    tax_amount: money(taxAmount(base, rate.fraction)),
    tariff: isAboveWhole ? rate.percent : null,
  };
}

/**
 * A line whose taxes are those that its product had on one day, with those of another; any other line as it is, for its caller
 * chose them.
 * @param line with its subtotal
 */
export function withTaxesOfDay<Line extends OpenLine>(line: Line, product: LineProduct, days: { readonly from: string; readonly to: string }, bounds: LineBounds): Line {
  const [then, now] = [days.from, days.to].map((day) => taxOf(product, line.subtotal ?? '0', day, bounds));
  return then && now && haveSameTaxes(line, then) && !haveSameTaxes(line, now) ? { ...line, ...now } : line;
}

function haveSameTaxes(one: Taxes, other: Taxes): boolean {
  const [mine, theirs] = [one.taxes ?? [], other.taxes ?? []];
  const isSame = (tax: LineTax, like: LineTax | undefined): boolean =>
    like !== undefined && tax.tax_code === like.tax_code && tax.tax_rate_code === like.tax_rate_code &&
    sameDecimal(tax.taxable_base, like.taxable_base) && nearly(tax.tax_amount, like.tax_amount);
  return one.tax_code === other.tax_code && one.tax_rate_code === other.tax_rate_code && mine.length === theirs.length && mine.every((tax, index) => isSame(tax, theirs[index]));
}

/**
 * Lines, of which the IVA that the service itemised has its cents spread where a rate's lines, rounded one by one, add up to more than
 * a cent beside what its group has to come to: the group that the caller gives, else the tax of the base. What the caller itemised stands.
 * @param isMade whether the service itemised the taxes of the line at that place
 * @param given groups of the caller
 */
export function withSpreadIva<Line extends OpenLine>(lines: readonly Line[], isMade: (index: number) => boolean, given: readonly LineTax[], asOf: string): Line[] {
  const made = [...lines.keys()].filter(isMade);
  if (made.length === 0) return [...lines];
  const ivas = lines.map((line) => ivaOf(line, asOf));
  const amounts = new Map<number, string>();
  for (const code of new Set(made.map((index) => ivas[index]?.tax_rate_code))) {
    const group = ivas.filter((iva) => iva !== null && iva.tax_rate_code === code) as LineTax[];
    const rate = group[0]?.rate ?? '0';
    const told = given.find((tax) => tax.tax_code === TAX.iva && tax.tax_rate_code === code);
    const due = told?.tax_amount ?? taxAmount(sum(group.map((iva) => iva.taxable_base)), rate);
    if (nearly(sum(group.map((iva) => iva.tax_amount)), due)) continue;
    const mine = made.filter((index) => ivas[index]?.tax_rate_code === code);
    const spread = spreadTaxes(mine.map((index) => ivas[index]?.taxable_base ?? '0'), rate);
    for (const [position, index] of mine.entries()) amounts.set(index, money(spread[position] ?? dec('0')));
  }
  return lines.map((line, index) => {
    const amount = amounts.get(index);
    return amount === undefined ? line : { ...line, taxes: line.taxes?.map((tax) => (tax.tax_code === TAX.iva ? { ...tax, tax_amount: amount } : tax)) };
  });
}

/** The IVA of a line, itemised or by its code. */
function ivaOf({ subtotal, tax_code: code, tax_rate_code: rateCode, taxes }: OpenLine, asOf: string): LineTax | null {
  if (taxes) return taxes.find((tax) => tax.tax_code === TAX.iva) ?? null;
  return code === TAX.iva && subtotal !== undefined && rateCode !== undefined ? adValorem(code, rateCode, subtotal, asOf) : null;
}
