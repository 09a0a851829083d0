import type { Socket } from 'node:net';
import pg from 'pg';

/**
 * Longer than the server lets any statement run. A connection that is silent for
 * so long while a query is under way is lost, although nobody said so: a router
 * forgot it, or the server's machine vanished.
 */
const SILENCE_MS = 12_000;

/** What the driver keeps to itself and this class needs of it. */
interface Inside {
  readonly connection: { readonly stream: Socket };
  /** Undefined on a connection that was never asked anything. */
  readonly _activeQuery: object | null | undefined;
}

/** A connection that ends itself, with all that waits on it, when PostgreSQL does not answer any more. */
export class WatchfulClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const inside = this as unknown as Inside;
    const { stream } = inside.connection;
    stream.on('timeout', () => {
      // Idle: the socket's timer strikes once, so it is set again for the next query.
      if (!inside._activeQuery) stream.setTimeout(SILENCE_MS);
      else stream.destroy(Object.assign(new Error('Connection terminated: PostgreSQL fell silent'), { code: 'ETIMEDOUT' }));
    });
    stream.setTimeout(SILENCE_MS);
  }
}
