import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import type { Chance } from '../../shared/ports.js';

/** Which record a secret belongs to. It is authenticated with the ciphertext: a secret moved to another record does not open. */
export interface SecretOwner {
  readonly tenantId: string;
  readonly issuerId: string;
  readonly certificateId: string;
}

/** The stored form of a secret, one buffer; see `Envelope` for its layout. */
export type SealedSecret = Buffer;

/** A sealed secret could not be opened: wrong master key, wrong record, or damage. Says nothing of the content. */
export class EnvelopeError extends Error {
  override readonly name = 'EnvelopeError';
}

const FORMAT_VERSION = 1;
const KEY_BYTES = 32;
const KEY_ID_BYTES = 8;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const WRAPPED_BYTES = NONCE_BYTES + KEY_BYTES + TAG_BYTES;
const HEADER_BYTES = 1 + KEY_ID_BYTES;
const ALGORITHM = 'aes-256-gcm';

/**
 * Envelope encryption with AES-256-GCM. Each secret has its own random data key;
 * the master key wraps the data key and nothing else.
 *
 * Layout of a sealed secret: version (1) | master key id (8) | wrapped data key:
 * nonce (12) + ciphertext (32) + tag (16) | secret: nonce (12) + ciphertext + tag (16).
 * Version, key id and owner are associated data of both ciphertexts.
 */
export class Envelope {
  private readonly keyId: Buffer;

  /** @throws EnvelopeError when the master key has not 32 bytes */
  constructor(
    private readonly masterKey: Buffer,
    private readonly chance: Chance,
  ) {
    if (masterKey.length !== KEY_BYTES) throw new EnvelopeError(`the master key must have ${KEY_BYTES} bytes`);
    this.keyId = createHash('sha256').update('sello master key id').update(masterKey).digest().subarray(0, KEY_ID_BYTES);
  }

  /** Encrypts a secret for one record. */
  seal(plaintext: Uint8Array, owner: SecretOwner): SealedSecret {
    const header = Buffer.concat([Buffer.of(FORMAT_VERSION), this.keyId]);
    const dataKey = Buffer.from(this.chance.bytes(KEY_BYTES));
    try {
      const wrapped = this.encrypt(this.masterKey, dataKey, associated(header, 'key', owner));
      return Buffer.concat([header, wrapped, this.encrypt(dataKey, plaintext, associated(header, 'secret', owner))]);
    } finally {
      dataKey.fill(0);
    }
  }

  /**
   * Decrypts a record's secret. The caller wipes the buffer when done.
   * @throws EnvelopeError
   */
  open(sealed: Uint8Array, owner: SecretOwner): Buffer {
    const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
    if (bytes.length < HEADER_BYTES + WRAPPED_BYTES + NONCE_BYTES + TAG_BYTES) throw new EnvelopeError('the sealed secret is cut short');
    if (bytes[0] !== FORMAT_VERSION) throw new EnvelopeError('the sealed secret has an unknown format');
    const header = bytes.subarray(0, HEADER_BYTES);
    if (!header.subarray(1).equals(this.keyId)) throw new EnvelopeError('the secret was sealed under another master key');
    const dataKey = decrypt(this.masterKey, bytes.subarray(HEADER_BYTES, HEADER_BYTES + WRAPPED_BYTES), associated(header, 'key', owner));
    try {
      return decrypt(dataKey, bytes.subarray(HEADER_BYTES + WRAPPED_BYTES), associated(header, 'secret', owner));
    } finally {
      dataKey.fill(0);
    }
  }

  private encrypt(key: Buffer, plaintext: Uint8Array, associatedData: Buffer): Buffer {
    const nonce = this.chance.bytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(associatedData);
    return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
  }
}

function decrypt(key: Buffer, box: Buffer, associatedData: Buffer): Buffer {
  const nonce = box.subarray(0, NONCE_BYTES);
  const tag = box.subarray(-TAG_BYTES);
  try {
    const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(associatedData).setAuthTag(tag);
    return Buffer.concat([decipher.update(box.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch {
    throw new EnvelopeError('the sealed secret does not open for this record');
  }
}

function associated(header: Buffer, part: 'key' | 'secret', { tenantId, issuerId, certificateId }: SecretOwner): Buffer {
  return Buffer.concat([header, Buffer.from(`|${part}|${tenantId}|${issuerId}|${certificateId}`)]);
}
