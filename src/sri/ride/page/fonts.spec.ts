import PDFDocument from 'pdfkit';
import { itWithPoppler, wordsOf } from '../../../../test/support/pdf.js';
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
});
