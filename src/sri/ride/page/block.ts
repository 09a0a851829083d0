import type { Pen } from './pen.js';
import { COLOR, lineHeight, TEXT, type TextStyle } from './style.js';

/** A measured piece of a page that is drawn whole. */
export interface Block {
  readonly height: number;
  draw(x: number, y: number): void;
}

/** Text wrapped to a width. */
export function paragraph(pen: Pen, text: string, style: TextStyle, width: number): Block {
  const lines = pen.wrap(text, style, width);
  return { height: lines.length * lineHeight(style), draw: (x, y) => pen.writeLines(lines, x, y, style) };
}

/** Blocks one under the other. */
export function stack(blocks: readonly Block[], gap = 0): Block {
  const height = blocks.reduce((total, block) => total + block.height, 0) + gap * Math.max(0, blocks.length - 1);
  return {
    height,
    draw(x, y) {
      let top = y;
      for (const block of blocks) {
        block.draw(x, top);
        top += block.height + gap;
      }
    },
  };
}

/** Two blocks side by side, tops aligned; `offset` is where the second begins. */
export function beside(left: Block, right: Block, offset: number): Block {
  return {
    height: Math.max(left.height, right.height),
    draw(x, y) {
      left.draw(x, y);
      right.draw(x + offset, y);
    },
  };
}

export function spacer(height: number): Block {
  return { height, draw: () => undefined };
}

/** A block on a shaded panel; its content is `2 * PADDING` narrower. */
export const PADDING = 8;

export function panel(pen: Pen, content: Block, width: number): Block {
  const height = content.height + 2 * PADDING - 2;
  return {
    height,
    draw(x, y) {
      pen.fill(x, y, width, height, COLOR.shade);
      content.draw(x + PADDING, y + PADDING);
    },
  };
}

/** A small heading over a part of the page. */
export function heading(pen: Pen, text: string): Block {
  return { height: lineHeight(TEXT.section) + 3, draw: (x, y) => pen.write(text.toUpperCase(), x, y, TEXT.section) };
}
