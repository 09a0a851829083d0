import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import PDFDocument from 'pdfkit';

export type FontName = 'regular' | 'bold';

type FontSource = PDFKit.Mixins.PDFFontSource;

const FILES: Readonly<Record<FontName, string>> = {
  regular: 'dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf',
  bold: 'dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf',
};

const NAMES: readonly FontName[] = ['regular', 'bold'];

const locate = createRequire(import.meta.url);
const opened = new Map<FontName, FontSource>();

/**
 * Makes both fonts known to a document. Files are read and parsed once per process: parsing takes three quarters of
 * the time of a short document. Each document embeds only the glyphs that it uses.
 */
export function registerFonts(document: PDFKit.PDFDocument): void {
  for (const name of NAMES) document.registerFont(name, fontSource(name));
}

function fontSource(name: FontName): FontSource {
  const known = opened.get(name);
  if (known !== undefined) return known;
  const source = parsed(readFileSync(locate.resolve(FILES[name])));
  opened.set(name, source);
  return source;
}

/**
 * The font as the library has parsed it. The library takes such an object in place of bytes, but neither its type
 * declarations nor its documentation name a way to get one: should that change, the bytes do as well, only slower.
 */
function parsed(bytes: Buffer): FontSource {
  const probe = new PDFDocument({ autoFirstPage: false, font: '' });
  probe.font(bytes);
  const { font } = (probe as unknown as { readonly _font?: { readonly font?: ParsedFont } })._font ?? {};
  if (typeof font?.layout !== 'function') return bytes;
  nameGlyphs(font);
  return font as unknown as Buffer;
}

interface ParsedFont {
  readonly layout?: unknown;
  readonly characterSet?: readonly number[];
  readonly glyphForCodePoint?: (codePoint: number) => unknown;
}

/**
 * A glyph that is first met as a part of another one, the n of an ñ, would be kept without the character that it stands for,
 * and no later document of this process could be searched or copied for it: each is met as itself first. Not so a ligature:
 * its glyph stands for the letters that are written, and would be copied as one sign that nobody searches for.
 */
function nameGlyphs(font: ParsedFont): void {
  for (const codePoint of font.characterSet ?? []) {
    const isLigature = String.fromCodePoint(codePoint).normalize('NFKC').length > 1;
    if (!isLigature) font.glyphForCodePoint?.(codePoint);
  }
}
