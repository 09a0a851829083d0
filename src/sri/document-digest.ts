import { createHash } from 'node:crypto';

const DECLARATION = /^\uFEFF?\s*<\?xml[^>]*\?>/;

/**
 * SHA-256 (lower-case hex) of a document's XML without declaration and
 * surrounding white space: what identifies the bytes we sent, also when the
 * authority returns them inside its own envelope.
 */
export function documentDigest(xml: string): string {
  return createHash('sha256').update(xml.replace(DECLARATION, '').trim(), 'utf8').digest('hex');
}
