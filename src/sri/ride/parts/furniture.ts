import { documentNumber, type RideInput, TITLES } from '../input.js';
import type { Mark } from '../marks.js';
import { CONTENT_WIDTH, PAGE } from '../page/flow.js';
import type { Pen } from '../page/pen.js';
import { inColor, lineHeight, TEXT } from '../page/style.js';

const BAND_HEIGHT = 15;
const FOOT_TOP = PAGE.bottom + 9;

/** What a page carries whatever its content: watermark, band, and from the second page on a running head. Gives where the content begins. */
export function openPage(pen: Pen, input: RideInput, mark: Mark | null, first: boolean): number {
  let top: number = PAGE.top;
  if (mark !== null) {
    if (mark.watermark !== null) pen.watermark(mark.watermark.text, mark.watermark.color);
    top = PAGE.top - 10;
    pen.fill(PAGE.left, top, CONTENT_WIDTH, BAND_HEIGHT, mark.shade);
    pen.write(mark.text, PAGE.width / 2, top + 3, inColor(TEXT.running, mark.color), 'center');
    top += BAND_HEIGHT + 9;
  }
  return first ? top : runningHead(pen, input, top);
}

function runningHead(pen: Pen, input: RideInput, top: number): number {
  const number = `No. ${documentNumber(input)}`;
  const room = CONTENT_WIDTH / 2 - 20;
  const right = pen.wrap(`${TITLES[input.content.documentType]} ${number}`, TEXT.running, CONTENT_WIDTH / 2);
  const [name = ''] = pen.wrap(input.issuer.legalName, TEXT.running, room);
  pen.write(name, PAGE.left, top, TEXT.running);
  pen.writeLines(right, PAGE.left + CONTENT_WIDTH, top, TEXT.running, 'right');
  const bottom = top + Math.max(1, right.length) * lineHeight(TEXT.running) + 4;
  pen.rule(PAGE.left, bottom, CONTENT_WIDTH);
  return bottom + 7;
}

/** Access key and `Página x de y` at the foot of every page, once their number is known. */
export function drawFeet(document: PDFKit.PDFDocument, pen: Pen, { numbering }: RideInput): void {
  const { start, count } = document.bufferedPageRange();
  for (let page = start; page < start + count; page += 1) {
    document.switchToPage(page);
    pen.rule(PAGE.left, FOOT_TOP - 5, CONTENT_WIDTH);
    if (numbering !== null) pen.write(`Clave de acceso ${numbering.accessKey}`, PAGE.left, FOOT_TOP, TEXT.foot);
    pen.write(`Página ${page + 1} de ${count}`, PAGE.left + CONTENT_WIDTH, FOOT_TOP, TEXT.foot, 'right');
  }
}
