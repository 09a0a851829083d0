import { createHash } from 'node:crypto';
import type { Chance } from '../../shared/ports.js';
import { KeyUnavailableError, type KeyWrapper, type WrappedKey } from './key-wrapper.js';
import { openBox, sealBox } from './sealed-box.js';

const KEY_ID_BYTES = 8;

/** Master keys held by the process, out of its file or environment. The first wraps; all of them unwrap. */
export class LocalKeyring implements KeyWrapper {
  private readonly keys: ReadonlyMap<string, Buffer>;
  private readonly currentId: string;

  /** @param masterKeys of 32 bytes each, the current one first */
  constructor(
    masterKeys: readonly [Buffer, ...Buffer[]],
    private readonly chance: Chance,
  ) {
    this.keys = new Map(masterKeys.map((key) => [idOf(key), key]));
    this.currentId = idOf(masterKeys[0]);
  }

  wrap(dataKey: Buffer, context: Buffer): Promise<WrappedKey> {
    return Promise.resolve({ keyId: this.currentId, bytes: sealBox(this.keyOf(this.currentId), dataKey, associated(this.currentId, context), this.chance) });
  }

  async unwrap({ keyId, bytes }: WrappedKey, context: Buffer): Promise<Buffer> {
    return Promise.resolve(openBox(this.keyOf(keyId), bytes, associated(keyId, context)));
  }

  isCurrent(keyId: string): Promise<boolean> {
    return Promise.resolve(keyId === this.currentId);
  }

  mayOpen(keyId: string): boolean {
    return this.keys.has(keyId);
  }

  private keyOf(keyId: string): Buffer {
    const key = this.keys.get(keyId);
    if (!key) throw new KeyUnavailableError(`the secret was sealed under master key ${keyId}, which this process does not have`);
    return key;
  }
}

const idOf = (masterKey: Buffer): string =>
  createHash('sha256').update('sello master key id').update(masterKey).digest().subarray(0, KEY_ID_BYTES).toString('hex');

const associated = (keyId: string, context: Buffer): Buffer => Buffer.concat([Buffer.from(`${keyId}|`), context]);
