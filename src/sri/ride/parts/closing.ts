import type { NameValue } from '../../document-types/content.js';
import { serviceFields } from '../../document-types/parts/additional-info.js';
import { beside, type Block, heading, stack } from '../page/block.js';
import type { Flow } from '../page/flow.js';
import type { Pen } from '../page/pen.js';
import { TEXT } from '../page/style.js';
import { type Column, flowTable, tableBlock } from '../page/table.js';
import type { RideInput } from '../input.js';
import { flowPayments, paymentsBlocks } from './payments.js';

const TOTALS_WIDTH = 206;
const GAP = 16;
const BLOCK_GAP = 10;
/** Above this the additional information goes below the totals over the whole width, where it may go on over pages. */
const TALLEST_SIDE = 330;

/** The foot of a document: totals at the right; payments and additional information at the left. */
export interface Closing {
  /** Points that must follow the last rows of the table before it. */
  readonly keep: number;
  draw(flow: Flow): void;
}

/** `totals` makes the block of the sums for a width; null for documents without any. */
export function closing(flow: Flow, input: RideInput, totals: ((width: number) => Block) | null): Closing {
  const { pen } = flow;
  const info = [...input.content.additionalInfo, ...serviceFields(input.content.documentType, input.issuer)];
  const sums = totals?.(TOTALS_WIDTH) ?? null;
  const leftWidth = sums === null ? flow.width : flow.width - TOTALS_WIDTH - GAP;
  const payments = sums === null ? [] : paymentsBlocks(pen, input.content, leftWidth);
  const infoHere = infoBlocks(pen, info, leftWidth);
  const fits = (blocks: readonly Block[]): boolean => stack(blocks, BLOCK_GAP).height <= TALLEST_SIDE;
  const infoBeside = fits([...payments, ...infoHere]);
  const paymentsBeside = fits(payments);
  const left = stack([...(paymentsBeside ? payments : []), ...(infoBeside ? infoHere : [])], BLOCK_GAP);
  const block = sums === null ? left : beside(left, sums, leftWidth + GAP);
  const height = block.height === 0 ? 0 : block.height + BLOCK_GAP;
  return {
    keep: height,
    draw(target) {
      if (height > 0) {
        target.advance(BLOCK_GAP);
        target.place(block, BLOCK_GAP);
      }
      if (!paymentsBeside) flowPayments(target, input.content);
      if (!infoBeside) flowInfo(target, info);
    },
  };
}

const INFO_TITLE = 'Información adicional';
const INFO_COLUMNS: readonly Column<NameValue>[] = [
  { title: '', width: 110, text: ({ name }) => name, style: { ...TEXT.cell, color: TEXT.note.color } },
  { title: '', width: 'rest', text: ({ value }) => value },
];

function infoBlocks(pen: Pen, info: readonly NameValue[], width: number): readonly Block[] {
  if (info.length === 0) return [];
  return [stack([heading(pen, INFO_TITLE), tableBlock(pen, INFO_COLUMNS, info, width)])];
}

function flowInfo(flow: Flow, info: readonly NameValue[]): void {
  flowTable(flow, INFO_COLUMNS, info, { title: INFO_TITLE });
}
