import type { FontName } from './fonts.js';
import { COLOR, lineHeight, type TextStyle } from './style.js';

/** Words of a font whose widths are kept: more than come again, however long the document. */
const MOST_WIDTHS = 10_000;

export type Align = 'left' | 'right' | 'center';

/** Of the corners of shaded and framed boxes. */
const RADIUS = 3;

/**
 * Measures and draws on the current page. Coordinates are points from the top left
 * corner of the page; text is placed by the top of its line. Text never wraps or
 * flows by itself: {@link wrap} decides the lines, so what was measured is what is drawn.
 */
export class Pen {
  /** Widths at size 1, by font: the same words and figures come again and again. At most {@link MOST_WIDTHS}. */
  private readonly widths: Readonly<Record<FontName, Map<string, number>>> = { regular: new Map(), bold: new Map() };

  constructor(private readonly document: PDFKit.PDFDocument) {}

  width(text: string, style: TextStyle): number {
    const known = this.widths[style.font];
    let width = known.get(text);
    if (width === undefined) {
      width = this.document.font(style.font).fontSize(1).widthOfString(text);
      if (known.size >= MOST_WIDTHS) known.clear();
      known.set(text, width);
    }
    return width * style.size;
  }

  /** Lines of at most `width` points. Breaks at spaces, and inside a word that alone is wider than a line. */
  wrap(text: string, style: TextStyle, width: number): string[] {
    const lines: string[] = [];
    const space = this.width(' ', style);
    let line = '';
    let used = 0;
    for (const word of text.split(/\s+/).filter((part) => part !== '')) {
      const size = this.width(word, style);
      if (line !== '' && used + space + size <= width) {
        line += ` ${word}`;
        used += space + size;
        continue;
      }
      if (line !== '') lines.push(line);
      if (size <= width) {
        line = word;
        used = size;
        continue;
      }
      const pieces = this.breakWord(word, style, width);
      line = pieces.pop() ?? '';
      used = this.width(line, style);
      lines.push(...pieces);
    }
    if (line !== '') lines.push(line);
    return lines;
  }

  private breakWord(word: string, style: TextStyle, width: number): string[] {
    const pieces: string[] = [];
    let piece = '';
    let used = 0;
    // A combining mark stays with its letter.
    for (const character of word.match(/\P{M}\p{M}*|\p{M}+/gu) ?? []) {
      const size = this.width(character, style);
      if (piece !== '' && used + size > width) {
        pieces.push(piece);
        piece = '';
        used = 0;
      }
      piece += character;
      used += size;
    }
    if (piece !== '') pieces.push(piece);
    return pieces;
  }

  /** One line of text; `x` is its left end, its right end or its middle, as `align` says. */
  write(text: string, x: number, y: number, style: TextStyle, align: Align = 'left'): void {
    if (text === '') return;
    const width = this.width(text, style);
    const left = align === 'left' ? x : align === 'right' ? x - width : x - width / 2;
    this.document
      .font(style.font)
      .fontSize(style.size)
      .fillColor(style.color)
      .text(text, left, y, { lineBreak: false });
  }

  /** Several lines, one under the other. */
  writeLines(lines: readonly string[], x: number, y: number, style: TextStyle, align: Align = 'left'): void {
    for (const [index, line] of lines.entries()) this.write(line, x, y + index * lineHeight(style), style, align);
  }

  /** A horizontal rule. */
  rule(x: number, y: number, width: number, color: string = COLOR.rule, weight = 0.5): void {
    this.document
      .moveTo(x, y)
      .lineTo(x + width, y)
      .lineWidth(weight)
      .strokeColor(color)
      .stroke();
  }

  fill(x: number, y: number, width: number, height: number, color: string): void {
    this.document.roundedRect(x, y, width, height, RADIUS).fillColor(color).fill();
  }

  frame(x: number, y: number, width: number, height: number): void {
    this.document.roundedRect(x, y, width, height, RADIUS).lineWidth(0.6).strokeColor(COLOR.rule).stroke();
  }

  /** Upright rectangles of one colour, filled together: the bars of a barcode. */
  bars(bars: readonly { readonly x: number; readonly width: number }[], y: number, height: number): void {
    for (const bar of bars) this.document.rect(bar.x, y, bar.width, height);
    this.document.fillColor('#000000').fill();
  }

  image(bytes: Buffer, x: number, y: number, width: number, height: number): void {
    this.document.image(bytes, x, y, { width, height });
  }

  /** Large slanted text across the middle of the page, under what is drawn later. */
  watermark(text: string, color: string): void {
    const { width, height } = this.document.page;
    const style: TextStyle = { font: 'bold', size: Math.min(84, 640 / this.width(text, unit)), color };
    this.document.save().rotate(-50, { origin: [width / 2, height / 2] });
    this.write(text, width / 2, height / 2 - style.size / 2, style, 'center');
    this.document.restore();
  }
}

const unit: TextStyle = { font: 'bold', size: 1, color: COLOR.ink };
