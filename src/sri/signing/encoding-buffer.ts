/** Kept between documents; the SRI takes no document above 320 KB. */
const KEEP_BYTES = 2 * 1024 * 1024;

let scratch = Buffer.allocUnsafeSlow(64 * 1024);

/**
 * Encodes text to UTF-8 into a buffer that is used again for the next text: the
 * returned view is valid only until the next call, so the caller must be done
 * with it before it awaits anything.
 */
export function encodeUtf8(text: string): Buffer {
  // No UTF-16 unit takes more than three bytes of UTF-8.
  const room = text.length * 3;
  let target = scratch;
  if (room > target.length) {
    target = Buffer.allocUnsafeSlow(room);
    if (room <= KEEP_BYTES) scratch = target;
  }
  return target.subarray(0, target.write(text, 0, 'utf8'));
}
