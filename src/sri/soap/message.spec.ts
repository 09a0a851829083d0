import { excerptOf, NoEvidence, responseElement, unescapeXml } from './message.js';
import { MAX_ANSWER_BYTES } from './transport.js';

const read = (body: string): unknown => {
  try {
    return responseElement(body, 'urn:a', 'r', 'R');
  } catch (error) {
    if (error instanceof NoEvidence) return error.message;
    throw error;
  }
};
const inEnvelope = (inner: string): string =>
  `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><a:r xmlns:a="urn:a"><R>${inner}</R></a:r></s:Body></s:Envelope>`;
const SIZE = MAX_ANSWER_BYTES - 1_000;
const fill = (unit: string): string => unit.repeat(Math.floor(SIZE / unit.length));

describe('reading answers', () => {
  it('takes the wrapper by its namespace under any prefix or none', () => {
    expect(read(inEnvelope(''))).toMatchObject({ name: 'R' });
    expect(read(inEnvelope('').replace('a:r xmlns:a', 'r xmlns').replace('/a:r', '/r'))).toMatchObject({ name: 'R' });
    expect(read(inEnvelope('').replace('urn:a', 'urn:b'))).toBe('the answer of another service');
    expect(read(inEnvelope('').replace(' xmlns:a="urn:a"', ''))).toEqual(expect.any(String));
  });

  it('joins text, CDATA and references in order, without comments', () => {
    const element = read(inEnvelope('a<![CDATA[<&amp;>]]>b&amp;<!-- no -->c')) as { text: string };
    expect(element.text).toBe('a<&amp;>b&c');
  });

  it('replaces what XML allows in no document, which PostgreSQL would not store', () => {
    const element = read(inEnvelope('a\u0000b\u0008<![CDATA[\ud800\ufffe]]>\u{1f600}\t\n')) as { text: string };
    expect(element.text).toBe('a\ufffdb\ufffd\ufffd\ufffd\u{1f600}\t\n');
  });

  it.each([
    ['deep nesting', inEnvelope(fill('<a>'))],
    ['closed deep nesting', inEnvelope('<a>'.repeat(100_000) + '</a>'.repeat(100_000))],
    ['many elements', inEnvelope(fill('<a/>'))],
    ['many attributes', inEnvelope(`<a ${fill('b="c" ')}/>`)],
    ['an endless attribute', inEnvelope(`<a b="${fill('x')}`)],
    ['an endless tag', inEnvelope(`<${fill('a')}`)],
    ['spaces in a tag', inEnvelope(`<a${fill(' ')}`)],
    ['quotes in a tag', inEnvelope(`<a ${fill('"')}`)],
    ['equal signs in a tag', inEnvelope(`<a ${fill('=')}/>`)],
    ['an endless comment', inEnvelope(`<!-- ${fill('-')}`)],
    ['an endless CDATA section', inEnvelope(`<![CDATA[${fill(']')}`)],
    ['an endless instruction', inEnvelope(`<?a ${fill('?')}`)],
    ['references', inEnvelope(fill('&amp;'))],
    ['ampersands', inEnvelope(fill('&'))],
    ['numeric references', inEnvelope(fill('&#65;'))],
    ['closing tags', inEnvelope(fill('</a>'))],
    ['brackets', fill('<')],
    ['one long text', inEnvelope(fill('ñ '))],
    ['one long CDATA section', inEnvelope(`<![CDATA[${fill('<a>')}]]>`)],
  ])('comes to an end on an answer full of %s', (_name, body) => {
    // What is quadratic in the size would take minutes here.
    expect(['string', 'object']).toContain(typeof read(body));
  });

  it('is not led astray by names that objects have', () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      const result = read(inEnvelope(`<${name}>x</${name}>`));
      expect(typeof result === 'string' || (result as { name: string }).name === 'R').toBe(true);
    }
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });
});

describe('references', () => {
  it.each([
    ['&lt;&gt;&amp;&quot;&apos;', '<>&"\''],
    ['&amp;lt;', '&lt;'],
    ['&#241;&#xF1;&#128512;', 'ññ😀'],
    ['&nbsp;&unknown;', '&nbsp;&unknown;'],
    ['&#0;&#xD800;&#x110000;', '&#0;&#xD800;&#x110000;'],
    ['& &; &#; &#x;', '& &; &#; &#x;'],
  ])('%s', (text, expected) => {
    expect(unescapeXml(text)).toBe(expected);
  });
});

it('keeps excerpts printable', () => {
  expect(excerptOf('a\r\n\u0000\u001b[0m\u202eb')).toBe('a [0m b');
  // Cut in the middle of a character it would be none that PostgreSQL stores.
  for (const before of ['', 'a']) expect(JSON.stringify(excerptOf(`${before}${'\u{1f600}'.repeat(2_000)}`))).not.toMatch(/\\ud/);
});
