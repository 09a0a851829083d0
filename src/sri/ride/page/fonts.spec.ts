import { createRequire } from 'node:module';
import PDFDocument from 'pdfkit';
import { itWithPoppler, wordsOf } from '../../../../test/support/pdf.js';
import { firstNotPrinted } from '../../document-types/rules/printed-scripts.js';
import { type FontName, registerFonts } from './fonts.js';

/** A file of its own: what a font is first asked for in a process is what matters here. */
describe('the fonts of printed documents', () => {
  const written = async (font: FontName, text: string): Promise<string> => {
    const document = new PDFDocument();
    const chunks: Buffer[] = [];
    document.on('data', (chunk: Buffer) => chunks.push(chunk));
    const ended = new Promise((resolve) => document.on('end', resolve));
    registerFonts(document);
    document.font(font).text(text);
    document.end();
    await ended;
    return wordsOf(Buffer.concat(chunks)).trim().replace(/\s+/g, ' ');
  };

  itWithPoppler.each(['regular', 'bold'] as const)('can be searched for every letter, also when it was first a part of an accented one: %s', async (font) => {
    const accented = 'ÁÉÍÓÚÜÑÇÀÂÃÄÅ áéíóúüñçàâãäå';
    const plain = 'Juana Nunes Unanue, cliente nuevo de la oficina financiera, flete afluente: AEIOUNC aeiounc';
    expect(await written(font, accented)).toBe(accented);
    expect(await written(font, plain)).toBe(plain);
  });

  it('have every letter that is not warned of, and none that is', async () => {
    const printed = 'Sociedad Ñandú Ж λ שלום ქართული Հայերեն';
    const boxes = ['北京进出口有限公司', 'ひらがな', 'カタカナ', '한국', 'ไทย', 'हिन्दी'];
    expect([firstNotPrinted(printed), ...boxes.map(firstNotPrinted)]).toEqual([null, '北', 'ひ', 'カ', '한', 'ไ', 'ह']);
    for (const name of ['DejaVuSansCondensed', 'DejaVuSansCondensed-Bold']) {
      const document = new PDFDocument({ autoFirstPage: false, font: createRequire(import.meta.url).resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`) });
      const { characterSet } = (document as unknown as { _font: { font: { characterSet: number[] } } })._font.font;
      const [known, text] = [new Set(characterSet), characterSet.map((codePoint) => String.fromCodePoint(codePoint))];
      expect(text.filter((one) => firstNotPrinted(one) !== null)).toEqual([]);
      expect(Array.from(printed).filter((one) => !known.has(one.codePointAt(0)!))).toEqual([]);
    }
  });
});
