import { randomBytes } from 'node:crypto';
import type { Chance } from '../../shared/ports.js';

/** Bytes of the operating system's cryptographic generator. */
export class CryptoChance implements Chance {
  bytes(length: number): Uint8Array {
    return randomBytes(length);
  }
}
