import fc from 'fast-check';
import { ParseOption, XmlDocument } from 'libxml2-wasm';
import { element, group, optional, optionalGroup, withAttributes } from './canonical.js';

/** What libxml2 makes of the same XML: the second opinion on canonical form. */
function canonicalised(xml: string): string {
  const document = XmlDocument.fromString(xml, { option: ParseOption.XML_PARSE_NO_XXE });
  try {
    return document.canonicalizeToString();
  } finally {
    document.dispose();
  }
}

function textOf(xml: string): string {
  const document = XmlDocument.fromString(xml);
  try {
    return document.root.content;
  } finally {
    document.dispose();
  }
}

/** Any text that XML 1.0 can carry. */
const xmlText = fc
  .string({ unit: 'binary', maxLength: 60 })
  .map((text) => text.replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, ''));

describe('canonical writer', () => {
  it('sorts attributes and expands empty elements', () => {
    expect(withAttributes('a', { version: '1', id: 'x', B: '2' }, '')).toBe('<a B="2" id="x" version="1"></a>');
    expect(element('a', '')).toBe('<a></a>');
  });

  it('leaves out what would be empty', () => {
    expect(optional('a', null) + optional('a', '') + optionalGroup('g', '', '')).toBe('');
    expect(optionalGroup('g', '', element('a', '1'))).toBe('<g><a>1</a></g>');
  });

  it.each(['$&', "$'", '$1', ']]>', '<!--', '<![CDATA[', '&amp;', '&#x0;', '"\'', '  a  ', 'a\tb\nc\rd', 'ñ€😀'])(
    'carries %p unchanged',
    (text) => {
      expect(textOf(element('a', text))).toBe(text);
      expect(canonicalised(element('a', text))).toBe(element('a', text));
    },
  );

  it('is what a canonicaliser would write, for any text and attributes', () => {
    fc.assert(
      fc.property(xmlText, xmlText, xmlText, (text, one, two) => {
        const xml = group('root', withAttributes('e', { nombre: one, valor: two, id: 'i' }, ''), element('t', text));
        expect(canonicalised(xml)).toBe(xml);
        expect(textOf(xml)).toBe(text);
      }),
    );
  });
});
