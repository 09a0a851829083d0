import { transcode } from 'node:buffer';

/** Kept between documents; the SRI takes no document above 320 KB. */
const KEEP_BYTES = 2 * 1024 * 1024;

let scratch = Buffer.allocUnsafeSlow(64 * 1024);

/**
 * Encodes text to UTF-8, a lone surrogate as U+FFFD. The returned bytes may lie in a buffer that is used again for the
 * next text: they are valid only until the next call, so the caller must be done with them before it awaits anything.
 */
export function encodeUtf8(text: string): Buffer {
  // No UTF-16 unit takes more than three bytes of UTF-8.
  const room = text.length * 3;
  let target = scratch;
  if (room > target.length) {
    target = Buffer.allocUnsafeSlow(room);
    if (room <= KEEP_BYTES) scratch = target;
  }
  // Only ASCII takes one byte a unit, and is the same in Latin-1, which is merely copied.
  if (Buffer.byteLength(text) === text.length) return target.subarray(0, target.write(text, 0, 'latin1'));
  // Copied and transcoded, text is encoded in half the time that a string takes.
  const units = target.subarray(0, target.write(text, 0, 'utf16le'));
  try {
    return transcode(units, 'utf16le', 'utf8');
  } catch {
    return target.subarray(0, target.write(text, 0, 'utf8'));
  }
}
