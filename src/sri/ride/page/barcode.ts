import bwipjs from 'bwip-js/generic';
import type { Block } from './block.js';
import type { Pen } from './pen.js';

const MM = 72 / 25.4;
/** Width of the narrowest bar. Scanners read from 0.19 mm on. */
const MODULE = 0.25 * MM;
const HEIGHT = 12 * MM;
/** Blank modules that Code 128 asks for on each side. */
const QUIET = 10;

/** Widths in modules of bars and spaces in turn, beginning and ending with a bar. */
export function code128(digits: string): readonly number[] {
  const [symbol] = bwipjs.raw({ bcid: 'code128', text: digits });
  if (symbol === undefined || !('sbs' in symbol)) throw new Error('The encoder gave no linear symbol');
  return symbol.sbs;
}

/** Vector Code 128 of a number with its quiet zones, left at `x`; the digits are not part of it. */
export function barcode(pen: Pen, digits: string): Block & { readonly width: number } {
  const widths = code128(digits);
  const modules = widths.reduce((total, width) => total + width, 0);
  return {
    width: (modules + 2 * QUIET) * MODULE,
    height: HEIGHT,
    draw(x, y) {
      const bars: { x: number; width: number }[] = [];
      let at = x + QUIET * MODULE;
      for (const [index, width] of widths.entries()) {
        if (index % 2 === 0) bars.push({ x: at, width: width * MODULE });
        at += width * MODULE;
      }
      pen.bars(bars, y, HEIGHT);
    },
  };
}
