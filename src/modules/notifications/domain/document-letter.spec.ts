import { documentTypes } from '../../../sri/document-types/registry.js';
import { documentLetter, type MailStyle } from './document-letter.js';
import { exampleFacts } from './example-facts.js';

const NOW = new Date('2026-09-16T03:30:00Z');
const PLAIN: MailStyle = { language: 'es', replyTo: null, subject: null, message: null };
const facts = (code: (typeof documentTypes)[number]['code']) => exampleFacts(code, 'PRODUCTION', NOW);

describe('the mail of a document', () => {
  it.each([
    ['01', 'la factura electrónica 001-002-000000123, autorizada', 'Valor total: $ 115.00'],
    ['03', 'la liquidación de compra electrónica 001-002-000000123, autorizada', 'Valor total: $ 115.00'],
    ['04', 'la nota de crédito electrónica 001-002-000000123, autorizada', 'Documento modificado: Factura 001-002-000000045'],
    ['05', 'la nota de débito electrónica 001-002-000000123, autorizada', 'Documento modificado: Factura 001-002-000000045'],
    ['06', 'la guía de remisión electrónica 001-002-000000123, autorizada', 'Traslado: del 15/09/2026 al 16/09/2026'],
    ['07', 'el comprobante de retención electrónico 001-002-000000123, autorizado', 'Total retenido: $ 115.00'],
  ] as const)('of type %s speaks of it correctly', (code, phrase, told) => {
    const { text } = documentLetter(facts(code), PLAIN);
    expect(text).toContain(phrase);
    expect(text).toContain(told);
    expect(text.includes('$')).toBe(code !== '06');
  });

  it('tells days in the reader’s way, and the moment in Ecuador’s time', () => {
    expect(documentLetter(facts('01'), PLAIN).text).toContain('Fecha de autorización: 15/09/2026, 22:30');
    expect(documentLetter(facts('01'), { ...PLAIN, language: 'en' }).text).toContain('Authorized: 15 September 2026, 22:30');
  });

  it('warns of what was only a test', () => {
    expect(documentLetter(exampleFacts('01', 'TEST', NOW), PLAIN).text).toContain('no tiene validez tributaria');
    expect(documentLetter(facts('01'), PLAIN).text).not.toContain('no tiene validez tributaria');
  });

  it('says who answers', () => {
    expect(documentLetter(facts('01'), PLAIN).text).toContain('nadie lee las respuestas');
    expect(documentLetter(facts('01'), { ...PLAIN, replyTo: 'ventas@example.com' }).text).toContain('le contestará Comercial Ejemplo (ventas@example.com)');
  });

  it.each([
    ['Cafetal S.A.', 'es', 'diríjase a Cafetal S.A.\n'], ['Cafetal', 'es', 'diríjase a Cafetal.\n'],
    ['Cafetal S.A.', 'en', 'please contact Cafetal S.A.\n'], ['Cafetal', 'en', 'please contact Cafetal.\n'],
  ] as const)('ends a sentence in one full stop: %s, %s', (name, language, end) => {
    const letter = documentLetter({ ...facts('01'), issuer: { ...facts('01').issuer, name } }, { ...PLAIN, language });
    expect(letter.text).toContain(end);
  });

  it('takes the tenant’s words, and escapes them and the buyer’s in HTML', () => {
    const hostile = { ...facts('01'), buyerName: 'Ana <script>alert(1)</script>\r\nBcc: x@example.com {{access_key}}' };
    const letter = documentLetter(hostile, { ...PLAIN, subject: 'Para {{buyer_name}}\u2028Bcc: y@example.com', message: 'Hola {{buyer_name}} & <b>\n\nsegundo\ntercero' });
    expect(letter.subject).toBe('Para Ana <script>alert(1)</script> Bcc: x@example.com {{access_key}} Bcc: y@example.com');
    expect(letter.html).toContain('Hola Ana &lt;script&gt;alert(1)&lt;/script&gt; Bcc: x@example.com {{access_key}} &amp; &lt;b&gt;</p>');
    expect(letter.html).toContain('segundo<br>tercero</p>');
    expect(letter.html).not.toMatch(/<script|src=|https?:|url\(/);
  });

  it('has the service’s own subject where nothing is left of the tenant’s', () => {
    const style = { ...PLAIN, subject: ' {{total}} ' };
    expect(documentLetter(facts('01'), style).subject).toBe('$ 115.00');
    expect(documentLetter(facts('06'), style).subject).toBe(documentLetter(facts('06'), PLAIN).subject);
    expect(documentLetter(facts('06'), PLAIN).subject).toContain('001-002-000000123');
  });

  it('breaks what has no place to break, so that a telephone shows the whole page', () => {
    const { html } = documentLetter(facts('01'), { ...PLAIN, message: `https://pagos.example.com/${'a'.repeat(300)}` });
    const cells = [...html.matchAll(/<td style="([^"]*font-size[^"]*)"/g)].map(([, style]) => style!);
    expect(cells.length).toBeGreaterThan(7);
    for (const style of cells) expect(style).toMatch(/word-break:break-word;overflow-wrap:anywhere/);
  });

  it('greets whoever has no name, and cuts a subject that would not end', () => {
    expect(documentLetter({ ...facts('01'), buyerName: null }, PLAIN).text).toContain('Hola, cliente:');
    const { subject } = documentLetter({ ...facts('01'), buyerName: '😀'.repeat(300) }, { ...PLAIN, subject: '{{buyer_name}}' });
    expect(Array.from(subject)).toHaveLength(200);
  });
});
