import { isAscii, isUtf8 } from 'node:buffer';
import { pipeline } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { CsvError, parse } from 'csv-parse';
import { DomainError } from '../../../shared/domain-error.js';
import { type Charset, CHARSETS } from '../products.dto.js';

/** A file as it came. */
export interface UploadedCsv {
  readonly bytes: Buffer;
  /** What its `Content-Type` names; null when that names none. */
  readonly charset: Charset | null;
}

/** A row of a file and the line where it begins, from 1. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

const SEPARATORS = [',', ';', '\t'] as const;
/** Larger than any row that can be sound. */
const MAX_ROW_LENGTH = 65_536;
/** Bytes that are parsed in one go: rows of two bytes take longest, some 30 µs each. Other requests come in between. */
const PIECE = 2_048;
/** What an empty row has none of, whichever the separator. */
const FILLED = /[^\s,;"]/;
const LINE_END = /\r\n|\n|\r/;

/**
 * The text of a CSV file, without its byte order mark.
 * @param charset what the query names; where neither it nor the file's `Content-Type` does, the file is UTF-8
 * @throws DomainError MALFORMED_REQUEST when the bytes are not in the character set, or two are named
 */
export function csvText({ bytes, charset: declared }: UploadedCsv, charset: Charset = declared ?? 'utf-8'): string {
  const refusal = (detail = {}): DomainError => new DomainError('MALFORMED_REQUEST', { reason: 'invalid_charset', charset, ...detail, expected: CHARSETS });
  if (declared !== null && declared !== charset) throw refusal({ content_type: declared });
  // Windows-1252 has a letter for nearly every byte: names in UTF-8 would be read as others, and nobody would be told.
  if (charset !== 'utf-8' && isUtf8(bytes) && !isAscii(bytes)) throw refusal();
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    throw refusal();
  }
}

/** Separator of a file's cells: the one that stands most often in its first line that is not empty, whose names hold none of them. */
export function separatorOf(text: string): string {
  const before = text.slice(0, Math.max(0, text.search(FILLED)));
  const start = Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1;
  const [header = ''] = text.slice(start, start + MAX_ROW_LENGTH).split(LINE_END, 1);
  const count = (separator: string): number => header.split(separator).length;
  return SEPARATORS.reduce((best, one) => (count(one) > count(best) ? one : best));
}

/**
 * The rows of a CSV file in turn; empty ones, and those of empty cells only, are left out.
 * @param maxRows how many are taken beside the header; as many again may be empty, for spreadsheets leave thousands of them at the end
 * @throws DomainError MALFORMED_REQUEST, with the line, when quotes do not match, PAYLOAD_TOO_LARGE for too many rows
 */
export async function* csvRows(text: string, separator: string, maxRows: number): AsyncGenerator<CsvRow> {
  refuseWideRows(text, separator);
  let [next, empty, all, filled] = [1, 0, 0, 0];
  const lines: number[] = [];
  const lineOf = (emptyLines: number): number => next + emptyLines - empty;
  const parser = parse({
    delimiter: separator, record_delimiter: ['\r\n', '\n', '\r'], relax_column_count: true, skip_empty_lines: true, max_record_size: MAX_ROW_LENGTH,
    // As they are parsed, not as they are read: an error comes before the rows that wait to be read. The parser's own count takes a quoted CRLF for two.
    on_record: (cells, { empty_lines: emptyLines }) => {
      const isEmpty = cells.every((cell) => cell.trim() === '');
      all += 1;
      if (!isEmpty) filled += 1;
      // Of empty rows there may be millions, and each takes its time.
      if (filled > maxRows + 1 || all > 2 * maxRows + 1) throw new DomainError('PAYLOAD_TOO_LARGE', { max_rows: maxRows });
      const line = lineOf(emptyLines);
      [next, empty] = [line + 1 + breaksIn(cells), emptyLines];
      if (isEmpty) return null;
      lines.push(line);
      return cells;
    },
  });
  // The loop below is told of failures by the parser itself.
  pipeline(pieces(Buffer.from(text)), parser, () => undefined);
  try {
    for await (const cells of parser as AsyncIterable<string[]>) yield { line: lines.shift() ?? 0, cells };
  } catch (error) {
    if (error instanceof CsvError) throw new DomainError('MALFORMED_REQUEST', { reason: 'invalid_csv', problem: error.code, line: lineOf(Number(error['empty_lines'])) });
    throw error;
  }
}

/** Line breaks inside the quotes of a row. */
const breaksIn = (cells: readonly string[]): number => cells.reduce((count, cell) => count + (/[\r\n]/.test(cell) ? cell.split(LINE_END).length - 1 : 0), 0);

const [QUOTE, LINE_FEED, CARRIAGE_RETURN] = ['"', '\n', '\r'].map((character) => character.charCodeAt(0));

/** The parser counts the characters of a row without its separators: of these alone there may be millions, also in a row of many lines. */
function refuseWideRows(text: string, separator: string): void {
  const between = separator.charCodeAt(0);
  let line = 1;
  let begin = 1;
  let cells = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (character === QUOTE) quoted = !quoted;
    else if (character === between && !quoted) {
      cells += 1;
      if (cells > MAX_ROW_LENGTH) throw new DomainError('MALFORMED_REQUEST', { reason: 'invalid_csv', problem: 'CSV_MAX_RECORD_SIZE', line: begin });
    } else if (character === LINE_FEED || (character === CARRIAGE_RETURN && text.charCodeAt(index + 1) !== LINE_FEED)) {
      line += 1;
      if (quoted) continue;
      begin = line;
      cells = 0;
    }
  }
}

/** Bytes, for a character may lie across two pieces. */
async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += PIECE) {
    yield bytes.subarray(start, start + PIECE);
    // eslint-disable-next-line no-restricted-syntax -- no wait, but the end of the turn
    await setImmediate();
  }
}
