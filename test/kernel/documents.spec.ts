import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { XmlDocument } from 'libxml2-wasm';
import { normaliseText, textProblem } from '../../src/shared/text.js';
import { isAccessKey, parseAccessKey } from '../../src/sri/access-key.js';
import type { DocumentContent } from '../../src/sri/document-types/content.js';
import type { DocumentExample, DocumentTypeDefinition } from '../../src/sri/document-types/document-type.js';
import { documentTypes } from '../../src/sri/document-types/registry.js';
import { preflight } from '../../src/sri/preflight.js';
import { validateAgainstSchema } from '../../src/sri/xml/schema.js';

/**
 * Every example of every registered type. The golden files are the canonical XML
 * with a line break between tags, which loses nothing: no value holds `><` or a
 * line break. `UPDATE_GOLDEN=1` writes them anew.
 */
const GOLDEN = fileURLToPath(new URL('./golden/', import.meta.url));
const UPDATE = process.env['UPDATE_GOLDEN'] === '1';

const cases = documentTypes.flatMap((type) =>
  type.examples.map((example) => [`${type.code}-${example.name}`, type, example] as const),
);

function build(type: DocumentTypeDefinition, example: DocumentExample): string {
  const { content } = type.normalise(example.content, example.issuer);
  return type.buildXml(content, example.issuer, example.numbering);
}

function read<T>(xml: string, reader: (document: XmlDocument) => T): T {
  const document = XmlDocument.fromString(xml);
  try {
    return reader(document);
  } finally {
    document.dispose();
  }
}

const textAt = (document: XmlDocument, xpath: string): string | undefined => document.get(xpath)?.content;

describe.each(cases)('document %s', (name, type, example) => {
  const xml = build(type, example);

  it('is the golden XML', () => {
    const written = `${xml.replaceAll('><', '>\n<')}\n`;
    const file = `${GOLDEN}${name}.xml`;
    if (UPDATE) {
      mkdirSync(GOLDEN, { recursive: true });
      writeFileSync(file, written);
    }
    expect(existsSync(file)).toBe(true);
    expect(written).toBe(readFileSync(file, 'utf8'));
  });

  it('is canonical as it stands', () => {
    expect(read(xml, (document) => document.canonicalizeToString())).toBe(xml);
  });

  it('satisfies our schema', () => {
    expect(validateAgainstSchema(xml, type.schemaFile(example.content))).toEqual([]);
  });

  it('starts with id and version, and carries a key that agrees with the document', () => {
    expect(xml.startsWith(`<${type.rootElement} id="comprobante" version="${type.version(example.content)}">`)).toBe(
      true,
    );
    const key = read(xml, (document) => textAt(document, '//claveAcceso') ?? '');
    expect(isAccessKey(key)).toBe(true);
    const fields = read(xml, (document) =>
      ['codDoc', 'ruc', 'ambiente', 'estab', 'ptoEmi', 'secuencial'].map((element) => textAt(document, `//${element}`)),
    );
    const parts = parseAccessKey(key);
    expect(fields).toEqual([
      parts?.documentType,
      parts?.ruc,
      parts?.environment,
      parts?.establishment,
      parts?.emissionPoint,
      String(parts?.sequential).padStart(9, '0'),
    ]);
  });
});

it('keeps no golden file of an example that is gone', () => {
  const known = cases.map(([name]) => `${name}.xml`);
  expect(readdirSync(GOLDEN).filter((file) => !known.includes(file))).toEqual([]);
});

describe('text through the XML of an invoice', () => {
  const type = documentTypes.find(({ code }) => code === '01')!;
  const example = type.examples.find(({ name }) => name === 'full')!;
  const context = { today: example.content.issueDate, maxIssueDateAgeDays: 90 };

  function withText(text: string): DocumentContent {
    return {
      ...example.content,
      buyerName: text,
      lines: example.content.lines.map((line) => ({
        ...line,
        description: text,
        additionalDetails: [{ name: text, value: text }],
      })),
      additionalInfo: [{ name: 'Nota', value: text }],
    };
  }

  function expectRoundTrip(text: string): void {
    const checked = preflight(withText(text), example.issuer, context);
    expect(checked.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    const xml = type.buildXml(checked.content, example.issuer, example.numbering);
    read(xml, (document) => {
      expect(textAt(document, '//razonSocialComprador')).toBe(text);
      expect(textAt(document, '//detalle[2]/descripcion')).toBe(text);
      expect(textAt(document, '//detalle[2]//detAdicional/@nombre')).toBe(text);
      expect(textAt(document, '//detalle[2]//detAdicional/@valor')).toBe(text);
      expect(textAt(document, "//campoAdicional[@nombre='Nota']")).toBe(text);
      expect(document.canonicalizeToString()).toBe(xml);
    });
  }

  it.each([
    'ñ á é Ñ ü €',
    'emoji 😀 𝒳',
    'a & b < c > d',
    '"double" and \'single\'',
    ']]>',
    '<![CDATA[x]]>',
    '<!-- x -->',
    '<?xml version="1.0"?>',
    '&amp; &#x41; &lt;',
    "$& $1 $$ $` $'",
    '{{7*7}} ${7*7} <%= %>',
    'inner   runs     of spaces',
    'x'.repeat(300),
    '😀'.repeat(150),
    'é'.repeat(300),
    '日本語 العربية',
    'a\u00A0b',
  ])('comes back equal: %p', expectRoundTrip);

  it('comes back equal, whatever valid text it is', () => {
    const text = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 120 })
      .map(normaliseText)
      .filter((candidate) => candidate.length <= 300 && textProblem(candidate, { min: 1, max: 300 }) === null);
    fc.assert(fc.property(text, expectRoundTrip), { numRuns: 200 });
  });

  it.each(['a\nb', 'a\rb', 'a\tb', 'a\u0000b', 'a\u2028b', 'a\uD800b', 'a\u202Eb'])(
    'is refused with the field named: %p',
    (text) => {
      const { findings } = preflight(withText(text), example.issuer, context);
      const pointers = findings.filter(({ rule }) => rule === 'text.characters').map(({ pointer }) => pointer);
      expect(pointers).toContain('/buyer_name');
      expect(pointers).toContain('/lines/1/description');
      expect(pointers).toContain('/additional_info/0/value');
    },
  );
});
