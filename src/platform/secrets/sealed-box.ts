import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Chance } from '../../shared/ports.js';
import { EnvelopeError } from './key-wrapper.js';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export const KEY_BYTES = 32;
/** What sealing adds to the length of a text. */
export const BOX_OVERHEAD = NONCE_BYTES + TAG_BYTES;

/** Encrypts and authenticates: nonce (12) + ciphertext + tag (16). */
export function sealBox(key: Buffer, plaintext: Uint8Array, associatedData: Buffer, chance: Chance): Buffer {
  const nonce = chance.bytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(associatedData);
  return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

/** @throws EnvelopeError when key, associated data or box are not those of the sealing */
export function openBox(key: Buffer, box: Buffer, associatedData: Buffer): Buffer {
  try {
    const nonce = box.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(associatedData).setAuthTag(box.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(box.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch {
    throw new EnvelopeError('the sealed secret does not open for this record');
  }
}
