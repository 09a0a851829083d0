import type { Clock } from '../../shared/ports.js';
import { pauseGoesOn } from '../../shared/pause.js';
import { KeeperAwayError, KeeperSilentError, type KeyWrapper, type WrappedKey } from './key-wrapper.js';

/** How long a keeper that was silent is left alone, before one question tries it again. */
const REST_MS = 5_000;

/** Leaves a keeper that was silent in peace for a moment: each question would hold its asker up for the whole patience. */
export class RestingKeyWrapper implements KeyWrapper {
  private restsUntil: Date | null = null;

  constructor(
    private readonly keeper: KeyWrapper,
    private readonly clock: Clock,
  ) {}

  wrap(dataKey: Buffer, context: Buffer): Promise<WrappedKey> {
    return this.unlessItRests(() => this.keeper.wrap(dataKey, context));
  }

  unwrap(wrapped: WrappedKey, context: Buffer): Promise<Buffer> {
    return this.unlessItRests(() => this.keeper.unwrap(wrapped, context));
  }

  isCurrent(keyId: string): Promise<boolean> {
    return this.unlessItRests(() => this.keeper.isCurrent(keyId));
  }

  mayOpen(keyId: string): boolean {
    return this.keeper.mayOpen(keyId);
  }

  private async unlessItRests<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    this.refuseWhileItRests();
    try {
      const answer = await ask();
      this.restsUntil = null;
      return answer;
    } catch (error) {
      this.restsUntil = error instanceof KeeperSilentError ? this.restFrom(this.clock.now()) : null;
      throw error;
    }
  }

  /** @throws KeeperAwayError while it rests; whoever comes first afterwards asks, and the others wait for what that one finds */
  private refuseWhileItRests(): void {
    if (this.restsUntil === null) return;
    const now = this.clock.now();
    if (pauseGoesOn(this.restsUntil, now, REST_MS)) throw new KeeperAwayError('the keeper of the master key did not answer a moment ago');
    this.restsUntil = this.restFrom(now);
  }

  private restFrom(now: Date): Date {
    return new Date(now.getTime() + REST_MS);
  }
}
