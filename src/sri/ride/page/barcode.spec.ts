import { readCode128 } from '../../../../test/support/code128.js';
import { code128 } from './barcode.js';

const KEY = '1509202601179001234400110010020000001011234567818';

describe('the barcode of an access key', () => {
  it('is read as the key again', () => {
    expect(readCode128(code128(KEY))).toBe(KEY);
  });

  it('packs digits in pairs: 321 modules for 49 digits', () => {
    expect(code128(KEY).reduce((sum, width) => sum + width, 0)).toBe(321);
  });

  it.each(['0'.repeat(49), '9'.repeat(49), `1${'05'.repeat(24)}`])('reads %s', (digits) => {
    expect(readCode128(code128(digits))).toBe(digits);
  });

  it('is not read with a bar gone wrong', () => {
    const widths = [...code128(KEY)];
    const at = widths.findIndex((width, index) => index > 12 && width !== widths[index + 1]);
    widths.splice(at, 2, widths[at + 1] ?? 0, widths[at] ?? 0);
    expect(readCode128(widths)).toBeNull();
  });
});
