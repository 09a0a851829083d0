import { dec, Decimal, money, round2 } from '../shared/decimal.js';

/**
 * The arithmetic of tax documents (ficha técnica, annex 3): amounts in US dollars
 * with two decimals, rounded half up. Arguments are plain decimal strings.
 */

/** Tolerated difference per tax amount and per tax group: one cent. The SRI publishes none (message 52). */
export const CENT = dec('0.01');

/**
 * Subtotal of a line: quantity x unit price - discount. Negative when the discount exceeds the line as rounded to
 * cents: half a cent below zero is the whole line discounted.
 */
export function lineSubtotal(quantity: string, unitPrice: string, discount: string): Decimal {
  return dec(quantity).times(dec(unitPrice)).minus(dec(discount)).toDecimalPlaces(2, Decimal.ROUND_HALF_CEIL);
}

/** Tax on a base; `rate` is a fraction (0.15 is 15 %). */
export function taxAmount(base: Decimal | string, rate: string): Decimal {
  return round2(dec(rate).times(read(base)));
}

/** Taxes of bases, their cents spread: they add up to the tax of all bases together, each within a cent of its own. */
export function spreadTaxes(bases: readonly string[], rate: string): readonly Decimal[] {
  let base = dec('0');
  let given = dec('0');
  return bases.map((one) => {
    base = base.plus(dec(one));
    const amount = taxAmount(base, rate).minus(given);
    given = given.plus(amount);
    return amount;
  });
}

/** Whether two amounts differ by no more than the tolerance, by default one cent. */
export function nearly(one: Decimal | string, other: Decimal | string, tolerance: Decimal = CENT): boolean {
  if (one === other) return true;
  const [first, second] = [read(one), read(other)];
  return first.eq(second) || first.minus(second).abs().lte(tolerance);
}

function read(amount: Decimal | string): Decimal {
  return typeof amount === 'string' ? dec(amount) : amount;
}

/** Rounding error that `count` separately rounded amounts can add up to; never less than one cent. */
export function roundingOf(count: number): Decimal {
  const error = dec('0.005').times(count);
  return error.gt(CENT) ? error : CENT;
}

/** Fraction to the percentage that the XML writes: `0.15` to `15.00`. */
export const percentOf = remembered((rate) => money(dec(rate).times(100)));

/** Percentage to its fraction, exactly: `1.75` to `0.0175`. */
export const fractionOf = remembered((percent) => dec(percent).div(100).toFixed());

/** The code tables know some dozens of rates and every line asks for one; the bound is for odd input. */
const MOST_REMEMBERED = 500;

function remembered(compute: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    let value = known.get(text);
    if (value === undefined) {
      value = compute(text);
      if (known.size < MOST_REMEMBERED) known.set(text, value);
    }
    return value;
  };
}

/** Percentage of a code table to the fraction of the API: `15.00` to `0.1500`. */
export function rateOf(percent: string): string {
  return dec(percent).div(100).toFixed(4);
}
