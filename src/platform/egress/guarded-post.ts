import { isIP, type LookupFunction } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import { Agent, request } from 'undici';
import { SETTINGS } from '../../config/settings.js';
import { isPublicAddress } from './public-addresses.js';
import { type Resolver, RESOLVER } from './resolver.js';
import { hostOf, targetProblem, type Targets } from './target-rules.js';

/** No more of an answer is read: it only has to end. */
const MAX_ANSWER_BYTES = 65_536;
/** How much of the time one address has to take the connection before the next is tried. */
const ADDRESS_SHARE = 1 / 8;

/** Why there is no answer. */
export type NoAnswer = 'refused_address' | 'unresolved' | 'timeout' | 'tls' | 'connection';

export type PostOutcome = { readonly status: number } | { readonly noAnswer: NoAnswer };

/**
 * Posts to addresses that tenants name, and to nowhere within: the name is looked up at every call, every address it has
 * must be public, and the connection goes to one that was checked, or to the next if that one does not answer. Connections are
 * not kept, redirects not followed, proxies of the environment not used. Only the status of the answer is returned, not its body.
 */
@Injectable()
export class GuardedPost {
  constructor(
    @Inject(RESOLVER) private readonly resolver: Resolver,
    @Inject(SETTINGS) private readonly targets: Targets,
  ) {}

  /** Sends a body; everything, the name's look-up included, within `timeoutMs`. */
  async post(address: string, headers: Readonly<Record<string, string>>, body: string, timeoutMs: number): Promise<PostOutcome> {
    const deadline = AbortSignal.timeout(timeoutMs);
    if (targetProblem(address, this.targets) !== null) return { noAnswer: 'refused_address' };
    const url = new URL(address);
    const found = await within(deadline, this.addressesOf(hostOf(url)));
    if (found === null) return { noAnswer: deadline.aborted ? 'timeout' : 'unresolved' };
    if (found.length === 0 || !found.every((one) => this.isAllowed(one))) return { noAnswer: 'refused_address' };
    const agent = new Agent({
      connections: 1,
      pipelining: 0,
      connect: { lookup: always(found), autoSelectFamily: true, autoSelectFamilyAttemptTimeout: Math.ceil(timeoutMs * ADDRESS_SHARE), timeout: timeoutMs, minVersion: 'TLSv1.2' },
    });
    try {
      const answer = await request(url, { dispatcher: agent, method: 'POST', headers, body, signal: deadline, headersTimeout: timeoutMs, bodyTimeout: timeoutMs });
      let size = 0;
      for await (const chunk of answer.body as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > MAX_ANSWER_BYTES) break;
      }
      return { status: answer.statusCode };
    } catch (error) {
      return { noAnswer: deadline.aborted ? 'timeout' : reasonOf(error) };
    } finally {
      await agent.destroy();
    }
  }

  /** True when a name leads, among others, to where it must not; one that leads nowhere now may later. */
  async leadsAstray(address: string, timeoutMs: number): Promise<boolean> {
    const found = await within(AbortSignal.timeout(timeoutMs), this.addressesOf(hostOf(new URL(address))));
    return found !== null && !found.every((one) => this.isAllowed(one));
  }

  private isAllowed(address: string): boolean {
    return this.targets.WEBHOOK_TARGETS === 'any' || isPublicAddress(address);
  }

  private async addressesOf(host: string): Promise<readonly string[]> {
    return isIP(host) === 0 ? this.resolver.resolve(host) : [host];
  }
}

/** What a promise brings before the deadline; null when it fails or comes too late. */
async function within<T>(deadline: AbortSignal, promise: Promise<T>): Promise<T | null> {
  const late = new Promise<null>((resolve) => deadline.addEventListener('abort', () => resolve(null), { once: true }));
  return Promise.race([promise.catch(() => null), late]);
}

/** A look-up that knows these addresses, whatever is asked; all of them are asked for, so that the next can be tried. */
const always = (addresses: readonly string[]): LookupFunction => {
  const known = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, _options, found) => found(null, known);
};

function reasonOf(error: unknown): NoAnswer {
  const code: unknown = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  if (typeof code !== 'string') return 'connection';
  if (/CERT|TLS|SSL|SELF_SIGNED|VERIFY|EPROTO/.test(code)) return 'tls';
  return /TIMEOUT|ETIMEDOUT/.test(code) ? 'timeout' : 'connection';
}
