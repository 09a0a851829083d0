import type { Block } from '../page/block.js';
import type { Flow } from '../page/flow.js';
import type { RideInput } from '../input.js';
import { type TotalLine, totalsBlock } from '../parts/totals.js';

/** What one document type prints between the header and the end of the last page. */
export type RideBody = (flow: Flow, input: RideInput) => void;

/** Space between the parts of a page. */
export const PART_GAP = 8;

/** The block of sums for `closing`. */
export function totalsOf(
  flow: Flow,
  lines: readonly TotalLine[],
  label: string,
  amount: string,
): (width: number) => Block {
  return (width) => totalsBlock(flow.pen, lines, { label, amount }, width);
}
