/** Writes DER (and, for awkward containers, BER) for test certificates and PKCS#12 files. */
export function tlv(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
}

/** The BER form without a length: what Java's BouncyCastle and Windows write. */
export function indefinite(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  return Buffer.concat([Buffer.from([tag, 0x80]), ...contents, Buffer.from([0, 0])]);
}

export const sequence = (...parts: readonly Uint8Array[]): Buffer => tlv(0x30, ...parts);
export const set = (...parts: readonly Uint8Array[]): Buffer => tlv(0x31, ...parts);
export const explicit = (number: number, ...parts: readonly Uint8Array[]): Buffer => tlv(0xa0 | number, ...parts);
export const octets = (bytes: Uint8Array): Buffer => tlv(0x04, bytes);
export const bits = (bytes: Uint8Array, unused = 0): Buffer => tlv(0x03, Buffer.from([unused]), bytes);
export const boolean = (value: boolean): Buffer => tlv(0x01, Buffer.from([value ? 0xff : 0]));
export const nothing = (): Buffer => tlv(0x05);
export const utf8 = (text: string): Buffer => tlv(0x0c, Buffer.from(text, 'utf8'));
export const printable = (text: string): Buffer => tlv(0x13, Buffer.from(text, 'latin1'));
export const t61 = (text: string): Buffer => tlv(0x14, Buffer.from(text, 'latin1'));
export const ia5 = (text: string): Buffer => tlv(0x16, Buffer.from(text, 'latin1'));
export const bmp = (text: string): Buffer => tlv(0x1e, Buffer.from(text, 'utf16le').swap16());

export function integer(value: bigint | number | Uint8Array): Buffer {
  if (typeof value === 'object') return tlv(0x02, value);
  let digits = BigInt(value).toString(16);
  if (digits.length % 2 === 1) digits = `0${digits}`;
  const bytes = Buffer.from(digits, 'hex');
  return tlv(0x02, (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);
}

export function oid(dotted: string): Buffer {
  const [first = 0n, second = 0n, ...rest] = dotted.split('.').map(BigInt);
  const bytes = [first * 40n + second, ...rest].flatMap((arc) => {
    const out = [Number(arc & 0x7fn)];
    for (let left = arc >> 7n; left > 0n; left >>= 7n) out.unshift(Number(left & 0x7fn) | 0x80);
    return out;
  });
  return tlv(0x06, Buffer.from(bytes));
}

/** UTCTime until 2049, GeneralizedTime after, as RFC 5280 asks. */
export function time(instant: Date): Buffer {
  const digits = instant.toISOString().replace(/[-:T]/g, '').slice(0, 14);
  return instant.getUTCFullYear() < 2050
    ? tlv(0x17, Buffer.from(`${digits.slice(2)}Z`))
    : tlv(0x18, Buffer.from(`${digits}Z`));
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  let digits = length.toString(16);
  if (digits.length % 2 === 1) digits = `0${digits}`;
  const bytes = Buffer.from(digits, 'hex');
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes]);
}
