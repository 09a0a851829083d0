/**
 * Time, identity and chance come through these ports, so that tests and the
 * simulation harness own them. Only adapters (`src/platform/adapters`) touch
 * the host's clock and random source.
 */
export interface Clock {
  /** The current instant. */
  now(): Date;
}

export interface Ids {
  /** A new random UUID (RFC 9562), lower case. */
  uuid(): string;
}

export interface Chance {
  /** `length` cryptographically random bytes. */
  bytes(length: number): Uint8Array;
}

export interface Sleeper {
  /** Resolves after `milliseconds`; rejects with the signal's reason when aborted first. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export const CLOCK = Symbol('Clock');
export const IDS = Symbol('Ids');
export const CHANCE = Symbol('Chance');
export const SLEEPER = Symbol('Sleeper');
