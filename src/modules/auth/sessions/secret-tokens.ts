import { createHash } from 'node:crypto';
import type { Chance } from '../../../shared/ports.js';

const SECRET_BYTES = 32;
const FORMAT = /^[A-Za-z0-9_-]{43}$/;

export interface SecretToken {
  /** Goes to its owner and nowhere else. */
  readonly clear: string;
  /** SHA-256: what is stored. */
  readonly hash: Buffer;
}

/** An opaque secret of 256 bits: refresh tokens, and links that are sent by mail. */
export function drawToken(chance: Chance): SecretToken {
  const clear = Buffer.from(chance.bytes(SECRET_BYTES)).toString('base64url');
  return { clear, hash: hashOfToken(clear) };
}

export const hashOfToken = (clear: string): Buffer => createHash('sha256').update(clear, 'utf8').digest();

/** True when a text can be one of our tokens; anything else need not be looked up. */
export const isTokenShaped = (text: string): boolean => FORMAT.test(text);
