import { lookup } from 'node:dns/promises';
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

/** Names as the host looks them up. */
@Injectable()
export class HostResolver implements Resolver {
  async resolve(host: string): Promise<readonly string[]> {
    return (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);
  }
}
