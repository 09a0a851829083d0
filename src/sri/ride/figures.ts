import { dec, sum } from '../../shared/decimal.js';
import { guayaquilTimestamp, toSriDate } from '../../shared/guayaquil.js';
import { type CodeTable, lookup } from '../tables/code-table.js';

/** How printed figures, days and codes are written. Nothing is rounded: a column shows as many decimals as its most exact figure. */

/** Decimals that every figure of a column needs; at least two. */
export function decimalsOf(values: Iterable<string>): number {
  let most = 2;
  for (const value of values) most = Math.max(most, dec(value).decimalPlaces());
  return most;
}

/** The figure with so many decimals; more than it has are zeros. */
export function figure(value: string, decimals = 2): string {
  return dec(value).toFixed(Math.max(decimals, dec(value).decimalPlaces()));
}

/** A percentage without needless zeros: `15.00` is `15`, `1.75` stays. */
export function percent(value: string): string {
  return dec(value).toFixed();
}

/** A fraction as a percentage: `0.1500` is `15`. */
export function percentOfFraction(rate: string): string {
  return dec(rate).times(100).toFixed();
}

/** Exact sum as a figure. */
export function sumFigure(values: Iterable<string>): string {
  return figure(sum(values).toFixed());
}

/** Whether an amount is zero, however it is written: `0`, `0.00`. */
export function isZero(value: string): boolean {
  return dec(value).isZero();
}

/** `YYYY-MM-DD` as `dd/mm/yyyy`; nothing for no day. */
export function day(value: string | null): string {
  return value === null ? '' : toSriDate(value);
}

/** An instant in Guayaquil time, `dd/mm/yyyy hh:mm:ss`. */
export function moment(instant: Date): string {
  const stamp = guayaquilTimestamp(instant);
  return `${toSriDate(stamp.slice(0, 10))} ${stamp.slice(11, 19)}`;
}

/** Spanish name of a code on a day; a code that the table does not know stands for itself. */
export function named(table: CodeTable, code: string, asOf: string): string {
  return lookup(table, code, asOf)?.es ?? code;
}
