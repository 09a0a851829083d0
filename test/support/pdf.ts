import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const installed = (tool: string): boolean => spawnSync(tool, ['-v']).error === undefined;

/** Poppler's tools read PDF with other code than ours; where they are missing, their tests say that they are skipped. */
export const POPPLER = installed('pdftotext') && installed('pdftoppm');

/** `it` where Poppler is installed; skipped elsewhere, for nothing else here reads PDF. CI installs it. */
export const itWithPoppler = POPPLER ? it : it.skip;

function textOf(pdf: Buffer, order: '-layout' | '-raw'): string {
  return execFileSync('pdftotext', [order, '-enc', 'UTF-8', '-', '-'], { input: pdf, maxBuffer: 64 * 1024 * 1024 }).toString();
}

/** Text of each page as a reader sees it: laid out, so that what stands in one row is one line. */
export function pageTexts(pdf: Buffer): string[] {
  return textOf(pdf, '-layout').split('\f').slice(0, -1);
}

/** All words in the order in which they were drawn: a label comes before its value, wrapped text stays together. */
export function wordsOf(pdf: Buffer): string {
  return textOf(pdf, '-raw');
}

export interface GreyPage {
  readonly width: number;
  readonly height: number;
  /** A byte a pixel, row by row; 0 is black. */
  readonly pixels: Buffer;
}

/** A page, counted from 1, as a printer of so many dots per inch would show it. */
export function pageImage(pdf: Buffer, page: number, dpi: number): GreyPage {
  const folder = mkdtempSync(join(tmpdir(), 'sello-pdf-'));
  try {
    const file = join(folder, 'document.pdf');
    writeFileSync(file, pdf);
    const image = execFileSync('pdftoppm', ['-gray', '-r', String(dpi), '-f', String(page), '-l', String(page), file], { maxBuffer: 256 * 1024 * 1024 });
    const header = /^P5\s+(\d+)\s+(\d+)\s+255\s/.exec(image.subarray(0, 64).toString('latin1'));
    if (header === null) throw new Error('pdftoppm wrote no grey image');
    return { width: Number(header[1]), height: Number(header[2]), pixels: image.subarray(header[0].length) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
