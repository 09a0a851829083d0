import { inflateSync } from 'node:zlib';
import { chunk, JPEG, png, PROGRESSIVE_JPEG } from '../../../test/support/picture.js';
import { EXAMPLE_CONTENT, EXAMPLE_ISSUER } from '../document-types/example-content.js';
import { isCutShort, LOGO_LIMITS, type Logo, mediaTypeOf, readLogo } from './logo.js';
import { renderRide } from './ride.js';

const printed = (logo: Logo | null): Promise<Buffer> =>
  renderRide({
    content: { ...EXAMPLE_CONTENT, documentType: '01' },
    issuer: EXAMPLE_ISSUER,
    numbering: null,
    authorization: null,
    status: 'draft',
    logo,
  });

describe('a logo', () => {
  it.each([
    ['grey PNG', png({ colorType: 0 }), 'png', 60, 20],
    ['grey PNG of one bit', png({ colorType: 0, bits: 1 }), 'png', 60, 20],
    ['colour PNG', png({ colorType: 2 }), 'png', 60, 20],
    ['palette PNG', png({ colorType: 3 }), 'png', 60, 20],
    ['palette PNG of four bits', png({ colorType: 3, bits: 4 }), 'png', 60, 20],
    ['palette PNG with transparency', png({ colorType: 3, transparency: Buffer.from([0, 255]) }), 'png', 60, 20],
    ['grey PNG with alpha', png({ colorType: 4 }), 'png', 60, 20],
    ['colour PNG with alpha', png({ colorType: 6 }), 'png', 60, 20],
    ['PNG with a colour that is transparent', png({ colorType: 2, transparency: Buffer.alloc(6) }), 'png', 60, 20],
    ['JPEG', JPEG, 'jpeg', 24, 12],
    ['progressive JPEG', PROGRESSIVE_JPEG, 'jpeg', 24, 12],
  ])('may be a %s, and is printed', async (_name, file, format, width, height) => {
    const logo = readLogo(file);
    expect(logo).toMatchObject({ format, width, height });
    expect(mediaTypeOf(file)).toBe(`image/${format}`);
    const pdf = await printed(logo as Logo);
    expect(pdf.includes('/Subtype /Image')).toBe(true);
    expect((await printed(null)).includes('/Subtype /Image')).toBe(false);
    expect(await printed(logo as Logo)).toEqual(pdf);
  });

  /** A JPEG whose camera asks for an orientation. */
  const turned = (orientation: number, isLittleEndian: boolean): Buffer => {
    const tiff = Buffer.alloc(26);
    const write = (value: number, at: number, size: number): unknown => (isLittleEndian ? tiff.writeUIntLE(value, at, size) : tiff.writeUIntBE(value, at, size));
    tiff.write(isLittleEndian ? 'II' : 'MM', 'latin1');
    for (const [value, at, size] of [[42, 2, 2], [8, 4, 4], [1, 8, 2], [0x0112, 10, 2], [3, 12, 2], [1, 14, 4], [orientation, 18, 2]] as const) write(value, at, size);
    const segment = Buffer.concat([Buffer.from('ffe10022', 'hex'), Buffer.from('Exif\0\0', 'latin1'), tiff]);
    return Buffer.concat([JPEG.subarray(0, 2), segment, JPEG.subarray(2)]);
  };

  /** Left and top of the picture on its page, and where its own right and its own upside point to; in points, downwards. */
  function placed(pdf: Buffer): Record<'at' | 'right' | 'up', number[]> {
    const pages = Array.from(pdf.toString('latin1').matchAll(/stream\n([^]*?)\nendstream/g), ([, stream = '']) => {
      try {
        return inflateSync(Buffer.from(stream, 'latin1')).toString('latin1');
      } catch {
        return '';
      }
    });
    const [, matrices = ''] = pages.map((page) => /q\n((?:[-\d. ]+ cm\n)+)\/I1 Do/.exec(page)).find((found) => found !== null) ?? [];
    const innermostFirst = matrices.trim().split('\n').map((line) => line.split(' ').slice(0, 6).map(Number) as [number, number, number, number, number, number]).reverse();
    const onPage = (corner: readonly [number, number]): readonly [number, number] =>
      innermostFirst.reduce<readonly [number, number]>(([x, y], [a, b, c, d, e, f]) => [a * x + c * y + e, b * x + d * y + f], corner);
    const [x, y] = onPage([0, 0]);
    const from = ([toX, toY]: readonly [number, number]): [number, number] => [toX - x, toY - y];
    const [right, up, opposite] = [from(onPage([1, 0])), from(onPage([0, 1])), from(onPage([1, 1]))];
    return { at: [x + Math.min(opposite[0], 0), y + Math.min(opposite[1], 0)], right, up };
  }

  it('of a camera that was held upright is as wide and high as it is seen, and keeps its shape on paper', async () => {
    for (let orientation = 1; orientation <= 9; orientation += 1) {
      const [width, height] = orientation > 4 && orientation < 9 ? [12, 24] : [24, 12];
      for (const isLittleEndian of [true, false]) expect(readLogo(turned(orientation, isLittleEndian))).toMatchObject({ width, height });
    }
    // As high as its box allows; a picture that lies on its side is turned, not squeezed.
    for (const [orientation, right, up] of [[1, [124, 0], [0, -62]], [3, [-124, 0], [0, 62]], [6, [0, 62], [31, 0]], [8, [0, -62], [-31, 0]]] as const) {
      expect([orientation, placed(await printed(readLogo(turned(orientation, true)) as Logo))]).toEqual([orientation, { at: [36, 48], right, up }]);
    }
  });

  it('with a camera’s data cut short lies as it is', () => {
    const file = turned(6, true);
    for (let end = 0; end < 26; end += 1) {
      const cut = Buffer.concat([file.subarray(0, 2), Buffer.from([0xff, 0xe1, 0, 8 + end]), file.subarray(6, 12 + end), JPEG.subarray(2)]);
      expect(readLogo(cut)).toMatchObject(end < 20 ? { width: 24, height: 12 } : { width: 12, height: 24 });
    }
  });

  const whole = png();
  it.each([
    ['nothing', Buffer.alloc(0), 'unknown_format'],
    ['text', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'unknown_format'],
    ['a GIF', Buffer.from('GIF89a\u0001\u0000\u0001\u0000'), 'unknown_format'],
    ['the signature of a PNG alone', whole.subarray(0, 8), 'damaged'],
    ['half a PNG', whole.subarray(0, whole.length - 20), 'damaged'],
    ['a PNG with too little data', png({ pixels: Buffer.alloc(100) }), 'damaged'],
    ['a PNG with more data than it says', png({ pixels: Buffer.alloc(20 * 241 + 1) }), 'damaged'],
    ['a PNG with an unknown filter', png({ pixels: Buffer.alloc(20 * 241, 7) }), 'damaged'],
    ['a PNG without width', png({ width: 0 }), 'damaged'],
    ['a PNG whose data is no zlib stream', Buffer.concat([whole.subarray(0, 33), chunk('IDAT', Buffer.from('x')), chunk('IEND', Buffer.alloc(0))]), 'damaged'],
    ['an interlaced PNG', png({ interlaced: true }), 'unsupported'],
    ['a PNG of 16 bits', png({ bits: 16 }), 'unsupported'],
    ['a PNG of two megapixels in a few bytes', png({ width: 2_000, height: 1_000, pixels: Buffer.alloc(8_001_000) }), 'too_large'],
    ['a file over the limit', Buffer.concat([whole, Buffer.alloc(LOGO_LIMITS.bytes)]), 'too_large'],
    ['half a JPEG header', JPEG.subarray(0, 100), 'damaged'],
    ['a JPEG of garbage', Buffer.concat([JPEG.subarray(0, 20), Buffer.alloc(200, 3)]), 'damaged'],
    ['a lossless JPEG', Buffer.from(JPEG.toString('latin1').replace('\u00ff\u00c0', '\u00ff\u00c3'), 'latin1'), 'unsupported'],
  ])('may not be %s', (_name, file, problem) => {
    expect(readLogo(file)).toBe(problem);
  });

  it.each([['JPEG', JPEG], ['progressive JPEG', PROGRESSIVE_JPEG]])('is a whole %s, wherever another was cut, and may have bytes behind it', (_name, file) => {
    const isWhole = (bytes: Buffer): boolean => {
      const logo = readLogo(bytes);
      return typeof logo !== 'string' && !isCutShort(logo);
    };
    for (let length = 2; length < file.length; length += 1) expect([length, isWhole(file.subarray(0, length))]).toEqual([length, false]);
    expect(isWhole(file)).toBe(true);
    expect(isWhole(Buffer.concat([file, Buffer.from('behind')]))).toBe(true);
    expect(isWhole(Buffer.concat([file.subarray(0, -2), Buffer.from('ffffd9', 'hex')]))).toBe(true);
    // The end of a camera’s small picture is none of the large one.
    const withSmall = Buffer.concat([file.subarray(0, 2), Buffer.from('ffe10006ffd8ffd9', 'hex'), file.subarray(2)]);
    expect([isWhole(withSmall), isWhole(withSmall.subarray(0, -2))]).toEqual([true, false]);
  });

  it('that was stored in part is printed as it is', async () => {
    const logo = readLogo(JPEG.subarray(0, -20)) as Logo;
    expect([isCutShort(logo), (await printed(logo)).includes('/Subtype /Image')]).toEqual([true, true]);
  });

  it('whatever happened to its bytes, is refused or printed', async () => {
    for (const file of [png({ width: 8, height: 4 }), png({ colorType: 3, width: 8, height: 4 }), JPEG]) {
      for (let at = 0; at < file.length; at += 3) {
        const broken = Buffer.from(file);
        broken[at] = (broken[at] ?? 0) ^ 0x55;
        const logo = readLogo(broken);
        if (typeof logo !== 'string') expect((await printed(logo)).subarray(0, 5).toString()).toBe('%PDF-');
      }
    }
  });
});
