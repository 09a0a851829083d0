import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { XmlDocument, XsdValidator } from 'libxml2-wasm';
import { anyDocument } from '../../../test/support/documents/any-document.js';
import { parserProblems } from '../../../test/support/official-schema.js';
import { sweep } from '../../../test/support/xml-mutations.js';
import { documentTypes } from '../document-types/registry.js';
import { element, withAttributes } from './canonical.js';
import { expressionOf, UntranslatableSchema } from './schema-expression.js';

const NUMBERING = { sequential: 999_999_999, accessKey: '0'.repeat(49) };

/** A schema as both readings of it. */
class Schema {
  private readonly source: XmlDocument;
  private readonly validator: XsdValidator;
  readonly expression: RegExp;

  constructor(xsd: string) {
    this.source = XmlDocument.fromString(xsd);
    this.expression = expressionOf(this.source.root);
    this.validator = XsdValidator.fromDoc(this.source);
  }

  /** By the parser. */
  isValid(xml: string): boolean {
    return parserProblems(xml, this.validator).length === 0;
  }

  dispose(): void {
    this.validator.dispose();
    this.source.dispose();
  }
}

const versions = documentTypes.flatMap((type) => {
  const files = [...new Set(type.examples.map(({ content }) => type.schemaFile(content)))];
  return files.map((file) => ({
    file,
    type,
    documents: type.examples
      .filter(({ content }) => type.schemaFile(content) === file)
      .map(({ name, content, issuer }) => ({
        name,
        xml: type.buildXml(type.normalise(content, issuer).content, issuer, NUMBERING),
      })),
  }));
});

it('is asked for every schema there is', () => {
  const folder = join(import.meta.dirname, '..', 'document-types');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.xsd'));
  expect(versions.map(({ file }) => file).sort()).toEqual(files.map((name) => join(folder, name)).sort());
});

