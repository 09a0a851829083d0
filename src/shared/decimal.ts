import { Decimal as DecimalJs } from 'decimal.js';

/**
 * Decimal arithmetic of the service: every amount, quantity and rate is computed
 * with this constructor (60 significant digits, half up), never in floating point.
 */
export const Decimal = DecimalJs.clone({ precision: 60, rounding: DecimalJs.ROUND_HALF_UP });
export type Decimal = DecimalJs;

export interface DecimalFormat {
  /** Most fractional digits the field takes; the canonical form always shows exactly these. */
  readonly fractionDigits: number;
  /** Show the fractional digits that were given instead. */
  readonly asGiven?: boolean;
  /** Accept negative values. Default: non-negative only. */
  readonly signed?: boolean;
  /** Refuse zero. */
  readonly positive?: boolean;
  /** Largest value accepted, as a plain decimal string. */
  readonly max?: string;
  /** Most integer digits; `WHOLE_DIGITS` where nothing is said. */
  readonly wholeDigits?: number;
}

export type DecimalProblem =
  | 'decimal_type'
  | 'decimal_parsing'
  | 'decimal_max_digits'
  | 'decimal_max_places'
  | 'decimal_whole_digits'
  | 'greater_than'
  | 'greater_than_equal'
  | 'less_than_equal';

export type ParsedDecimal =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly type: DecimalProblem; readonly ctx: Readonly<Record<string, string | number>> };

const PLAIN = /^([+-]?)(0|[1-9][0-9]*)(?:\.([0-9]+))?$/;
const MAX_INPUT_LENGTH = 64;
const MAX_NUMBER_DIGITS = 15;
/** Digits of an amount before the point: what the SRI's 14-digit amounts with 2 decimals leave. */
export const WHOLE_DIGITS = 12;

const refused = (type: DecimalProblem, ctx: Readonly<Record<string, string | number>> = {}): ParsedDecimal => ({
  ok: false,
  type,
  ctx,
});

const tooSmall = ({ positive }: DecimalFormat): ParsedDecimal => (positive === true ? refused('greater_than', { gt: 0 }) : refused('greater_than_equal', { ge: 0 }));

/**
 * Reads a decimal from a JSON value into its canonical plain form (`'12.30'`, no
 * sign, exactly `fractionDigits` decimals), so that `1`, `1.0` and `"+1.00"` are
 * one value.
 *
 * A JSON number is taken by its shortest decimal form. Refused: an exponent, more
 * than 15 significant digits in a number, minus zero, leading zeros (`"007"`), a
 * point without digits on both sides, anything but ASCII digits. Nothing is rounded.
 */
export function parseDecimal(input: unknown, format: DecimalFormat): ParsedDecimal {
  if (typeof input !== 'string' && typeof input !== 'number') return refused('decimal_type');
  if (Object.is(input, -0)) return tooSmall(format);
  const text = String(input);
  const match = text.length <= MAX_INPUT_LENGTH ? PLAIN.exec(text) : null;
  if (match === null) return refused('decimal_parsing');
  const [, sign, whole = '0', fraction = ''] = match;
  if (typeof input === 'number' && significantDigits(whole, fraction) > MAX_NUMBER_DIGITS) {
    return refused('decimal_max_digits', { max_digits: MAX_NUMBER_DIGITS });
  }
  if (fraction.length > format.fractionDigits) {
    return refused('decimal_max_places', { decimal_places: format.fractionDigits });
  }
  const wholeDigits = format.wholeDigits ?? WHOLE_DIGITS;
  if (whole.length > wholeDigits) return refused('decimal_whole_digits', { whole_digits: wholeDigits });
  const zero = whole === '0' && /^0*$/.test(fraction);
  const negative = sign === '-';
  if ((negative && (zero || format.signed !== true)) || (zero && format.positive === true)) return tooSmall(format);
  const shown = format.asGiven === true ? fraction : fraction.padEnd(format.fractionDigits, '0');
  const magnitude = shown === '' ? whole : `${whole}.${shown}`;
  if (format.max !== undefined && !negative && dec(magnitude).gt(dec(format.max))) {
    return refused('less_than_equal', { le: format.max });
  }
  return { ok: true, value: negative ? `-${magnitude}` : magnitude };
}

function significantDigits(whole: string, fraction: string): number {
  return `${whole}${fraction}`.replace(/^0+/, '').length;
}

/** A plain decimal string as a number to compute with. Throws on anything else. */
export function dec(value: string): Decimal {
  return readShort(value) ?? new Decimal(value);
}

/** Digits in one word of decimal.js. */
const WORD = 7;
const POWERS = Array.from({ length: WORD + 1 }, (_unused, exponent) => 10 ** exponent);
const ZERO = '0'.charCodeAt(0);

/**
 * What nearly all amounts are, at most seven digits on each side of the point, read in a quarter of the library's time:
 * a pre-flight reads hundreds. Null: not of that shape, nothing is said of its validity.
 */
function readShort(text: string): Decimal | null {
  const point = text.indexOf('.');
  const wholeDigits = point === -1 ? text.length : point;
  const fractionDigits = point === -1 ? 0 : text.length - point - 1;
  if (wholeDigits < 1 || wholeDigits > WORD || fractionDigits > WORD || (point !== -1 && fractionDigits === 0)) return null;
  let whole = 0;
  let fraction = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (index === point) continue;
    const digit = text.charCodeAt(index) - ZERO;
    if (digit < 0 || digit > 9) return null;
    if (index < wholeDigits) whole = whole * 10 + digit;
    else fraction = fraction * 10 + digit;
  }
  fraction *= POWERS[WORD - fractionDigits] ?? 1;
  // Words of seven digits, most significant first, none of them zero at either end; `e` is the exponent of the first digit.
  const number: { -readonly [Part in keyof Decimal]: Decimal[Part] } = new Decimal(0);
  if (whole > 0) {
    number.d = fraction === 0 ? [whole] : [whole, fraction];
    number.e = digitsOf(whole) - 1;
  } else if (fraction > 0) {
    number.d = [fraction];
    number.e = digitsOf(fraction) - 1 - WORD;
  }
  return number;
}

function digitsOf(whole: number): number {
  let digits = 1;
  while (digits < WORD && whole >= (POWERS[digits] ?? Infinity)) digits += 1;
  return digits;
}

/** Whether two plain decimal strings are one number. Canonical texts usually are the same; only others are compared as numbers. */
export function sameDecimal(one: string, other: string): boolean {
  return one === other || dec(one).eq(dec(other));
}

/** Rounds to cents, half up (half away from zero), as the SRI does. */
export function round2(value: Decimal): Decimal {
  return value.toDecimalPlaces(2, DecimalJs.ROUND_HALF_UP);
}

/** An amount in dollars as text with two decimals, rounded half up: `'12.30'`. */
export function money(value: Decimal): string {
  return value.toFixed(2, DecimalJs.ROUND_HALF_UP);
}

/** Exact sum of plain decimal strings. */
export function sum(values: Iterable<string>): Decimal {
  let total: Decimal | undefined;
  for (const value of values) total = total?.plus(dec(value)) ?? dec(value);
  return total ?? dec('0');
}

const TOO_LARGE = new Decimal(10).pow(WHOLE_DIGITS);

/** Whether a computed amount has more digits before the point than a given one may have. */
export const isTooLarge = (amount: Decimal): boolean => amount.gte(TOO_LARGE);
