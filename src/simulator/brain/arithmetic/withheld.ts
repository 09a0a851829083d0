import { type CodeTable, rowsAsOf } from '../../../sri/tables/code-table.js';
import { IVA_WITHHOLDING, ISD_WITHHOLDING, type WithholdingRate } from '../../../sri/tables/withholding.js';
import { dayNumberOf } from '../guayaquil-time.js';
import { type Element, textAt } from '../xml/element.js';
import { agree, amount, cents, difference } from './totals.js';

/** Taxes whose codes the ficha itself lists; those of income tax are the ATS's and not judged. */
const LISTED: ReadonlyMap<string, CodeTable<WithholdingRate>> = new Map([['2', IVA_WITHHOLDING], ['6', ISD_WITHHOLDING]]);

/**
 * One withheld tax, of either version: a code of its tax with that code's percentage
 * (table 20), and the amount is base times percentage.
 *
 * @param days `dd/mm/yyyy` on which the code may have been in force
 */
export function withheldDifferences(entry: Element, days: readonly string[]): readonly string[] {
  const printed = amount(textAt(entry, 'valorRetenido'));
  const percent = amount(textAt(entry, 'porcentajeRetener'));
  const computed = cents(amount(textAt(entry, 'baseImponible')).times(percent).dividedBy(100));
  const found = agree(printed, computed) ? [] : [difference('El valor retenido', printed, computed)];
  const code = textAt(entry, 'codigoRetencion') ?? '';
  const table = LISTED.get(textAt(entry, 'codigo') ?? '');
  if (table === undefined) return found;
  const rows = days
    .filter((day) => dayNumberOf(day) !== null)
    .flatMap((day) => rowsAsOf(table, isoDay(day)).filter((row) => row.code === code));
  if (rows.length === 0) return [...found, `El código de retención ${code} no existe o no está vigente`];
  return rows.some((row) => row.percent === null || percent.equals(row.percent))
    ? found
    : [...found, `El porcentaje ${percent.toFixed(2)} no corresponde al código de retención ${code}`];
}

/** `dd/mm/yyyy` as the tables write days. */
function isoDay(day: string): string {
  return day.split('/').reverse().join('-');
}
