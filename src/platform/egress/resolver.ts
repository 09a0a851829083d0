import { lookup, Resolver as NameServers } from 'node:dns/promises';
import { Injectable } from '@nestjs/common';

/** Looks names up. */
export interface Resolver {
  /**
   * All addresses of a name.
   * @throws Error when it has none
   */
  resolve(host: string): Promise<readonly string[]>;
}

export const RESOLVER = Symbol('Resolver');

/** Names as the host looks them up, its file of hosts included: for development. */
@Injectable()
export class HostResolver implements Resolver {
  async resolve(host: string): Promise<readonly string[]> {
    return (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);
  }
}

/** One question to one name server, and how often each is asked. */
const QUESTION_MS = 1_500;
const TRIES = 2;
const LOOK_UP_MS = 5_000;

/**
 * Asks the name servers without the threads of the process, so that a tenant's name server that is silent holds up no other
 * look-up. Takes 5 s at most.
 */
@Injectable()
export class NameServerResolver implements Resolver {
  /** @param servers to ask instead of those of the host */
  constructor(private readonly servers: readonly string[] | null) {}

  async resolve(host: string): Promise<readonly string[]> {
    // One for each look-up: what it cancels is its own.
    const names = new NameServers({ timeout: QUESTION_MS, tries: TRIES });
    if (this.servers !== null) names.setServers(this.servers);
    AbortSignal.timeout(LOOK_UP_MS).addEventListener('abort', () => names.cancel(), { once: true });
    const answers = await Promise.allSettled([names.resolve4(host), names.resolve6(host)]);
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (found.length > 0) return found;
    throw answers.find((answer) => answer.status === 'rejected')?.reason ?? new Error(`${host} has no address`);
  }
}
