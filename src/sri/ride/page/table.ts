import { type Block, heading, stack } from './block.js';
import type { Flow } from './flow.js';
import type { Align, Pen } from './pen.js';
import { COLOR, lineHeight, TEXT, type TextStyle } from './style.js';

/** A column of a table over rows of one kind. */
export interface Column<Row> {
  readonly title: string;
  readonly align?: Align;
  /**
   * `rest`: shares what the others leave. `figures`: as wide as its widest text, not
   * wrapped unless the figures alone are wider than the page. Otherwise: as wide as its widest text, up to so many points, then wrapped.
   */
  readonly width: 'rest' | 'figures' | number;
  text(row: Row): string;
  /** Smaller paragraphs under the text. */
  notes?(row: Row): readonly string[];
  readonly style?: TextStyle;
}

interface Paragraph {
  readonly text: string;
  readonly style: TextStyle;
}

interface CellLine extends Paragraph {
  readonly top: number;
  readonly bottom: number;
}

/** Where a column stands, from the left edge of its table. */
interface Track {
  readonly left: number;
  readonly width: number;
  readonly align: Align;
}

interface LaidOutRow {
  readonly cells: readonly { readonly track: Track; readonly lines: readonly CellLine[] }[];
  readonly height: number;
}

/** The part of a row that is drawn, in points from its top. */
interface Part {
  readonly from: number;
  readonly to: number;
}

