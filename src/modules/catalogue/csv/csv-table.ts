import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { DomainError } from '../../../shared/domain-error.js';
import type { Charset } from '../products.dto.js';

/** A row of a file and the line where it begins, from 1. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

const SEPARATORS = [',', ';', '\t'] as const;
/** Larger than any row that can be sound. */
const MAX_ROW_LENGTH = 65_536;
const PIECE = 16_384;
const LINE_END = /\r\n|\n|\r/g;

/**
 * The text of a CSV file, without its byte order mark.
 * @throws DomainError MALFORMED_REQUEST when the bytes are not in the character set
 */
export function csvText(bytes: Buffer, charset: Charset): string {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    throw new DomainError('MALFORMED_REQUEST', { reason: 'invalid_charset', charset });
  }
}

/** Separator of a file's cells: the one that stands most often in its first line, whose names hold none of them. */
export function separatorOf(text: string): string {
  const beginning = text.slice(0, MAX_ROW_LENGTH);
  const header = beginning.slice(0, beginning.search(/[\r\n]|$/));
  const count = (separator: string): number => header.split(separator).length;
  return SEPARATORS.reduce((best, one) => (count(one) > count(best) ? one : best));
}

/**
 * The rows of a CSV file in turn; empty ones, and those of empty cells only, are left out.
 * @throws DomainError MALFORMED_REQUEST, with the line, when quotes do not match
 */
export async function* csvRows(text: string, separator: string): AsyncGenerator<CsvRow> {
  refuseLongLines(text);
  let [next, empty] = [1, 0];
  const lines: number[] = [];
  const lineOf = (emptyLines: number): number => next + emptyLines - empty;
  const parser = parse({
    delimiter: separator, record_delimiter: ['\r\n', '\n', '\r'], relax_column_count: true, skip_empty_lines: true, max_record_size: MAX_ROW_LENGTH,
    // As they are parsed, not as they are read: an error comes before the rows that wait to be read. The parser's own count takes a quoted CRLF for two.
    on_record: (cells, { empty_lines: emptyLines }) => {
      const line = lineOf(emptyLines);
      [next, empty] = [line + 1 + breaksIn(cells), emptyLines];
      if (cells.every((cell) => cell.trim() === '')) return null;
      lines.push(line);
      return cells;
    },
  });
  try {
    for await (const cells of Readable.from(pieces(text)).pipe(parser) as AsyncIterable<string[]>) yield { line: lines.shift() ?? 0, cells };
  } catch (error) {
    if (error instanceof CsvError) throw new DomainError('MALFORMED_REQUEST', { reason: 'invalid_csv', problem: error.code, line: lineOf(Number(error['empty_lines'])) });
    throw error;
  }
}

/** Line breaks inside the quotes of a row. */
const breaksIn = (cells: readonly string[]): number => cells.reduce((count, cell) => count + (/[\r\n]/.test(cell) ? [...cell.matchAll(LINE_END)].length : 0), 0);

/** The parser counts the characters of a row without its separators: of these alone there may be millions. */
function refuseLongLines(text: string): void {
  let [start, line] = [0, 1];
  for (const { index, 0: end } of text.matchAll(LINE_END)) {
    if (index - start > MAX_ROW_LENGTH) break;
    start = index + end.length;
    line += 1;
  }
  const next = text.slice(start, start + MAX_ROW_LENGTH + 1);
  if (next.length > MAX_ROW_LENGTH && !/[\r\n]/.test(next)) throw new DomainError('MALFORMED_REQUEST', { reason: 'invalid_csv', problem: 'CSV_MAX_RECORD_SIZE', line });
}

function* pieces(text: string): Generator<string> {
  for (let start = 0; start < text.length; start += PIECE) yield text.slice(start, start + PIECE);
}
