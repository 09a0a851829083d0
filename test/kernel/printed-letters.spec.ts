import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import PDFDocument from 'pdfkit';
import { firstNotPrinted, RIGHT_TO_LEFT } from '../../src/sri/document-types/rules/not-printed.js';

/** Written from the fonts, so that no process but a printer reads those: `UPDATE_GOLDEN=1` with this file writes it anew. */
const FILE = new URL('../../src/sri/document-types/rules/printed-letters.ts', import.meta.url);

const LAST_CODE_POINT = 0x10ffff;

const isTurnedRound = (codePoint: number): boolean => new RegExp(`[${RIGHT_TO_LEFT}]`, 'u').test(String.fromCodePoint(codePoint));

/** What both fonts have, for a buyer's name is printed in bold and a description is not; but nothing that is printed in another order. */
const printed = ((): ReadonlySet<number> => {
  const [regular = [], bold = []] = ['DejaVuSansCondensed', 'DejaVuSansCondensed-Bold'].map((name) => {
    const document = new PDFDocument({ autoFirstPage: false, font: createRequire(import.meta.url).resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`) });
    return (document as unknown as { _font: { font: { characterSet: number[] } } })._font.font.characterSet;
  });
  const inBold = new Set(bold);
  return new Set(regular.filter((codePoint) => inBold.has(codePoint) && !isTurnedRound(codePoint)));
})();
const isLetter = (codePoint: number): boolean => /[\p{L}\p{N}\p{Mn}\p{Mc}]/u.test(String.fromCodePoint(codePoint));

/** The letters as ranges of a character class, eight to a line. */
function written(): string {
  const ranges: [first: number, last: number][] = [];
  for (const codePoint of Array.from(printed).filter(isLetter).sort((one, other) => one - other)) {
    const range = ranges.at(-1);
    if (range?.[1] === codePoint - 1) range[1] = codePoint;
    else ranges.push([codePoint, codePoint]);
  }
  const escaped = (codePoint: number): string => `\\\\u{${codePoint.toString(16)}}`;
  const all = ranges.map(([first, last]) => (first === last ? escaped(first) : `${escaped(first)}-${escaped(last)}`));
  const lines = Array.from({ length: Math.ceil(all.length / 8) }, (_, line) => `  '${all.slice(line * 8, line * 8 + 8).join('')}',`);
  return [
    '/** Letters, digits and accents that printed documents show as they are written: ranges of a character class. Written by `test/kernel/printed-letters.spec.ts`. */',
    'export const PRINTED_LETTERS = [',
    ...lines,
    "].join('');",
    '',
  ].join('\n');
}

describe('the letters of printed documents', () => {
  it('are listed as the fonts have them', () => {
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(FILE, written());
    expect(readFileSync(FILE, 'utf8')).toBe(written());
  });

  it('are warned of where the fonts lack them or they are written from right to left, and nowhere else', () => {
    const misjudged: string[] = [];
    for (let codePoint = 0; codePoint <= LAST_CODE_POINT; codePoint += 1) {
      const isShown = printed.has(codePoint) || (!isLetter(codePoint) && !isTurnedRound(codePoint));
      if ((firstNotPrinted(String.fromCodePoint(codePoint)) === null) !== isShown) misjudged.push(`U+${codePoint.toString(16)}`);
    }
    expect(misjudged).toEqual([]);
  });

  it.each([
    ['Sociedad Ñandú Ж λ ქართული Հայերեն', null],
    ['Oficina 2.º piso, ½ kg, 20 m², café 1️⃣ 👍', null],
    ['ＩＭＰＯＲＴＡＤＯＲＡ ＷＡＮＧ １２３', 'Ｉ'],
    ['北京进出口有限公司', '北'],
    ['Almacén ひらがな', 'ひ'],
    ['한국', '한'],
    ['हिन्दी', 'ह'],
    ['𝒜na', '𝒜'],
    ['דגם1500', 'ד'],
    ['12/שלום', 'ש'],
    ['شركة-12', 'ش'],
    ['ߒߞߏ', 'ߒ'],
    ['1500\u05be12', '\u05be'],
    ['٣٤٥', '٣'],
  ])('%s', (text, letter) => {
    expect(firstNotPrinted(text)).toBe(letter);
  });
});
