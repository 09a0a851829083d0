import { type ProductRow, type RowProblem, textOf } from '../domain/product-import.js';
import { productProblems } from '../domain/product-rules.js';
import { PRODUCT_FIELDS, type ProductField, type ProductValues } from '../domain/product.js';
import { type CsvRow, csvRows, separatorOf } from './csv-table.js';
import { cellValue, isProductField } from './product-cells.js';

export interface ProductFile {
  readonly rows: readonly ProductRow[];
  readonly problems: readonly RowProblem[];
}

/** The most rows of one file. */
const MAX_ROWS = 20_000;
/** A header with more columns is looked into no further: more of them are wrong than an answer lists. */
const MAX_COLUMNS = 1_000;

/**
 * Reads the products of a CSV file, each row by itself.
 * @throws DomainError MALFORMED_REQUEST for what is no CSV, PAYLOAD_TOO_LARGE for too many rows
 */
export async function readProductFile(text: string): Promise<ProductFile & { readonly headerProblems: readonly RowProblem[] }> {
  const separator = separatorOf(text);
  const [rows, problems] = [[] as ProductRow[], [] as RowProblem[]];
  const lines = new Map<string, number>();
  let columns: readonly string[] | null = null;
  for await (const row of csvRows(text, separator, MAX_ROWS)) {
    if (columns === null) {
      columns = row.cells.map((cell) => cell.trim().toLowerCase());
      const headerProblems = judgeHeader(columns, row.line);
      if (headerProblems.length > 0) return { rows, problems, headerProblems };
      continue;
    }
    const read = readRow(row, columns as readonly ProductField[], separator);
    const mainCode = read.values.main_code;
    const before = mainCode === undefined ? undefined : lines.get(mainCode);
    if (mainCode !== undefined && before === undefined) lines.set(mainCode, row.line);
    if (before !== undefined) read.problems.push({ line: row.line, field: 'main_code', type: 'csv_repeated', ctx: { line: before }, input: mainCode ?? null });
    // A row without a fault of its own is judged as the product that it makes.
    if (read.problems.length > 0) read.problems.push(...judgeCodes(read.values, row.line));
    problems.push(...read.problems);
    if (read.problems.length === 0 && mainCode !== undefined) rows.push({ line: row.line, values: { ...read.values, main_code: mainCode } });
  }
  const headerProblems = columns === null ? judgeHeader([], 1) : [];
  return { rows, problems, headerProblems };
}

/** A name that no column has is refused: a typo must not leave a price as it was. */
function judgeHeader(all: readonly string[], line: number): RowProblem[] {
  const columns = all.slice(0, MAX_COLUMNS);
  const at = (field: string, type: string, ctx = {}): RowProblem => ({ line, field, type, ctx, input: null });
  return [
    ...(all.includes('main_code') ? [] : [at('main_code', 'missing')]),
    ...columns.filter((name) => !isProductField(name)).map((name) => ({ ...at(name, 'extra_forbidden', { expected: PRODUCT_FIELDS }), input: name })),
    ...columns.filter((name, index) => columns.indexOf(name) < index).map((name) => at(name, 'csv_repeated', { line })),
  ];
}

const judgeCodes = (values: Partial<ProductValues>, line: number): RowProblem[] =>
  productProblems(values).map(({ field, type, ctx }) => ({ line, field, type, ctx, input: type === 'missing' ? null : textOf(values[field]) }));

function readRow({ line, cells }: CsvRow, columns: readonly ProductField[], separator: string): { values: Partial<ProductValues>; problems: RowProblem[] } {
  if (cells.length !== columns.length) {
    const ctx = { expected: columns.length, actual: cells.length };
    return { values: {}, problems: [{ line, field: null, type: 'csv_cells', ctx, input: null }] };
  }
  const values: Record<string, unknown> = {};
  const problems: RowProblem[] = [];
  for (const [index, field] of columns.entries()) {
    const cell = cells[index] ?? '';
    const checked = cellValue(field, cell, separator);
    if (checked.ok) values[field] = checked.value;
    else problems.push({ line, field, type: checked.type, ctx: checked.ctx, input: cell });
  }
  return { values, problems };
}
