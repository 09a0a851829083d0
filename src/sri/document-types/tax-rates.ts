import { rateOf } from '../money.js';
import { awaited, isKnown, lookup, rowsAsOf, type CodeRow, type CodeTable } from '../tables/code-table.js';
import { EXCISE_CODE, ICE_RATES, IRBPNR_RATES, IVA_RATES, TAX, type SpecificRate } from '../tables/taxes.js';
import type { DocumentContent } from './content.js';

/** A rate code of any tax, seen alike. */
export interface TaxRate {
  /** Percentage as the XML writes it, where the tax is ad valorem. */
  readonly percent: string | null;
  /** `percent` as a fraction. */
  readonly fraction: string | null;
  /** Amount per unit, where it is specific. */
  readonly specific: SpecificRate | null;
  /** The document must use exactly this rate; otherwise the table only informs. */
  readonly binding: boolean;
  /** The code of ICE is not in this version's table for that day: nothing is known of its rate. */
  readonly unlisted: boolean;
  /** No decree known to this version puts the code to use on that day. */
  readonly awaitsDecree: boolean;
}

export type TaxRateAnswer = TaxRate | 'unknown_tax' | 'unknown_rate' | 'not_in_force';

interface RateRow extends CodeRow {
  readonly percent: string | null;
  readonly specific?: SpecificRate | null;
}

const TABLES: Readonly<Record<string, { readonly table: CodeTable<RateRow>; readonly binding: boolean }>> = {
  [TAX.iva]: { table: IVA_RATES, binding: true },
  [TAX.ice]: { table: ICE_RATES, binding: false },
  [TAX.irbpnr]: { table: IRBPNR_RATES, binding: false },
};

const UNLISTED: TaxRate = { percent: null, fraction: null, specific: null, binding: false, unlisted: true, awaitsDecree: false };

/** The rate of a tax and rate code on a day (`YYYY-MM-DD`), or why there is none. */
export function taxRate(taxCode: string, rateCode: string, asOf: string): TaxRateAnswer {
  const entry = Object.hasOwn(TABLES, taxCode) ? TABLES[taxCode] : undefined;
  if (entry === undefined) return 'unknown_tax';
  const row = lookup(entry.table, rateCode, asOf) ?? awaited(entry.table, rateCode, asOf);
  if (row !== undefined) return rateOfRow(row, entry.binding);
  if (taxCode === TAX.ice && EXCISE_CODE.test(rateCode)) return UNLISTED;
  return isKnown(entry.table, rateCode) ? 'not_in_force' : 'unknown_rate';
}

/** Longest list of codes that still helps somebody to choose: that of ICE has dozens. */
const TELLABLE = 20;

/** The rate codes of a tax in force on a day, as `0, 4, 5`; null where they are too many to list, or none. */
export function rateCodesInForce(taxCode: string, asOf: string): string | null {
  const entry = Object.hasOwn(TABLES, taxCode) ? TABLES[taxCode] : undefined;
  const codes = entry === undefined ? [] : rowsAsOf(entry.table, asOf).map(({ code }) => code);
  return codes.length === 0 || codes.length > TELLABLE ? null : codes.join(', ');
}

/** Rows are constants: each is converted once. */
const converted = new WeakMap<RateRow, TaxRate>();

function rateOfRow(row: RateRow, binding: boolean): TaxRate {
  let rate = converted.get(row);
  if (rate === undefined) {
    const fraction = row.percent === null ? null : rateOf(row.percent);
    rate = { percent: row.percent, fraction, specific: row.specific ?? null, binding, unlisted: false, awaitsDecree: row.awaitsDecree === true };
    converted.set(row, rate);
  }
  return rate;
}

/**
 * The day whose rates a document uses: a credit or debit note (04, 05) uses those of
 * the document that it modifies (ficha técnica, notes on both annexes), every other
 * type those of its own issue date.
 */
export function ratesDay(
  content: Pick<DocumentContent, 'documentType' | 'issueDate' | 'modifiedDocumentIssueDate'>,
): string {
  const modifies = content.documentType === '04' || content.documentType === '05';
  return modifies ? (content.modifiedDocumentIssueDate ?? content.issueDate) : content.issueDate;
}

/** One group of `totalConImpuestos`: lines of the same tax and rate. */
export function groupKey(tax: { readonly taxCode: string; readonly taxRateCode: string }): string {
  return `${tax.taxCode}/${tax.taxRateCode}`;
}
