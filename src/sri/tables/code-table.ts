/**
 * Code tables of the SRI as dated data: a new rate or code is a new row, never an
 * edit of an old one. This folder imports nothing from the rest of the service:
 * the simulator reads it too.
 */
export interface CodeRow {
  readonly code: string;
  readonly es: string;
  readonly en: string;
  /** First day of validity, `YYYY-MM-DD`; null: since the off-line scheme exists. */
  readonly from: string | null;
  /** Last day of validity; null: still in force. */
  readonly to: string | null;
  /** On these days only a decree that this version does not know may have put the code to use: it is not in force for all that is known. */
  readonly awaitsDecree?: true;
}

export interface CodeTable<Row extends CodeRow = CodeRow> {
  readonly name: string;
  /** Where the rows come from. */
  readonly source: string;
  readonly rows: readonly Row[];
}

/** The row of a code in force on a day (`YYYY-MM-DD`), if there is one. */
export function lookup<Row extends CodeRow>(table: CodeTable<Row>, code: string, asOf: string): Row | undefined {
  return table.rows.find((row) => row.code === code && inForce(row, asOf));
}

/** The row of a code that a decree may have put to use on a day without this version knowing. */
export function awaited<Row extends CodeRow>(table: CodeTable<Row>, code: string, asOf: string): Row | undefined {
  return table.rows.find((row) => row.code === code && row.awaitsDecree === true && covers(row, asOf));
}

/** Whether the code has a row at all, in force or not. */
export function isKnown(table: CodeTable, code: string): boolean {
  return table.rows.some((row) => row.code === code);
}

/** Every row in force on a day. */
export function rowsAsOf<Row extends CodeRow>(table: CodeTable<Row>, asOf: string): readonly Row[] {
  return table.rows.filter((row) => inForce(row, asOf));
}

/** The codes in force on a day, as `01, 15, 16`: what a finding about an unknown one expects. */
export const codesAsOf = (table: CodeTable, asOf: string): string => rowsAsOf(table, asOf).map(({ code }) => code).join(', ');

function inForce(row: CodeRow, asOf: string): boolean {
  return row.awaitsDecree !== true && covers(row, asOf);
}

function covers(row: CodeRow, day: string): boolean {
  return (row.from === null || row.from <= day) && (row.to === null || day <= row.to);
}
