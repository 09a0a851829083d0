import { XmlDocument, XsdValidator } from 'libxml2-wasm';
import { SchemaReadings } from '../../../test/support/schema-readings.js';
import { element, withAttributes } from './canonical.js';
import { expressionOf } from './schema-expression.js';
import { UntranslatableSchema } from './text-expression.js';

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
  const text = new SchemaReadings(schemaOf(TYPES['text'] ?? ''));
  const amount = new SchemaReadings(schemaOf(TYPES['amount'] ?? ''));
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
      '<xs:simpleType name="T"><xs:restriction base="xs:string"><xs:pattern value="[0-9]{2}"/></xs:restriction></xs:simpleType><xs:element name="a"><xs:simpleType><xs:restriction base="T"><xs:enumeration value="21"/></xs:restriction></xs:simpleType></xs:element>',
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
      'values that have to be unique',
      '<xs:element name="a"><xs:simpleType><xs:restriction base="xs:ID"><xs:enumeration value="x"/></xs:restriction></xs:simpleType></xs:element>',
    ],
    [
      'two counts in a pattern',
      '<xs:element name="a"><xs:simpleType><xs:restriction base="xs:string"><xs:pattern value="[0-9]{1,2}[0-9]{1,2}"/></xs:restriction></xs:simpleType></xs:element>',
    ],
    [
      'two parts that may be missing',
      '<xs:element name="a"><xs:simpleType><xs:restriction base="xs:string"><xs:pattern value="A?A?"/></xs:restriction></xs:simpleType></xs:element>',
    ],
    [
      'a count and a part that may be missing',
      '<xs:element name="a"><xs:simpleType><xs:restriction base="xs:string"><xs:pattern value="[0-9]{1,3}[0-9]?"/></xs:restriction></xs:simpleType></xs:element>',
    ],
    [
      'choices that begin alike',
      '<xs:element name="a"><xs:simpleType><xs:restriction base="xs:string"><xs:pattern value="[0-9]{2}|[0-9]{3}"/></xs:restriction></xs:simpleType></xs:element>',
    ],
    [
      'choices beside a count',
      '<xs:element name="a"><xs:simpleType><xs:restriction base="xs:string"><xs:pattern value="[0-9]{0,1}(1|21)"/></xs:restriction></xs:simpleType></xs:element>',
    ],
    [
      'choices that begin with a group',
      '<xs:element name="a"><xs:simpleType><xs:restriction base="xs:string"><xs:pattern value="(a|b)|c"/></xs:restriction></xs:simpleType></xs:element>',
    ],
    [
      'an empty choice',
      '<xs:element name="a"><xs:simpleType><xs:restriction base="xs:string"><xs:pattern value="(a|)b"/></xs:restriction></xs:simpleType></xs:element>',
    ],
    [
      'groups in groups',
      '<xs:element name="a"><xs:simpleType><xs:restriction base="xs:string"><xs:pattern value="((a|b)c|d)"/></xs:restriction></xs:simpleType></xs:element>',
    ],
    [
      'no pattern',
      '<xs:element name="a"><xs:simpleType><xs:restriction base="xs:string"><xs:pattern value="a{2}{3}"/></xs:restriction></xs:simpleType></xs:element>',
    ],
    [
      'a type within itself',
      '<xs:complexType name="T"><xs:sequence><xs:element name="b" type="T" minOccurs="0"/></xs:sequence></xs:complexType><xs:element name="a" type="T"/>',
    ],
    [
      'lengths that exclude each other',
      '<xs:element name="a"><xs:simpleType><xs:restriction base="xs:string"><xs:minLength value="3"/><xs:maxLength value="2"/></xs:restriction></xs:simpleType></xs:element>',
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
    XsdValidator.fromDoc(source).dispose();
    expect(() => expressionOf(source.root)).toThrow(UntranslatableSchema);
    source.dispose();
  });
});
