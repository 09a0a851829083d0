import { inflateSync } from 'node:zlib';

/** An image that can be printed. */
export interface Logo {
  readonly format: 'png' | 'jpeg';
  /** What is embedded: of a PNG only the chunks that make the picture. */
  readonly bytes: Buffer;
  readonly width: number;
  readonly height: number;
}

export type LogoProblem = 'unknown_format' | 'damaged' | 'unsupported' | 'too_large';

/** Bounds of an image: its file and its picture. Every document carries it. */
export const LOGO_LIMITS = { bytes: 200 * 1024, pixels: 1_000_000 } as const;

const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const PICTURE_CHUNKS = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND']);
/** Samples per pixel of each PNG colour type. */
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const LAST_FILTER = 4;

/**
 * Reads a PNG or JPEG and makes sure that it can be embedded: the PDF library decodes
 * some images in the background, where a damaged one would end the process. So all
 * that it relies on is checked here, and a picture is never larger than its header says.
 */
export function readLogo(bytes: Buffer): Logo | LogoProblem {
  if (bytes.length > LOGO_LIMITS.bytes) return 'too_large';
  if (isPng(bytes)) return readPng(bytes);
  if (bytes.length > 3 && bytes.readUInt16BE(0) === 0xffd8) return readJpeg(bytes);
  return 'unknown_format';
}

/** Media type of an image that `readLogo` takes. */
export function mediaTypeOf(bytes: Buffer): 'image/png' | 'image/jpeg' {
  return isPng(bytes) ? 'image/png' : 'image/jpeg';
}

const isPng = (bytes: Buffer): boolean => bytes.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE);

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
  readonly whole: Buffer;
}

function chunksOf(bytes: Buffer): Chunk[] | null {
  const chunks: Chunk[] = [];
  let at = PNG_SIGNATURE.length;
  while (at + 12 <= bytes.length) {
    const end = at + 12 + bytes.readUInt32BE(at);
    if (end > bytes.length) return null;
    const type = bytes.toString('latin1', at + 4, at + 8);
    chunks.push({ type, data: bytes.subarray(at + 8, end - 4), whole: bytes.subarray(at, end) });
    if (type === 'IEND') return chunks;
    at = end;
  }
  return null;
}

function readPng(bytes: Buffer): Logo | LogoProblem {
  const chunks = chunksOf(bytes);
  const header = chunks?.[0];
  if (chunks === null || header?.type !== 'IHDR' || header.data.length !== 13) return 'damaged';
  const width = header.data.readUInt32BE(0);
  const height = header.data.readUInt32BE(4);
  const bits = header.data.readUInt8(8);
  const colorType = header.data.readUInt8(9);
  const samples = SAMPLES[colorType];
  if (width === 0 || height === 0 || samples === undefined) return 'damaged';
  if (width * height > LOGO_LIMITS.pixels) return 'too_large';
  const palette = chunks.find((chunk) => chunk.type === 'PLTE')?.data.length ?? 0;
  if (colorType === 3 ? palette === 0 || palette % 3 !== 0 || palette > 768 : false) return 'damaged';
  const transparency = chunks.some((chunk) => chunk.type === 'tRNS');
  const interlaced = header.data.readUInt8(12) !== 0;
  // Eight bits a sample is what every drawing program writes; the library errs on the rarer mixtures.
  if (interlaced || bits > 8 || (bits < 8 && (transparency || samples > 1))) return 'unsupported';
  if (!pixelsAreWhole(chunks, height, Math.ceil((width * bits * samples) / 8))) return 'damaged';
  const picture = chunks.filter(
    (chunk) => PICTURE_CHUNKS.has(chunk.type) && (chunk.type !== 'tRNS' || colorType === 3),
  );
  return {
    format: 'png',
    bytes: Buffer.concat([PNG_SIGNATURE, ...picture.map((chunk) => chunk.whole)]),
    width,
    height,
  };
}

function pixelsAreWhole(chunks: readonly Chunk[], height: number, rowBytes: number): boolean {
  const expected = height * (rowBytes + 1);
  const packed = Buffer.concat(chunks.filter((chunk) => chunk.type === 'IDAT').map((chunk) => chunk.data));
  const pixels = inflated(packed, expected);
  if (pixels?.length !== expected) return false;
  for (let row = 0; row < height; row += 1) {
    if (pixels.readUInt8(row * (rowBytes + 1)) > LAST_FILTER) return false;
  }
  return true;
}

