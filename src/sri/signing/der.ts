/**
 * A small reader for the ASN.1 that certificates and PKCS#12 files are made of
 * (X.690). It accepts DER and, because Java, Windows and BouncyCastle write
 * their containers so, the BER forms with indefinite lengths and constructed
 * octet strings. Every read is bounded by the bytes given; nesting is bounded.
 */
export interface Asn1 {
  /** Identifier octet: class, constructed bit and number (low tag numbers only). */
  readonly tag: number;
  /** Content octets, without identifier and length. */
  readonly content: Buffer;
  /** The whole element as encoded, identifier and length included. */
  readonly encoded: Buffer;
  readonly depth: number;
}

export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  printableString: 0x13,
  t61String: 0x14,
  ia5String: 0x16,
  universalString: 0x1c,
  bmpString: 0x1e,
  constructedOctetString: 0x24,
  sequence: 0x30,
  set: 0x31,
} as const;

const MAX_DEPTH = 32;
const CONSTRUCTED = 0x20;

/** The bytes are not the ASN.1 that was expected at that place. */
export class Asn1Error extends Error {
  override readonly name = 'Asn1Error';
}

/** Reads the one element that fills `bytes` completely; trailing bytes are an error. */
export function readAsn1(bytes: Buffer): Asn1 {
  const element = readElement(bytes, 0, 0);
  if (element.encoded.length !== bytes.length) throw new Asn1Error('trailing bytes');
  return element;
}

/** The elements inside a constructed element, in order. */
export function childrenOf(element: Asn1): Asn1[] {
  if ((element.tag & CONSTRUCTED) === 0) throw new Asn1Error('not a constructed element');
  const children: Asn1[] = [];
  for (let offset = 0; offset < element.content.length;) {
    const child = readElement(element.content, offset, element.depth + 1);
    children.push(child);
    offset += child.encoded.length;
  }
  return children;
}

/** The `index`-th child, which must exist and, when given, carry `tag`. */
export function childAt(element: Asn1, index: number, tag?: number): Asn1 {
  return expectTag(childrenOf(element)[index], tag);
}

/** The element itself, which must exist and, when given, carry `tag`. */
export function expectTag(element: Asn1 | undefined, tag?: number): Asn1 {
  if (element === undefined || (tag !== undefined && element.tag !== tag)) throw new Asn1Error('unexpected element');
  return element;
}

/** Content of an octet string, joined when BER wrote it in pieces; also for `[0] IMPLICIT OCTET STRING`. */
export function octetsOf(element: Asn1): Buffer {
  if ((element.tag & CONSTRUCTED) === 0) return element.content;
  return Buffer.concat(childrenOf(element).map(octetsOf));
}

/** Real identifiers have a dozen bytes. Arcs are numbers of any size, and reading one of many thousand bytes takes seconds. */
const LONGEST_OID = 64;

/** An object identifier in dotted form. */
export function oidOf(element: Asn1): string {
  expectTag(element, TAG.objectIdentifier);
  if (element.content.length > LONGEST_OID) throw new Asn1Error('object identifier too long');
  const arcs: bigint[] = [];
  let arc = 0n;
  let open = false;
  for (const byte of element.content) {
    arc = (arc << 7n) | BigInt(byte & 0x7f);
    open = (byte & 0x80) !== 0;
    if (open) continue;
    arcs.push(arc);
    arc = 0n;
  }
  const [first] = arcs;
  if (first === undefined || open) throw new Asn1Error('broken object identifier');
  const root = first < 40n ? 0n : first < 80n ? 1n : 2n;
  return [root, first - root * 40n, ...arcs.slice(1)].join('.');
}

/** Certificate serial numbers reach 20 bytes and somewhat more; the modulus of a key of 16,384 bits has 2,049. */
const LONGEST_INTEGER = 2_100;

/** A whole number, of as many digits as certificates and their keys have. */
export function integerOf(element: Asn1): bigint {
  expectTag(element, TAG.integer);
  if (element.content.length === 0) throw new Asn1Error('empty integer');
  if (element.content.length > LONGEST_INTEGER) throw new Asn1Error('integer too long');
  const magnitude = BigInt(`0x${element.content.toString('hex')}`);
  const negative = ((element.content[0] ?? 0) & 0x80) !== 0;
  return negative ? magnitude - (1n << BigInt(element.content.length * 8)) : magnitude;
}

/** A small non-negative integer, such as a version or an iteration count. */
export function smallIntegerOf(element: Asn1): number {
  const value = integerOf(element);
  if (value < 0n || value > 0xffff_ffffn) throw new Asn1Error('integer out of range');
  return Number(value);
}

/** The text of a string element, or null when its type is not a text type. */
export function textOf(element: Asn1): string | null {
  const { tag, content } = element;
  if (tag === TAG.bmpString) {
    return content.length % 2 === 0 ? Buffer.from(content).swap16().toString('utf16le') : null;
  }
  if (tag === TAG.universalString) {
    if (content.length % 4 !== 0) return null;
    let text = '';
    for (let i = 0; i < content.length; i += 4) {
      const point = content.readUInt32BE(i);
      text += point > 0x10ffff ? '�' : String.fromCodePoint(point);
    }
    return text;
  }
  if (tag === TAG.utf8String) return content.toString('utf8');
  // PrintableString, T61String, IA5String, NumericString, VisibleString, GeneralString: Latin-1 is what issuers mean.
  if (tag === TAG.printableString || tag === TAG.t61String || tag === TAG.ia5String) return content.toString('latin1');
  if (tag === 0x12 || tag === 0x1a || tag === 0x1b) return content.toString('latin1');
  return null;
}

function readElement(bytes: Buffer, offset: number, depth: number): Asn1 {
  if (depth > MAX_DEPTH) throw new Asn1Error('nested too deeply');
  const tag = bytes[offset];
  const first = bytes[offset + 1];
  if (tag === undefined || first === undefined) throw new Asn1Error('truncated');
  if ((tag & 0x1f) === 0x1f) throw new Asn1Error('high tag numbers are not used here');
  if (first === 0x80) return readIndefinite(bytes, offset, depth, tag);
  let length = first;
  let start = offset + 2;
  if (first > 0x80) {
    const count = first & 0x7f;
    if (count > 4) throw new Asn1Error('length too large');
    if (start + count > bytes.length) throw new Asn1Error('truncated');
    length = bytes.readUIntBE(start, count);
    start += count;
  }
  const end = start + length;
  if (end > bytes.length) throw new Asn1Error('truncated');
  return { tag, content: bytes.subarray(start, end), encoded: bytes.subarray(offset, end), depth };
}

function readIndefinite(bytes: Buffer, offset: number, depth: number, tag: number): Asn1 {
  if ((tag & CONSTRUCTED) === 0) throw new Asn1Error('indefinite length of a primitive element');
  const start = offset + 2;
  let at = start;
  while (bytes[at] !== 0 || bytes[at + 1] !== 0) {
    at += readElement(bytes, at, depth + 1).encoded.length;
  }
  return { tag, content: bytes.subarray(start, at), encoded: bytes.subarray(offset, at + 2), depth };
}
