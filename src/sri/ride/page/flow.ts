import type { Block } from './block.js';
import type { Pen } from './pen.js';

/** A4 in points, with room for the foot below `bottom`. */
export const PAGE = { width: 595.28, height: 841.89, left: 36, top: 34, bottom: 800 } as const;
export const CONTENT_WIDTH = PAGE.width - 2 * PAGE.left;

/** Opens a page, draws what every page carries and returns where its content begins. */
export type PageOpener = (first: boolean) => number;

/** Places blocks down the page and goes on to the next one when they do not fit. */
export class Flow {
  readonly x = PAGE.left;
  readonly width = CONTENT_WIDTH;
  private top: number;

  constructor(
    readonly pen: Pen,
    private readonly openPage: PageOpener,
  ) {
    this.top = openPage(true);
  }

  get y(): number {
    return this.top;
  }

  /** Points left on this page. */
  get room(): number {
    return PAGE.bottom - this.top;
  }

  /** Points of a fresh page that continues the document; an estimate from below. */
  get freshRoom(): number {
    return PAGE.bottom - PAGE.top - 48;
  }

  newPage(): void {
    this.top = this.openPage(false);
  }

  /** Goes on to the next page unless `height` fits here; what no page could hold stays. */
  ensure(height: number): void {
    if (height > this.room && height <= this.freshRoom) this.newPage();
  }

  advance(height: number): void {
    this.top += height;
  }

  /** Draws a block whole, then leaves a gap. */
  place(block: Block, gap = 0): void {
    if (block.height === 0) return;
    this.ensure(block.height);
    block.draw(this.x, this.top);
    this.top += block.height + gap;
  }
}
