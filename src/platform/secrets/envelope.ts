import { Inject, Injectable } from '@nestjs/common';
import { CHANCE, type Chance } from '../../shared/ports.js';
import { EnvelopeError, KEY_WRAPPER, type KeyWrapper, type WrappedKey } from './key-wrapper.js';
import { BOX_OVERHEAD, KEY_BYTES, openBox, sealBox } from './sealed-box.js';

/** Which record a secret belongs to. It is authenticated with the ciphertext: a secret moved to another record does not open. */
export type SecretOwner = KeyOfCertificate | SecretOfWebhook;

export interface KeyOfCertificate {
  readonly tenantId: string;
  readonly issuerId: string;
  readonly certificateId: string;
}

export interface SecretOfWebhook {
  readonly tenantId: string;
  readonly webhookId: string;
  readonly secretId: string;
}

/** The stored form of a secret, one buffer; see `Envelope` for its layout. */
export type SealedSecret = Buffer;

const FORMAT_VERSION = 1;

/**
 * Envelope encryption with AES-256-GCM. Each secret has its own random data key;
 * the master key wraps the data key and nothing else, so that another master key
 * costs no more than wrapping the data keys anew.
 *
 * Layout of a sealed secret: version (1) | length of the key id (1) | key id |
 * length of the wrapped data key (2, big endian) | wrapped data key | secret as a
 * sealed box. Version and owner are authenticated with both.
 */
@Injectable()
export class Envelope {
  constructor(
    @Inject(KEY_WRAPPER) private readonly keeper: KeyWrapper,
    @Inject(CHANCE) private readonly chance: Chance,
  ) {}

  /** Encrypts a secret for one record. */
  async seal(plaintext: Uint8Array, owner: SecretOwner): Promise<SealedSecret> {
    const dataKey = Buffer.from(this.chance.bytes(KEY_BYTES));
    try {
      const wrapped = await this.keeper.wrap(dataKey, contextOf('key', owner));
      return join(wrapped, sealBox(dataKey, plaintext, contextOf('secret', owner), this.chance));
    } finally {
      dataKey.fill(0);
    }
  }

  /**
   * Decrypts a record's secret. The caller wipes the buffer when done.
   * @throws KeyUnavailableError when the master key is not at hand now
   * @throws EnvelopeError when it will never open for this record
   */
  async open(sealed: Uint8Array, owner: SecretOwner): Promise<Buffer> {
    const { wrapped, box } = split(sealed);
    const dataKey = await this.keeper.unwrap(wrapped, contextOf('key', owner));
    try {
      return openBox(dataKey, box, contextOf('secret', owner));
    } finally {
      dataKey.fill(0);
    }
  }

  /**
   * Unwraps the data key of a secret, and nothing else.
   * @param head the beginning of a sealed secret, up to its box
   * @throws EnvelopeError as `open`
   */
  async proveKey(head: Uint8Array, owner: SecretOwner): Promise<void> {
    (await this.keeper.unwrap(splitHead(head).wrapped, contextOf('key', owner))).fill(0);
  }

  /** False when certainly not this process has the master key under which something was sealed; `head` as in `proveKey`. */
  mayOpen(head: Uint8Array): boolean {
    return this.keeper.mayOpen(keyIdOf(Buffer.from(head)));
  }

  /**
   * Wraps the data key of a secret under the current master key; the secret itself stays as it is.
   * @returns null when it is current already; it opens nevertheless
   * @throws EnvelopeError as `open`
   */
  async rewrap(sealed: Uint8Array, owner: SecretOwner): Promise<SealedSecret | null> {
    const { wrapped, box } = split(sealed);
    const context = contextOf('key', owner);
    const isCurrent = await this.keeper.isCurrent(wrapped.keyId);
    const dataKey = await this.keeper.unwrap(wrapped, context);
    try {
      if (isCurrent) return null;
      return join(await this.keeper.wrap(dataKey, context), box);
    } finally {
      dataKey.fill(0);
    }
  }
}

function join({ keyId, bytes }: WrappedKey, box: Buffer): SealedSecret {
  const id = Buffer.from(keyId, 'utf8');
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([Buffer.of(FORMAT_VERSION, id.length), id, length, bytes, box]);
}

function split(sealed: Uint8Array): { wrapped: WrappedKey; box: Buffer } {
  const { wrapped, rest: box } = splitHead(sealed);
  if (box.length < BOX_OVERHEAD) throw new EnvelopeError('the sealed secret is cut short');
  return { wrapped, box };
}

function splitHead(sealed: Uint8Array): { wrapped: WrappedKey; rest: Buffer } {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  const idEnd = idEndOf(bytes);
  if (bytes.length < idEnd + 2) throw new EnvelopeError('the sealed secret is cut short');
  if (bytes[0] !== FORMAT_VERSION) throw new EnvelopeError('the sealed secret has an unknown format');
  const keyEnd = idEnd + 2 + bytes.readUInt16BE(idEnd);
  if (bytes.length < keyEnd) throw new EnvelopeError('the sealed secret is cut short');
  return { wrapped: { keyId: keyIdOf(bytes), bytes: bytes.subarray(idEnd + 2, keyEnd) }, rest: bytes.subarray(keyEnd) };
}

const idEndOf = (bytes: Buffer): number => 2 + (bytes[1] ?? 0);
const keyIdOf = (bytes: Buffer): string => bytes.toString('utf8', 2, idEndOf(bytes));

function contextOf(part: 'key' | 'secret', owner: SecretOwner): Buffer {
  const record = 'certificateId' in owner ? `${owner.issuerId}|${owner.certificateId}` : `webhook|${owner.webhookId}|${owner.secretId}`;
  return Buffer.from(`${FORMAT_VERSION}|${part}|${owner.tenantId}|${record}`);
}
