import { Decimal } from 'decimal.js';

/** One tax of a line or of the header. Amounts as printed. */
export interface Tax {
  readonly code: string;
  readonly rateCode: string;
  /** Percentage as printed, null where the type prints none. */
  readonly rate: string | null;
  readonly base: string;
  readonly amount: string;
  /** `valorDevolucionIva`. */
  readonly refund: string | null;
}

export interface Line {
  readonly quantity: string;
  readonly unitPrice: string;
  readonly discount: string | null;
  readonly net: string;
  readonly taxes: readonly Tax[];
}

/** What the sums of a sale-like document are checked on, whatever its type calls the parts. */
export interface Totals {
  readonly lines: readonly Line[];
  readonly taxes: readonly Tax[];
  readonly net: string;
  /** Null where the type prints no total of discounts. */
  readonly discount: string | null;
  readonly tip: string | null;
  /** Amounts added to the total outside the tax bases: freight, insurance, third-party items. */
  readonly extras: readonly string[];
  readonly total: string;
  /** Null where the type has no payments. */
  readonly payments: readonly string[] | null;
  /** `dd/mm/yyyy` that decides the IVA rates. */
  readonly ratesOn: string;
}

export const TOLERANCE = new Decimal('0.01');
const CENTS = 2;

export function amount(text: string | null | undefined): Decimal {
  return new Decimal(text === null || text === undefined || text.trim() === '' ? 0 : text.trim());
}

export function sumOf(amounts: readonly Decimal[]): Decimal {
  return amounts.reduce((sum, value) => sum.plus(value), new Decimal(0));
}

export function cents(value: Decimal): Decimal {
  return value.toDecimalPlaces(CENTS, Decimal.ROUND_HALF_UP);
}

/** Whether two amounts agree within one cent. */
export function agree(left: Decimal, right: Decimal): boolean {
  return left.minus(right).abs().lessThanOrEqualTo(TOLERANCE);
}

/** What a thousand lines, each rounded to a cent, can add up to beside the tax of their base. */
const ROUNDED_LINES = new Decimal('5.00');

/** Whether a tax of a document that is not at hand may be the sum of the taxes of its lines. */
export function agreeByLines(printed: Decimal, computed: Decimal): boolean {
  // A line is rounded up by no more than its own tax.
  const slack = Decimal.max(TOLERANCE, Decimal.min(computed, ROUNDED_LINES));
  return printed.minus(computed).abs().lessThanOrEqualTo(slack);
}

/** A difference in the words of message 52. */
export function difference(what: string, printed: Decimal, computed: Decimal): string {
  return `${what} ${printed.toFixed(CENTS)} no es igual a ${computed.toFixed(CENTS)}`;
}