describe.each(versions.map((version) => [version.file.replace(/^.*\//, ''), version] as const))(
  '%s as an expression',
  (_name, { file, type, documents }) => {
    const schema = new Schema(readFileSync(file, 'utf8'));
    afterAll(() => {
      schema.dispose();
    });

    it('matches every example', () => {
      expect(documents.filter(({ xml }) => !schema.expression.test(xml)).map(({ name }) => name)).toEqual([]);
    });

    it('matches any document that is valid and of this version', () => {
      let matched = 0;
      for (let seed = 1; seed <= 300; seed += 1) {
        const { content, issuer } = anyDocument(type.code, seed);
        if (type.schemaFile(content) !== file) continue;
        const xml = type.buildXml(type.normalise(content, issuer).content, issuer, NUMBERING);
        expect([seed, schema.expression.test(xml)]).toEqual([seed, schema.isValid(xml)]);
        matched += 1;
      }
      expect(matched).toBeGreaterThan(20);
    });

    it('matches nothing that the schema refuses: every edge value and count of every element', () => {
      const verdicts = { matched: 0, other: 0 };
      const seen = new Set<string>();
      for (const { xml: seed } of documents) {
        for (const { xml, change } of [...sweep(seed), ...rootAttributes(seed)]) {
          if (seen.has(xml)) continue;
          seen.add(xml);
          const matched = schema.expression.test(xml);
          if (matched && !schema.isValid(xml)) throw new Error(`${change}: the schema refuses it`);
          verdicts[matched ? 'matched' : 'other'] += 1;
        }
      }
      expect(verdicts.matched).toBeGreaterThan(200);
      expect(verdicts.other).toBeGreaterThan(1_000);
    });

    it.each([
      ['as they are', (entry: string) => entry],
      ['with texts of the greatest length', (entry: string) => withTexts(entry, 'x'.repeat(300))],
      ['with escaped characters alone', (entry: string) => withTexts(entry, '&amp;'.repeat(300))],
      ['with characters that count as two', (entry: string) => withTexts(entry, '😀'.repeat(300))],
      ['with texts that are too long', (entry: string) => withTexts(entry, 'x'.repeat(5_000))],
    ])('is done with a document of the largest size, whole or broken anywhere: entries %s', (_what, changed) => {
      const [{ xml } = { xml: '' }] = documents;
      const entries = ['detalle', 'docSustento', 'impuesto'].map(
        (name) => new RegExp(`<${name}>.*?</${name}>`).exec(xml)?.[0],
      );
      const entry = entries.find((found) => found !== undefined) ?? '';
      const made = changed(entry);
      const large = xml.replace(entry, () => made.repeat(Math.ceil((300 * 1024) / made.length)));
      expect(large.length).toBeGreaterThanOrEqual(300 * 1024);
      // None of these ends within the time of a test if it is read in more ways than one.
      const broken = [1, 2, 10, 20, 500, 5_000, 150 * 1024].map((end) => large.slice(0, -end));
      expect(broken.filter((text) => schema.expression.test(text))).toEqual([]);
      expect(schema.expression.test(large)).toBe(schema.isValid(large));
    });
  },
);

/** The entry with another text wherever a text is free in its length: its description, or what stands for one. */
function withTexts(entry: string, text: string): string {
  return entry.replace(
    /<(descripcion|codigoRetencion|numDocSustento)>[^<]*</g,
    (_, name: string) => `<${name}>${text}<`,
  );
}

/** Edge values in what the root element says of itself. */
function* rootAttributes(xml: string): Generator<{ readonly xml: string; readonly change: string }> {
  for (const attribute of ['id', 'version']) {
    for (const value of [
      '',
      ' ',
      'a b',
      'é',
      'a:b',
      ':',
      '1.1.0',
      '-1',
      '&amp;',
      '&#x41;',
      '<',
      'a"b="c',
      'comprobante',
      'comprobantes',
      'x'.repeat(1_000),
    ]) {
      yield {
        xml: xml.replace(new RegExp(` ${attribute}="[^"]*"`), () => ` ${attribute}="${value}"`),
        change: `@${attribute} = ${value}`,
      };
    }
    yield { xml: xml.replace(new RegExp(` ${attribute}="[^"]*"`), ''), change: `no @${attribute}` };
  }
}

describe('an expression', () => {
  const TYPES: Readonly<Record<string, string>> = {
    text: '<xs:restriction base="xs:string"><xs:minLength value="1"/><xs:maxLength value="3"/></xs:restriction>',
    amount:
      '<xs:restriction base="xs:decimal"><xs:totalDigits value="3"/><xs:fractionDigits value="2"/></xs:restriction>',
  };
  const schemaOf = (restriction: string): string => `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
    <xs:simpleType name="T">${restriction}</xs:simpleType>
    <xs:element name="a"><xs:complexType><xs:simpleContent><xs:extension base="T">
      <xs:attribute name="b" type="T"/></xs:extension></xs:simpleContent></xs:complexType></xs:element></xs:schema>`;
  const text = new Schema(schemaOf(TYPES['text'] ?? ''));
  const amount = new Schema(schemaOf(TYPES['amount'] ?? ''));
  afterAll(() => {
    text.dispose();
    amount.dispose();
  });

  it.each(['abc', '&<>', '"""', "'''", 'ñ€日', '😀😀😀', ']]>', '>>>', '   ', '\u2028\u0085\u007f', '$&$'])(
    'counts the characters of %j as the schema does',
    (value) => {
      for (const written of [value, value + 'x', '']) {
        const xml = withAttributes(
          'a',
          { b: written },
          written.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
        );
        expect([written, text.expression.test(xml)]).toEqual([written, text.isValid(xml)]);
      }
    },
  );

  it.each([
    '\0',
    '\x01',
    '\x1f',
    '\ufffe',
    '\uffff',
    '&',
    '&a;',
    '&amp',
    '&#0;',
    '&#x41;',
    '&bogus;',
    '<',
    ']]>',
    '<!---->',
    '<?a b?>',
    '<![CDATA[a]]>',
    '<b/>',
    '</a><a>',
    '\t',
    '\n',
    '\r',
  ])('matches no text with a bare %j', (value) => {
    expect(text.expression.test(`<a>${value}</a>`)).toBe(false);
    expect(text.expression.test(`<a b="${value}">x</a>`)).toBe(value === ']]>');
  });

  it.each([
    '<a>x</a> ',
    ' <a>x</a>',
    '<a>x</a>\n',
    '<a >x</a>',
    '<a>x</a >',
    "<a b='x'>x</a>",
    '<a  b="x">x</a>',
    '<a b="x" b="x">x</a>',
    '<a>x</a><a>x</a>',
    '<A>x</A>',
    '<a/>',
  ])('leaves %j to the parser', (xml) => {
    expect(text.expression.test(xml)).toBe(false);
  });

  it('has attributes in the order in which they are written', () => {
    const source = XmlDocument.fromString(
      '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="a"><xs:complexType><xs:attribute name="c" type="xs:string"/><xs:attribute name="b" type="xs:string"/></xs:complexType></xs:element></xs:schema>',
    );
    const expression = expressionOf(source.root);
    source.dispose();
    expect(expression.test(withAttributes('a', { c: '1', b: '2' }, ''))).toBe(true);
    expect(expression.test('<a c="1" b="2"></a>')).toBe(false);
  });

  it('knows the numbers of few digits, as many as there are', () => {
    const parts = ['', '0', '1', '10', '12', '100', '123', '1000', '1234'];
    const numbers = parts.flatMap((whole) =>
      ['', '.', '.0', '.00', '.000', '.1', '.10', '.12', '.100', '.123'].map((rest) => whole + rest),
    );
    const differing = numbers
      .flatMap((number) => [number, `-${number}`])
      .filter((number) => {
        const xml = element('a', number);
        const matched = amount.expression.test(xml);
        if (matched) expect([number, amount.isValid(xml)]).toEqual([number, true]);
        return !matched && amount.isValid(xml);
      });
    // No digit before or behind the point, zeros beyond the places: as we never write them.
    expect(differing.filter((number) => !/^-?(\.|.*\.$|.*\.\d00$|.*\.000$)/.test(number))).toEqual([]);
  });

  it.each([
    [
      'a choice',
      '<xs:element name="a"><xs:complexType><xs:choice><xs:element name="b" type="xs:string"/></xs:choice></xs:complexType></xs:element>',
    ],
    [
      'a pattern with escapes',
      String.raw`<xs:element name="a"><xs:simpleType><xs:restriction base="xs:string"><xs:pattern value="\d+"/></xs:restriction></xs:simpleType></xs:element>`,
    ],
    [
      'a pattern with any character',
      '<xs:element name="a"><xs:simpleType><xs:restriction base="xs:string"><xs:pattern value="a.c"/></xs:restriction></xs:simpleType></xs:element>',
    ],
    [
      'a pattern of a bounded length',
      '<xs:element name="a"><xs:simpleType><xs:restriction base="xs:string"><xs:maxLength value="2"/><xs:pattern value="[0-9]+"/></xs:restriction></xs:simpleType></xs:element>',
    ],
    [
      'an unknown facet',
      '<xs:element name="a"><xs:simpleType><xs:restriction base="xs:string"><xs:whiteSpace value="collapse"/></xs:restriction></xs:simpleType></xs:element>',
    ],
    [
      'two patterns',
      '<xs:element name="a"><xs:simpleType><xs:restriction base="xs:string"><xs:pattern value="a"/><xs:pattern value="b"/></xs:restriction></xs:simpleType></xs:element>',
    ],
    [
      'a pattern on a pattern',
      '<xs:simpleType name="T"><xs:restriction base="xs:string"><xs:pattern value="[0-9]{2}"/></xs:restriction></xs:simpleType><xs:element name="a"><xs:simpleType><xs:restriction base="T"><xs:pattern value="[0-5]{2}"/></xs:restriction></xs:simpleType></xs:element>',
    ],
    [
      'a list of values on a pattern',
      '<xs:simpleType name="T"><xs:restriction base="xs:string"><xs:pattern value="[0-9]{2}"/></xs:restriction></xs:simpleType><xs:element name="a"><xs:simpleType><xs:restriction base="T"><xs:enumeration value="SI"/></xs:restriction></xs:simpleType></xs:element>',
    ],
    [
      'a class that reaches over the delimiters',
      '<xs:element name="a"><xs:simpleType><xs:restriction base="xs:string"><xs:pattern value="[0-z]"/></xs:restriction></xs:simpleType></xs:element>',
    ],
    [
      'a bounded name token',
      '<xs:element name="a"><xs:simpleType><xs:restriction base="xs:NMTOKEN"><xs:maxLength value="2"/></xs:restriction></xs:simpleType></xs:element>',
    ],
    [
      'a pattern of name tokens',
      '<xs:element name="a"><xs:simpleType><xs:restriction base="xs:NMTOKEN"><xs:pattern value="x"/></xs:restriction></xs:simpleType></xs:element>',
    ],
    [
      'a pattern with a counted group',
      '<xs:element name="a"><xs:simpleType><xs:restriction base="xs:string"><xs:pattern value="([0-9]{1,9}){1,9}"/></xs:restriction></xs:simpleType></xs:element>',
    ],
    [
      'values that look like patterns',
      '<xs:element name="a"><xs:simpleType><xs:restriction base="xs:string"><xs:enumeration value="A|B"/><xs:enumeration value="S?"/></xs:restriction></xs:simpleType></xs:element>',
    ],
    ['names with points', '<xs:element name="a.b" type="xs:string"/>'],
    [
      'attributes with hyphens',
      '<xs:element name="a"><xs:complexType><xs:attribute name="b-c" type="xs:string"/></xs:complexType></xs:element>',
    ],
    [
      'counts with blanks',
      '<xs:element name="a"><xs:complexType><xs:sequence><xs:element name="b" type="xs:string" minOccurs=" 0 "/></xs:sequence></xs:complexType></xs:element>',
    ],
    [
      'lengths with signs',
      '<xs:element name="a"><xs:simpleType><xs:restriction base="xs:string"><xs:maxLength value="+2"/></xs:restriction></xs:simpleType></xs:element>',
    ],
    [
      'attributes of another namespace',
      '<xs:element name="a"><xs:simpleType><xs:restriction base="xs:string"><xs:maxLength xmlns:o="urn:o" value="2" o:value="9"/></xs:restriction></xs:simpleType></xs:element>',
    ],
    [
      'elements of another namespace',
      '<xs:element name="a"><xs:simpleType><xs:restriction base="xs:string"><o:maxLength xmlns:o="urn:o" value="2"/></xs:restriction></xs:simpleType></xs:element>',
    ],
    [
      'a lower bound',
      '<xs:element name="a"><xs:simpleType><xs:restriction base="xs:decimal"><xs:totalDigits value="3"/><xs:fractionDigits value="2"/><xs:minInclusive value="1"/></xs:restriction></xs:simpleType></xs:element>',
    ],
    ['a whole number', '<xs:element name="a" type="xs:integer"/>'],
    ['two roots', '<xs:element name="a" type="xs:string"/><xs:element name="b" type="xs:string"/>'],
    ['a list', '<xs:element name="a"><xs:simpleType><xs:list itemType="xs:string"/></xs:simpleType></xs:element>'],
    [
      'mixed content',
      '<xs:element name="a"><xs:complexType mixed="true"><xs:sequence><xs:element name="b" type="xs:string"/></xs:sequence></xs:complexType></xs:element>',
    ],
    [
      'a repeated sequence',
      '<xs:element name="a"><xs:complexType><xs:sequence maxOccurs="2"><xs:element name="b" type="xs:string"/></xs:sequence></xs:complexType></xs:element>',
    ],
    [
      'a prohibited attribute',
      '<xs:element name="a"><xs:complexType><xs:attribute name="b" type="xs:string" use="prohibited"/></xs:complexType></xs:element>',
    ],
    ['a default', '<xs:element name="a" type="xs:string" fixed="x"/>'],
  ])('is not made of a schema with %s', (_name, declaration) => {
    const source = XmlDocument.fromString(
      `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">${declaration}</xs:schema>`,
    );
    expect(() => expressionOf(source.root)).toThrow(UntranslatableSchema);
    source.dispose();
  });
});
