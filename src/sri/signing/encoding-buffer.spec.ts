import { encodeUtf8 } from './encoding-buffer.js';

describe('encoding to UTF-8', () => {
  it.each([
    ['nothing', ''],
    ['ASCII', '<a>1.00 & 2</a>'],
    ['Latin-1', 'Ñandú, 1.º año ÿ'],
    ['beyond Latin-1, where the low byte alone would be ASCII', '\u0141\u2028€'],
    ['pairs of surrogates', 'a😀b'],
    ['ASCII longer than the buffer', 'x'.repeat(100_000)],
    ['other text longer than the buffer', 'año'.repeat(50_000)],
    ['what is too long to keep a buffer for', '😀'.repeat(500_000)],
  ])('writes %s as any encoder does', (_name, text) => {
    expect(encodeUtf8(text).equals(Buffer.from(text))).toBe(true);
  });

  it.each(['\ud800', 'a\udfffb', 'ó\ud83d'])('writes the replacement character for a lone surrogate (%#)', (text) => {
    expect(encodeUtf8(text).equals(Buffer.from(text))).toBe(true);
    expect(encodeUtf8(text).includes('\ufffd')).toBe(true);
  });
});
