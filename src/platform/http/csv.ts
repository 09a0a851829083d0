import type { StreamableFile } from '@nestjs/common';
import { stringify } from 'csv-stringify/sync';
import { streamedAnswer } from './streamed-answer.js';

export type CsvCell = string | number | boolean | Date | null;

/** What stands between cells, by the names that a query has for it. */
export const SEPARATORS = { comma: ',', semicolon: ';' } as const;
export type SeparatorName = keyof typeof SEPARATORS;
export type Separator = (typeof SEPARATORS)[SeparatorName];

/** The query's field of every export. */
export const SEPARATOR = { default: 'comma', about: 'semicolon: for spreadsheets set to Spanish, with decimal commas' } as const;

/** A plain decimal as a spreadsheet reads it: beside semicolons stand decimal commas. */
export const csvDecimal = (decimal: string, separator: Separator): string => (separator === SEPARATORS.semicolon ? decimal.replace('.', ',') : decimal);

export interface CsvFile {
  /** `products.csv` */
  readonly fileName: string;
  readonly header: readonly string[];
  /** Default: a comma (RFC 4180). */
  readonly separator?: Separator;
}

/** Spreadsheets take the bytes for UTF-8 by this only. */
const BYTE_ORDER_MARK = '\ufeff';

/**
 * Where a spreadsheet would compute: at the beginning, and after a separator, for it may split where we did not, and take
 * a quote there for the beginning of a field; also after apostrophes that were there before ours.
 */
const BEFORE_FORMULA = /(?<=^|[;,\t])(?=["']*[=+\-@\t\r\n＝＋－＠])/gu;
const BEFORE_INERT = /(?<=^|[;,\t])'(?=["']*[=+\-@\t\r\n＝＋－＠])/gu;

/** Batches of rows as a CSV file (RFC 4180, UTF-8 with a byte order mark) of any size; see `streamedAnswer`. */
export function csvAnswer({ fileName, header, separator = ',' }: CsvFile, batches: AsyncIterable<readonly (readonly CsvCell[])[]>): Promise<StreamableFile> {
  return streamedAnswer(csvParts(header, separator, batches), { type: 'text/csv; charset=utf-8; header=present', fileName });
}

async function* csvParts(header: readonly string[], separator: string, batches: AsyncIterable<readonly (readonly CsvCell[])[]>): AsyncGenerator<string> {
  const lines = (rows: readonly (readonly CsvCell[])[]): string =>
    stringify(rows.map((row) => row.map(cellText)), { delimiter: separator, record_delimiter: 'windows', quoted_match: /[\r\n]/ });
  let start = BYTE_ORDER_MARK + lines([header]);
  for await (const batch of batches) {
    yield start + lines(batch);
    start = '';
  }
  if (start !== '') yield start;
}

function cellText(cell: CsvCell): string {
  if (cell === null) return '';
  if (cell instanceof Date) return cell.toISOString();
  return typeof cell === 'string' ? inert(cell) : String(cell);
}

/** What an export as CSV says of its texts, for programs that read it. */
export const CSV_TEXTS =
  'UTF-8 with a byte order mark. So that no spreadsheet computes a text, one apostrophe was put where `=`, `+`, `-`, `@`, `＝`, `＋`, `－`, `＠`, a tab or a line break ' +
  'begins it, or follows a `;`, `,` or tab in it, be it behind quotes or apostrophes: before those, too. A program takes that one away. ';

/** A text that no spreadsheet computes: an apostrophe before what begins like a formula. */
export const inert = (text: string): string => text.replace(BEFORE_FORMULA, "'");

/** The text that `inert` was given. */
export const original = (cell: string): string => cell.replace(BEFORE_INERT, '');
