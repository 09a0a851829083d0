import { hash, verify } from '@node-rs/argon2';
import { Inject, Injectable } from '@nestjs/common';
import { type Chance, CHANCE } from '../../../shared/ports.js';

/** Argon2id (2 in its library) with the cost that OWASP advises: 19 MiB, 2 passes, one lane; some tens of milliseconds. */
const COST = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const RANDOM_BYTES = 32;

/** Hashes passwords, and compares them with stored hashes; off the event loop. */
@Injectable()
export class PasswordHasher {
  private decoy: Promise<string> | null = null;

  constructor(@Inject(CHANCE) private readonly chance: Chance) {}

  hash(password: string): Promise<string> {
    return hash(normal(password), COST);
  }

  /**
   * True when the password is the one of the hash. Without a hash it compares with that of a password nobody knows, so
   * that it takes as long to learn nothing.
   */
  async matches(stored: string | null, password: string): Promise<boolean> {
    this.decoy ??= this.hash(Buffer.from(this.chance.bytes(RANDOM_BYTES)).toString('base64'));
    const decoy = await this.decoy;
    return (await verify(stored ?? decoy, normal(password))) && stored !== null;
  }
}

/** The same characters whichever way a keyboard composes them. */
const normal = (password: string): string => password.normalize('NFC');
