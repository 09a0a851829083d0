import { type Block, stack } from './block.js';
import type { Pen } from './pen.js';
import { lineHeight, TEXT, type TextStyle } from './style.js';

/** A labelled value. `span` is its share of twelve columns. */
export interface Field {
  readonly label: string;
  readonly value: string;
  readonly span: number;
  readonly style?: TextStyle;
}

const COLUMNS = 12;
const GUTTER = 10;
const ROW_GAP = 5;

/** The field, unless there is nothing to show. */
export function field(label: string, value: string | null | undefined, span: number, style?: TextStyle): Field[] {
  return value === null || value === undefined || value === '' ? [] : [{ label, value, span, ...(style && { style }) }];
}

/** Labelled values in rows of twelve columns: label above, value wrapped below. */
export function fieldGrid(pen: Pen, fields: readonly Field[], width: number): Block {
  return stack(
    rowsOf(fields).map((row) => gridRow(pen, row, width)),
    ROW_GAP,
  );
}

function rowsOf(fields: readonly Field[]): Field[][] {
  const rows: Field[][] = [];
  let used = COLUMNS;
  for (const entry of fields) {
    if (used + entry.span > COLUMNS) {
      rows.push([]);
      used = 0;
    }
    rows.at(-1)?.push(entry);
    used += entry.span;
  }
  return rows;
}

function gridRow(pen: Pen, row: readonly Field[], width: number): Block {
  const column = (width + GUTTER) / COLUMNS;
  let start = 0;
  const cells = row.map(({ label, value, span, style = TEXT.value }) => {
    const left = start * column;
    start += span;
    const room = column * span - GUTTER;
    return { left, labels: pen.wrap(label, TEXT.label, room), lines: pen.wrap(value, style, room), style };
  });
  const labelHeight = Math.max(...cells.map((cell) => cell.labels.length)) * lineHeight(TEXT.label) + 0.5;
  const height = labelHeight + Math.max(...cells.map((cell) => cell.lines.length * lineHeight(cell.style)));
  return {
    height,
    draw(x, y) {
      for (const cell of cells) {
        pen.writeLines(cell.labels, x + cell.left, y, TEXT.label);
        pen.writeLines(cell.lines, x + cell.left, y + labelHeight, cell.style);
      }
    },
  };
}
