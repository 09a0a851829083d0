/** One DER value: its identifier octet, its contents, and all its bytes. */
export interface Der {
  readonly tag: number;
  readonly contents: Buffer;
  readonly bytes: Buffer;
}

/** The bytes are not the DER that was expected. */
class MalformedDer extends Error {}

export const TAG = {
  boolean: 0x01,
  bitString: 0x03,
  octetString: 0x04,
  printableString: 0x13,
  bmpString: 0x1e,
} as const;

/** Reads the value at an offset. @throws MalformedDer */
export function readDer(source: Buffer, offset = 0): Der {
  const tag = byte(source, offset);
  let length = byte(source, offset + 1);
  let start = offset + 2;
  if (length >= 0x80) {
    const count = length - 0x80;
    if (count === 0 || count > 4) throw new MalformedDer('length of DER value');
    if (start + count > source.length) throw new MalformedDer('DER value is cut off');
    length = source.readUIntBE(start, count);
    start += count;
  }
  const end = start + length;
  if (end > source.length) throw new MalformedDer('DER value is cut off');
  return { tag, contents: source.subarray(start, end), bytes: source.subarray(offset, end) };
}

/** The values inside a constructed one. @throws MalformedDer */
export function readChildren(parent: Der): readonly Der[] {
  const found: Der[] = [];
  for (let offset = 0; offset < parent.contents.length;) {
    const value = readDer(parent.contents, offset);
    found.push(value);
    offset += value.bytes.length;
  }
  return found;
}

/** The child at an index. @throws MalformedDer when there is none */
export function childAt(values: readonly Der[], index: number): Der {
  const value = values[index];
  if (!value) throw new MalformedDer('a DER value is missing');
  return value;
}

/** Dotted text of an OBJECT IDENTIFIER's contents. */
export function oidText(contents: Buffer): string {
  const arcs: bigint[] = [];
  let arc = 0n;
  for (const octet of contents) {
    arc = (arc << 7n) | BigInt(octet & 0x7f);
    if ((octet & 0x80) === 0) {
      arcs.push(arc);
      arc = 0n;
    }
  }
  const first = arcs[0] ?? 0n;
  const root = first < 40n ? 0n : first < 80n ? 1n : 2n;
  return [root, first - root * 40n, ...arcs.slice(1)].join('.');
}

/** Text of a string value; BMPString is UTF-16 big endian, the rest is read as UTF-8. */
export function stringText(value: Der): string {
  if (value.tag === TAG.bmpString) {
    return Buffer.from(value.contents.subarray(0, value.contents.length & ~1))
      .swap16()
      .toString('utf16le');
  }
  return value.contents.toString('utf8');
}

function byte(source: Buffer, offset: number): number {
  const value = source[offset];
  if (value === undefined) throw new MalformedDer('DER value is cut off');
  return value;
}
