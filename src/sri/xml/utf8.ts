/** A character that one byte of Latin-1 cannot hold. */
const BEYOND_LATIN1 = /[\u0100-\uffff]/;

/** Bytes that are looked at together, as eight words of four. */
const BLOCK = 32;
/** In such a word, the bits that no ASCII character has. */
const NOT_ASCII = 0x80808080;

/** Where Latin-1 waits to be encoded: room for the largest document that the SRI takes. */
const latin1 = Buffer.allocUnsafeSlow(512 * 1024);
const words = new Uint32Array(latin1.buffer);

/**
 * Writes a text in UTF-8, as `Buffer.write` does, in a third of its time where the text is Spanish: that looks at each character,
 * this copies what lies between accents.
 *
 * @param length of the text in UTF-8, as `Buffer.byteLength` tells
 * @returns bytes written
 */
export function writeUtf8(text: string, length: number, target: Buffer, offset: number): number {
  // What is one byte a character is ASCII, and the same in Latin-1, which is merely copied.
  if (length === text.length) return target.write(text, offset, 'latin1');
  if (text.length > latin1.length || BEYOND_LATIN1.test(text)) return target.write(text, offset, 'utf8');
  return writeLatin1(text, target, offset);
}

function writeLatin1(text: string, target: Buffer, offset: number): number {
  latin1.write(text, 'latin1');
  const wholeBlocks = text.length - (text.length % BLOCK);
  let copied = 0;
  let end = offset;
  for (let start = 0; start < wholeBlocks; start += BLOCK) {
    if (isAsciiBlock(start)) continue;
    end += latin1.copy(target, end, copied, start);
    copied = start + BLOCK;
    end = encodeEach(start, copied, target, end);
  }
  end += latin1.copy(target, end, copied, wholeBlocks);
  return encodeEach(wholeBlocks, text.length, target, end) - offset;
}

/** Eight words at once: one after the other in a loop they take half as long again. */
function isAsciiBlock(start: number): boolean {
  const at = start / Uint32Array.BYTES_PER_ELEMENT;
  const bits =
    word(at) | word(at + 1) | word(at + 2) | word(at + 3) |
    word(at + 4) | word(at + 5) | word(at + 6) | word(at + 7);
  return (bits & NOT_ASCII) === 0;
}

const word = (at: number): number => words[at] ?? 0;

/** @returns where it ends in `target` */
function encodeEach(from: number, to: number, target: Buffer, offset: number): number {
  let end = offset;
  for (let at = from; at < to; at += 1) {
    const character = latin1[at] ?? 0;
    if (character < 0x80) {
      target[end++] = character;
    } else {
      target[end++] = 0xc0 | (character >> 6);
      target[end++] = 0x80 | (character & 0x3f);
    }
  }
  return end;
}
