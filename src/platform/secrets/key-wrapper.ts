/** A data key as it is stored: only the keeper of the master key can open it. */
export interface WrappedKey {
  /** Which master key wrapped it, in the keeper's own terms; at most 255 bytes of UTF-8. */
  readonly keyId: string;
  readonly bytes: Buffer;
}

export const KEY_WRAPPER = Symbol('KeyWrapper');

/**
 * Keeper of the master key, in the shape of a key management service: it wraps and
 * unwraps data keys and never gives the master key away. `context` says which record
 * the data key belongs to; with another context it does not unwrap.
 */
export interface KeyWrapper {
  /** Wraps a data key of 32 bytes under the current master key. */
  wrap(dataKey: Buffer, context: Buffer): Promise<WrappedKey>;
  /**
   * The caller wipes the returned buffer.
   * @throws KeyUnavailableError when this keeper does not have the master key, cannot tell whether it has, or cannot be reached:
   *   another time or place may
   * @throws EnvelopeError when the key does not open: wrong record or damage, for good
   */
  unwrap(wrapped: WrappedKey, context: Buffer): Promise<Buffer>;
  /** False for what an older master key wrapped: due for rotation. */
  isCurrent(keyId: string): Promise<boolean>;
  /** False for what certainly another keeper, or a key that this one does not have, wrapped. */
  mayOpen(keyId: string): boolean;
}

/** A sealed secret could not be opened. Says nothing of the content. */
export class EnvelopeError extends Error {
  override readonly name: string = 'EnvelopeError';
}

/** The master key is not at hand: taken from this process, retired too early, or its keeper does not answer. */
export class KeyUnavailableError extends EnvelopeError {
  override readonly name: string = 'KeyUnavailableError';
}

/** The keeper of the master key gives no answer that is of use, to nobody and for no secret. */
export class KeeperAwayError extends KeyUnavailableError {
  override readonly name: string = 'KeeperAwayError';
}

/** The keeper of the master key said nothing for as long as its askers have patience. */
export class KeeperSilentError extends KeeperAwayError {
  override readonly name = 'KeeperSilentError';
}