/** Null for data that is not zlib's or longer than `limit`. */
function inflated(packed: Buffer, limit: number): Buffer | null {
  try {
    return inflateSync(packed, { maxOutputLength: limit });
  } catch {
    return null;
  }
}

/** Frame headers of baseline, extended and progressive JPEG. */
const FRAMES = new Set([0xc0, 0xc1, 0xc2]);

const APP1 = 0xe1;

function readJpeg(bytes: Buffer): Logo | LogoProblem {
  let at = 2;
  let isTurned: boolean | null = null;
  while (at + 4 <= bytes.length) {
    if (bytes.readUInt8(at) !== 0xff) return 'damaged';
    const marker = bytes.readUInt8(at + 1);
    const length = bytes.readUInt16BE(at + 2);
    if (length < 2 || at + 2 + length > bytes.length) return 'damaged';
    if (marker === APP1) isTurned ??= isOnItsSide(bytes.subarray(at + 4, at + 2 + length));
    if (FRAMES.has(marker)) {
      if (length < 8) return 'damaged';
      const height = bytes.readUInt16BE(at + 5);
      const width = bytes.readUInt16BE(at + 7);
      const channels = bytes.readUInt8(at + 9);
      if (bytes.readUInt8(at + 4) !== 8 || ![1, 3, 4].includes(channels)) return 'unsupported';
      if (width === 0 || height === 0) return 'damaged';
      if (width * height > LOGO_LIMITS.pixels) return 'too_large';
      // The library turns the picture as its camera asked: width and height are those of what is seen.
      return isTurned === true ? { format: 'jpeg', bytes, width: height, height: width } : { format: 'jpeg', bytes, width, height };
    }
    if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4) return 'unsupported';
    at += 2 + length;
  }
  return 'damaged';
}

const END_OF_IMAGE = 0xd9;
const START_OF_SCAN = 0xda;
/** Bytes behind ff that begin no segment: a stuffed ff of the picture's data, restarts within it, and one that fills. */
const beginsNoSegment = (code: number): boolean => code === 0x00 || (code >= 0xd0 && code <= 0xd7) || code === 0xff;

/**
 * Whether a picture that can be embedded ends before it is whole, as a file that was cut: it prints in part. For new ones only;
 * what is stored already is printed as it is. A PNG that `readLogo` takes is whole.
 */
export function isCutShort({ format, bytes }: Logo): boolean {
  if (format === 'png') return false;
  let hasScan = false;
  for (let at = bytes.indexOf(0xff, 2); at >= 0 && at + 2 <= bytes.length; at = bytes.indexOf(0xff, at)) {
    const code = bytes.readUInt8(at + 1);
    if (code === END_OF_IMAGE) return !hasScan;
    if (beginsNoSegment(code)) {
      at += code === 0xff ? 1 : 2;
      continue;
    }
    if (at + 4 > bytes.length) return true;
    hasScan ||= code === START_OF_SCAN;
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return true;
}

const EXIF = Buffer.from('Exif\0\0', 'latin1');
const ORIENTATION_TAG = 0x0112;
const ENTRY_BYTES = 12;

/** Whether an APP1 segment asks for a quarter turn (EXIF orientations 5 to 8); null for one that is no EXIF. */
function isOnItsSide(segment: Buffer): boolean | null {
  if (!segment.subarray(0, EXIF.length).equals(EXIF)) return null;
  const tiff = segment.subarray(EXIF.length);
  const isLittleEndian = tiff.toString('latin1', 0, 2) === 'II';
  // What the segment does not hold is zero.
  const number = (at: number, size: 2 | 4): number => {
    if (at + size > tiff.length) return 0;
    return isLittleEndian ? tiff.readUIntLE(at, size) : tiff.readUIntBE(at, size);
  };
  const directory = number(4, 4);
  const entries = Array.from({ length: number(directory, 2) }, (_, index) => directory + 2 + index * ENTRY_BYTES);
  const orientation = entries.find((at) => number(at, 2) === ORIENTATION_TAG);
  return orientation !== undefined && number(orientation + 8, 2) > 4 && number(orientation + 8, 2) <= 8;
}
