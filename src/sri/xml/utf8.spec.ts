import { writeUtf8 } from './utf8.js';

/** What stands before and behind must stay as it is. */
const AT = 7;

function written(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const target = Buffer.alloc(AT + length + 5, 0x2e);
  expect(writeUtf8(text, length, target, AT)).toBe(length);
  expect(target.toString('latin1', 0, AT)).toBe('.......');
  expect(target.toString('latin1', AT + length)).toBe('.....');
  return target.subarray(AT, AT + length);
}

describe('writeUtf8', () => {
  it.each([
    ['nothing', ''],
    ['ASCII', '<total>12.50</total>'.repeat(50)],
    ['Spanish', 'Edición número 12, año 2026: caña y pingüino. '.repeat(60)],
    ['every character of Latin-1', Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).join('')],
    ['characters beyond Latin-1', `Precio: 5 € – “ñandú” ${'x'.repeat(100)}`],
    ['characters beyond U+FFFF', `${'ñ'.repeat(40)} 😀`],
    ['characters whose low byte alone would be of as many bytes', 'ƀƀƀ ñ'],
    ['half a pair', `ñ ${String.fromCharCode(0xd800)} ñ`],
    ['more than the largest document', 'ñ'.repeat(600_000)],
  ])('writes %s as Buffer does', (_, text) => {
    expect(written(text).equals(Buffer.from(text))).toBe(true);
  });

  it('writes an accent at any place, in a text of any length', () => {
    for (let length = 1; length <= 100; length += 1) {
      for (let at = 0; at < length; at += 1) {
        const text = `${'a'.repeat(at)}é${'b'.repeat(length - at - 1)}`;
        if (!written(text).equals(Buffer.from(text))) throw new Error(`${length} characters, accent at ${at}`);
      }
    }
  });

  it('leaves nothing of one text in the next', () => {
    expect(written('ñ'.repeat(200)).equals(Buffer.from('ñ'.repeat(200)))).toBe(true);
    expect(written('é').equals(Buffer.from('é'))).toBe(true);
  });
});
