import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { StreamableFile } from '@nestjs/common';
import { ZipFile } from 'yazl';
import { streamedAnswer } from './streamed-answer.js';

/** `decimal` and `integer` are digits as they stand, never a float; `day` is `YYYY-MM-DD`. */
export type XlsxKind = 'text' | 'decimal' | 'integer' | 'day';

export interface XlsxColumn {
  readonly name: string;
  readonly kind: XlsxKind;
}

export interface XlsxFile {
  /** `documents.xlsx` */
  readonly fileName: string;
  readonly sheetName: string;
  readonly columns: readonly XlsxColumn[];
  /** Rows of a sheet with its header; what is more goes on in the next sheet. Default: the most that spreadsheets open. */
  readonly rowsPerSheet?: number;
}

export type XlsxRow = readonly (string | null)[];

const MOST_ROWS = 1_048_576;
/** The media type of a workbook. */
export const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
/** The time of every part: the same rows make the same bytes, whenever they are asked for. */
const PART = { mtime: new Date('1980-01-01T00:00:00Z') };
const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** Batches of rows as an Office Open XML workbook of any size; see `streamedAnswer`. */
export function xlsxAnswer(file: XlsxFile, batches: AsyncIterable<readonly XlsxRow[]>): Promise<StreamableFile> {
  return streamedAnswer(zipParts(file, batches), { type: XLSX, fileName: file.fileName });
}

async function* zipParts(file: XlsxFile, batches: AsyncIterable<readonly XlsxRow[]>): AsyncGenerator<Uint8Array> {
  const source = new RowSource(batches);
  try {
    // Before the first byte: rows that cannot be read at all are a refusal, not a broken file.
    await source.peek();
    const zip = new ZipFile();
    const bytes = zip.outputStream as Readable;
    zip.on('error', (error: Error) => bytes.destroy(error));
    writeWorkbook(zip, file, source).catch((error: unknown) => bytes.destroy(error as Error));
    yield* bytes as AsyncIterable<Buffer>;
  } finally {
    await source.end();
  }
}

/** Sheets first, for nobody knows how many there are before the rows end; then the parts that list them. */
async function writeWorkbook(zip: ZipFile, file: XlsxFile, source: RowSource): Promise<void> {
  let sheets = 0;
  do {
    sheets += 1;
    const sheet = Readable.from(sheetXml(file, source), { objectMode: false });
    zip.addReadStream(sheet, `xl/worksheets/sheet${sheets}.xml`, PART);
    await finished(sheet);
  } while ((await source.peek()) !== null);
  const numbers = Array.from({ length: sheets }, (_, index) => index + 1);
  const add = (path: string, xml: string): void => zip.addBuffer(Buffer.from(DECLARATION + xml), path, PART);
  add('xl/workbook.xml', `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONSHIPS}"><sheets>${numbers.map((number) => `<sheet name="${escape(number === 1 ? file.sheetName : `${file.sheetName} ${number}`)}" sheetId="${number}" r:id="rId${number}"/>`).join('')}</sheets></workbook>`);
  add('xl/styles.xml', STYLES);
  add('xl/_rels/workbook.xml.rels', relationships([...numbers.map((number) => ['worksheet', `worksheets/sheet${number}.xml`] as const), ['styles', 'styles.xml']]));
  add('_rels/.rels', relationships([['officeDocument', 'xl/workbook.xml']]));
  add('[Content_Types].xml', contentTypes(numbers));
  zip.end();
}

async function* sheetXml({ columns, rowsPerSheet = MOST_ROWS }: XlsxFile, source: RowSource): AsyncGenerator<string> {
  const letters = columns.map((_, index) => columnLetters(index));
  const cells = (row: XlsxRow, number: number, kindOf: (index: number) => XlsxKind): string =>
    `<row r="${number}">${row.map((value, index) => (value === null ? '' : cell(`${letters[index] ?? ''}${number}`, kindOf(index), value))).join('')}</row>`;
  yield `${DECLARATION}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>${cells(columns.map(({ name }) => name), 1, () => 'text')}`;
  let number = 1;
  while (number < rowsPerSheet) {
    const rows = await source.take(rowsPerSheet - number);
    if (rows === null) break;
    const from = number;
    number += rows.length;
    yield rows.map((row, index) => cells(row, from + index + 1, (column) => columns[column]?.kind ?? 'text')).join('');
  }
  yield '</sheetData></worksheet>';
}

/** Rows in the batches they come in, one look ahead. */
class RowSource {
  private readonly iterator: AsyncIterator<readonly XlsxRow[]>;
  private batch: readonly XlsxRow[] | null = [];

  constructor(batches: AsyncIterable<readonly XlsxRow[]>) {
    this.iterator = batches[Symbol.asyncIterator]();
  }

  /** The rows at hand; null when there are no more. */
  async peek(): Promise<readonly XlsxRow[] | null> {
    while (this.batch?.length === 0) {
      const next = await this.iterator.next();
      this.batch = next.done === true ? null : next.value;
    }
    return this.batch;
  }

  /** Takes at most `most` rows. */
  async take(most: number): Promise<readonly XlsxRow[] | null> {
    const rows = await this.peek();
    this.batch = rows === null ? null : rows.slice(most);
    return rows === null ? null : rows.slice(0, most);
  }

  async end(): Promise<void> {
    await this.iterator.return?.();
  }
}

/** Texts stand in the cell itself: a formula is an element of its own, so none of them is ever computed. */
function cell(place: string, kind: XlsxKind, value: string): string {
  switch (kind) {
    case 'text':
      return `<c r="${place}" t="inlineStr"><is><t xml:space="preserve">${escape(value)}</t></is></c>`;
    case 'decimal':
      return `<c r="${place}" s="1"><v>${value}</v></c>`;
    case 'integer':
      return `<c r="${place}"><v>${value}</v></c>`;
    case 'day':
      return `<c r="${place}" s="2"><v>${serialDay(value)}</v></c>`;
  }
}

const DAY_MS = 86_400_000;

/** Days since the spreadsheets' day zero. */
const serialDay = (day: string): number => (Date.parse(`${day}T00:00:00Z`) - Date.UTC(1899, 11, 30)) / DAY_MS;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** What XML cannot hold is left out; `_x000D_` and its like would be read as an escape, hence their own escape. */
const escape = (text: string): string =>
  text
     
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
    .replace(/_(?=x[0-9a-fA-F]{4}_)/g, '_x005F_')
    .replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);

function columnLetters(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : columnLetters(Math.floor(index / 26) - 1) + last;
}

const STYLES =
  `<styleSheet xmlns="${MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/></numFmts>` +
  '<fonts count="1"><font/></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders>' +
  '<cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3"><xf/><xf numFmtId="2" applyNumberFormat="1"/><xf numFmtId="164" applyNumberFormat="1"/></cellXfs></styleSheet>';

const relationships = (targets: readonly (readonly [type: string, target: string])[]): string =>
  `<Relationships xmlns="${PACKAGE}/relationships">${targets.map(([type, target], index) => `<Relationship Id="rId${index + 1}" Type="${RELATIONSHIPS}/${type}" Target="${target}"/>`).join('')}</Relationships>`;

function contentTypes(sheets: readonly number[]): string {
  const part = (path: string, type: string): string => `<Override PartName="${path}" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.${type}+xml"/>`;
  const parts = [part('/xl/workbook.xml', 'sheet.main'), part('/xl/styles.xml', 'styles'), ...sheets.map((number) => part(`/xl/worksheets/sheet${number}.xml`, 'worksheet'))];
  return `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${parts.join('')}</Types>`;
}
