import { randomBytes } from 'node:crypto';
import { fetch } from 'undici';
import { SECRET_PREFIX, signedHeaders } from '../modules/webhooks/public.js';
import { SystemClock } from '../platform/adapters/system-clock.js';
import { isHttp } from './api.js';
import { CliFailure } from './failure.js';
import type { SelloEvent } from './events.js';

const TIMEOUT_MS = 10_000;

/** Sends events to an address of one's own, signed as webhooks are. */
export class Forwarder {
  private constructor(
    private readonly address: string,
    /** As the receiver is given it. */
    readonly secret: string,
  ) {}

  /**
   * @param secret `whsec_…`; one is drawn when none is given
   * @throws CliFailure for what is no address or no secret
   */
  static to(address: string, secret?: string): Forwarder {
    if (!isHttp(address)) throw new CliFailure('usage', `${address}: an http address was expected`);
    if (secret !== undefined && !secret.startsWith(SECRET_PREFIX)) throw new CliFailure('usage', `the secret begins with ${SECRET_PREFIX}`);
    return new Forwarder(address, secret ?? `${SECRET_PREFIX}${randomBytes(32).toString('base64')}`);
  }

  /** The status that came back, or why none did. */
  async send(event: SelloEvent): Promise<{ ok: boolean; answer: string }> {
    const body = JSON.stringify(event);
    const key = Buffer.from(this.secret.slice(SECRET_PREFIX.length), 'base64');
    try {
      const response = await fetch(this.address, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'Content-Type': 'application/json', ...signedHeaders(event.id, new SystemClock().now(), body, [key]) },
        body,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await response.body?.cancel();
      return { ok: response.ok, answer: String(response.status) };
    } catch (error) {
      const cause = error instanceof Error ? (error.cause ?? error) : error;
      return { ok: false, answer: cause instanceof Error ? cause.message || cause.name : String(cause) };
    }
  }
}
