import { deflateSync } from 'node:zlib';

/** How a test's PNG is made; what is left out is that of an ordinary picture. */
export interface PngOptions {
  readonly width?: number;
  readonly height?: number;
  /** PNG colour type: 0 grey, 2 colour, 3 palette, 4 grey with alpha, 6 colour with alpha. */
  readonly colorType?: 0 | 2 | 3 | 4 | 6;
  readonly bits?: number;
  readonly interlaced?: boolean;
  /** Pixel data in place of the right one, before compression. */
  readonly pixels?: Buffer;
  readonly transparency?: Buffer;
}

const SAMPLES = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 } as const;

/** A PNG file: a filled rectangle. */
export function png(options: PngOptions = {}): Buffer {
  const { width = 60, height = 20, colorType = 6, bits = 8, interlaced = false, transparency } = options;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([bits, colorType, 0, 0, interlaced ? 1 : 0], 8);
  const row = Buffer.alloc(1 + Math.ceil((width * SAMPLES[colorType] * bits) / 8), colorType === 3 ? 0x00 : 0x60);
  row[0] = 0;
  const pixels = options.pixels ?? Buffer.concat(Array.from({ length: height }, () => row));
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    ...(colorType === 3 ? [chunk('PLTE', Buffer.from([20, 120, 90, 250, 250, 250]))] : []),
    ...(transparency === undefined ? [] : [chunk('tRNS', transparency)]),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

export function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

function crc32(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** A baseline JPEG of 24 by 12 pixels in colour. */
export const JPEG = Buffer.from(
  '/9j/4AAQSkZJRgABAQEAFAAUAAD/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1RV19iZ2hnPk1xeXBkeFxlZ2P/' +
    '2wBDARESEhgVGC8aGi9jQjhCY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2P/wAARCAAMABgDASIAAhEBAxEB/8QA' +
    'GAAAAgMAAAAAAAAAAAAAAAAAAAQDBQb/xAAlEAABAwMDAwUAAAAAAAAAAAABAgMRAAUhBBJBEzFRIqHR8PH/xAAUAQEAAAAAAAAAAAAAAAAAAAAA/8QAFhEB' +
    'AQEAAAAAAAAAAAAAAAAAABEB/9oADAMBAAIRAxEAPwDW6y4aph51DVtcfCCIUCRu9JOMeYH2Khcumtbkm0OEY2womZVHAxiT+1aLbklQcWJIwDgUdIxHVc45' +
    'HxSBJu4PLdKDb3UgBZ3bTBI7DtzB9vNFOlkk4dcGZ70UmD//2Q==',
  'base64',
);

/** The same in progressive coding and grey. */
export const PROGRESSIVE_JPEG = Buffer.from(
  '/9j/4AAQSkZJRgABAQEAFAAUAAD/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1RV19iZ2hnPk1xeXBkeFxlZ2P/' +
    '2wBDARESEhgVGC8aGi9jQjhCY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2P/wgARCAAMABgDASIAAhEBAxEB/8QA' +
    'GAAAAAAAAAAAAAAAAAAAAAAAAAMCBAX/xAAUAQEAAAAAAAAAAAAAAAAAAAAA/9oADAMBAAIQAxAAAAHWhaBI4P/EABgQAAMBAQAAAAAAAAAAAAAAAAABEQID' +
    '/9oACAEBAAEFAt9NJvrtC6OwhD//xAAUEQEAAAAAAAAAAAAAAAAAAAAQ/9oACAEDAQE/AT//xAAUEQEAAAAAAAAAAAAAAAAAAAAQ/9oACAECAQE/AT//xAAZ' +
    'EAACAwEAAAAAAAAAAAAAAAAAAQMxMxH/2gAIAQEABj8CfI2zJmbLLZbP/8QAHRAAAQQCAwAAAAAAAAAAAAAAEQABIUEQMVFhof/aAAgBAQABPyFjgt8wvAp7' +
    'TkQbkJ7FkT//2gAMAwEAAgADAAAAEPDP/8QAFBEBAAAAAAAAAAAAAAAAAAAAEP/aAAgBAwEBPxA//8QAFBEBAAAAAAAAAAAAAAAAAAAAEP/aAAgBAgEBPxA/' +
    '/8QAHhABAAICAgMBAAAAAAAAAAAAAREhADFBUaHR8PH/2gAIAQEAAT8QBcsgKbGq7g+jJJWKomZhwVUv7iJiDchTRrmHx3kygZShoycR1cnrFLRXO8//2Q==',
  'base64',
);
