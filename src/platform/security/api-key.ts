import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Chance } from '../../shared/ports.js';
import type { SriEnvironment } from '../../shared/tenant-context.js';

/**
 * API keys (decisions, section 6): prefix of the environment, 32 random base62
 * characters (190 bits), and a 6-character checksum over both, so that a
 * mistyped or foreign string is refused without a look-up.
 */
const PREFIX: Readonly<Record<SriEnvironment, string>> = { TEST: 'svc_test_', PRODUCTION: 'svc_live_' };
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const FORMAT = /^svc_(?:test|live)_[0-9A-Za-z]{38}$/;

export interface GeneratedApiKey {
  /** Shown to its owner once, stored nowhere. */
  readonly clear: string;
  /** SHA-256 of the clear key: what is stored. */
  readonly hash: Buffer;
  /** Beginning of the key, for lists. */
  readonly prefix: string;
}

export interface ParsedApiKey {
  readonly environment: SriEnvironment;
  readonly hash: Buffer;
}

/** Makes a new key of an environment. */
export function generateApiKey(chance: Chance, environment: SriEnvironment): GeneratedApiKey {
  const body = PREFIX[environment] + randomBase62(chance, SECRET_LENGTH);
  const clear = body + checksum(body);
  return { clear, hash: hashOf(clear), prefix: clear.slice(0, PREFIX[environment].length + 4) };
}

/** Reads a presented key; null when its form or checksum shows that it is none of ours. */
export function parseApiKey(presented: string): ParsedApiKey | null {
  if (!FORMAT.test(presented)) return null;
  const body = presented.slice(0, -CHECKSUM_LENGTH);
  if (checksum(body) !== presented.slice(-CHECKSUM_LENGTH)) return null;
  return { environment: presented.startsWith(PREFIX.TEST) ? 'TEST' : 'PRODUCTION', hash: hashOf(presented) };
}

const hashOf = (clear: string): Buffer => createHash('sha256').update(clear, 'utf8').digest();

/** Characters drawn evenly: bytes of the last, incomplete run of 62 are drawn again. */
function randomBase62(chance: Chance, length: number): string {
  const even = 256 - (256 % ALPHABET.length);
  let text = '';
  while (text.length < length) {
    for (const byte of chance.bytes(length)) {
      if (byte < even && text.length < length) text += ALPHABET.charAt(byte % ALPHABET.length);
    }
  }
  return text;
}

function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let place = 0; place < CHECKSUM_LENGTH; place += 1) {
    text = ALPHABET.charAt(rest % ALPHABET.length) + text;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text;
}