/** Where something is drawn, and how wide the table is there. */
interface Spot {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

interface LaidOutTable {
  readonly head: LaidOutRow;
  readonly rows: readonly LaidOutRow[];
}

const GUTTER = 9;
const PAD = { top: 3, bottom: 3 } as const;
const LEAST_REST = 64;
/** What a column of codes keeps when the page is too narrow. */
const LEAST_TEXT = 34;

/** A table that stays in one piece. */
export function tableBlock<Row>(pen: Pen, columns: readonly Column<Row>[], rows: readonly Row[], width: number): Block {
  const table = layOut(pen, columns, rows, width);
  return stack([
    { height: table.head.height, draw: (x, y) => drawHead(pen, table.head, { x, y, width }) },
    ...table.rows.map((row): Block => ({ height: row.height, draw: (x, y) => drawRow(pen, row, { x, y, width }) })),
  ]);
}

export interface FlowOptions {
  /** Heading above the table, on the page where it begins. */
  readonly title?: string;
  /** Points that follow the table and need its last rows on their page. */
  readonly keep?: number;
}

/**
 * A table that goes on over as many pages as it needs, its head repeated on each.
 * Its heading and head never end a page, and at least the last two rows stay together
 * with what follows them, so that totals never stand alone.
 */
export function flowTable<Row>(
  flow: Flow,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { title, keep = 0 }: FlowOptions = {},
): void {
  if (rows.length === 0) return;
  const table = layOut(flow.pen, columns, rows, flow.width);
  const onPage = flow.freshRoom - table.head.height;
  const tailStart = Math.max(0, rows.length - 2);
  const tail = table.rows.slice(tailStart).reduce((height, row) => height + row.height, keep);
  const needs = (index: number, height: number): number => (index === tailStart && tail <= onPage ? tail : height);
  const head = (): void => {
    drawHead(flow.pen, table.head, flow);
    flow.advance(table.head.height);
  };
  const nextPage = (): void => {
    flow.newPage();
    head();
  };
  const caption = title === undefined ? null : heading(flow.pen, title);
  const first = table.rows[0]?.height ?? 0;
  const start = needs(0, first <= onPage ? first : LEAST_PART);
  flow.ensure((caption?.height ?? 0) + table.head.height + start);
  if (caption !== null) flow.place(caption);
  head();
  for (const [index, row] of table.rows.entries()) {
    if (index > 0 && needs(index, row.height) > flow.room && row.height <= onPage) nextPage();
    if (row.height <= flow.room) {
      drawRow(flow.pen, row, flow);
      flow.advance(row.height);
    } else {
      drawInParts(flow, row, nextPage);
    }
  }
}

/** Points of a cut row that are worth beginning on a page. */
const LEAST_PART = 90;

/** A row that no page holds is cut between lines. */
function drawInParts(flow: Flow, row: LaidOutRow, nextPage: () => void): void {
  let from = 0;
  while (from < row.height) {
    const bottoms = row.cells.flatMap(({ lines }) => lines.map((line) => line.bottom));
    const fitting = bottoms.filter((bottom) => bottom > from && bottom - from <= flow.room - PAD.bottom);
    if (fitting.length === 0) {
      if (!bottoms.some((bottom) => bottom > from)) break;
      nextPage();
      continue;
    }
    const to = Math.max(...fitting);
    drawRow(flow.pen, row, flow, { from, to });
    flow.advance(to - from + PAD.bottom);
    from = to;
  }
}

function layOut<Row>(pen: Pen, columns: readonly Column<Row>[], rows: readonly Row[], width: number): LaidOutTable {
  const widths = columnWidths(pen, columns, rows, width);
  let left = 0;
  const tracks = columns.map(({ align = 'left' }, index): Track => {
    const track = { left, width: widths[index] ?? 0, align };
    left += track.width + GUTTER;
    return track;
  });
  const layRow = (cells: readonly (readonly Paragraph[])[]): LaidOutRow => {
    const laid = tracks.map((track, index) => ({ track, lines: layCell(pen, cells[index] ?? [], track.width) }));
    return { cells: laid, height: Math.max(...laid.map(({ lines }) => lines.at(-1)?.bottom ?? PAD.top)) + PAD.bottom };
  };
  const head = layRow(columns.map(({ title }) => [{ text: title.toUpperCase(), style: TEXT.head }]));
  return {
    // A table without titles begins with its rule.
    head: columns.every(({ title }) => title === '') ? { ...head, height: 0 } : head,
    rows: rows.map((row) =>
      layRow(
        columns.map((column) => [
          { text: column.text(row), style: column.style ?? TEXT.cell },
          ...(column.notes?.(row) ?? []).map((text) => ({ text, style: TEXT.note })),
        ]),
      ),
    ),
  };
}

function layCell(pen: Pen, paragraphs: readonly Paragraph[], width: number): CellLine[] {
  const lines: CellLine[] = [];
  let top: number = PAD.top;
  for (const { text, style } of paragraphs) {
    for (const line of pen.wrap(text, style, width)) {
      lines.push({ text: line, style, top, bottom: top + lineHeight(style) });
      top += lineHeight(style);
    }
  }
  return lines;
}

function columnWidths<Row>(
  pen: Pen,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: number,
): readonly number[] {
  const natural = columns.map((column) => {
    if (column.width === 'rest') return 0;
    const style = column.style ?? TEXT.cell;
    const widest = rows.reduce((most, row) => Math.max(most, pen.width(column.text(row), style)), 0);
    const title = Math.max(...column.title.split(' ').map((word) => pen.width(word.toUpperCase(), TEXT.head)));
    return 0.5 + Math.max(title, column.width === 'figures' ? widest : Math.min(widest, column.width));
  });
  const sharing = columns.filter((column) => column.width === 'rest').length;
  const free = width - GUTTER * (columns.length - 1) - natural.reduce((total, each) => total + each, 0);
  const rest = Math.max(LEAST_REST, free / Math.max(1, sharing));
  const wanted = columns.map((column, index) => (column.width === 'rest' ? rest : (natural[index] ?? 0)));
  return squeezed(columns, wanted, Math.max(0, rest * sharing - free));
}

/** Takes `excess` from the columns that may wrap; from all of them when figures alone are too wide for the page. */
function squeezed<Row>(
  columns: readonly Column<Row>[],
  widths: readonly number[],
  excess: number,
): readonly number[] {
  if (excess <= 0) return widths;
  const spare = columns.map(({ width }, index) =>
    typeof width === 'number' ? Math.max(0, (widths[index] ?? 0) - LEAST_TEXT) : 0,
  );
  const total = spare.reduce((sum, each) => sum + each, 0);
  const taken = Math.min(excess, total);
  const narrower = widths.map((each, index) => each - (total === 0 ? 0 : (taken * (spare[index] ?? 0)) / total));
  if (taken === excess) return narrower;
  const all = narrower.reduce((sum, each) => sum + each, 0);
  return narrower.map((each) => each * (1 - (excess - taken) / all));
}

function drawHead(pen: Pen, head: LaidOutRow, at: Spot): void {
  drawCells(pen, head, at, { from: 0, to: head.height });
  pen.rule(at.x, at.y + head.height, at.width, COLOR.accent, 0.8);
}

function drawRow(pen: Pen, row: LaidOutRow, at: Spot, part: Part = { from: 0, to: row.height }): void {
  drawCells(pen, row, at, part);
  const isLast = part.to === row.height;
  pen.rule(at.x, at.y + part.to - part.from + (isLast ? 0 : PAD.bottom), at.width);
}

function drawCells(pen: Pen, { cells }: LaidOutRow, { x, y }: Spot, { from, to }: Part): void {
  for (const { track: { left, width, align }, lines } of cells) {
    const anchor = x + (align === 'left' ? left : align === 'right' ? left + width : left + width / 2);
    for (const line of lines) {
      if (line.bottom <= from || line.bottom > to) continue;
      pen.write(line.text, anchor, y + Math.max(line.top, from) - from, line.style, align);
    }
  }
}
