import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import pg from 'pg';
import { noteNoConnection } from './no-connection.js';
import { SQL_STATE } from './sql-state.js';

/**
 * Longer than the server lets any statement run. A connection that is silent for
 * so long while a query is under way is lost, although nobody said so: a router
 * forgot it, or the server's machine vanished.
 */
export const SILENCE_MS = 12_000;

/** What the driver keeps to itself and this class needs of it. */
interface Inside {
  readonly connection: EventEmitter & { readonly stream: Socket };
  /** Undefined on a connection that was never asked anything. */
  readonly _activeQuery: object | null | undefined;
  /** The pool takes no connection back that is not. */
  _queryable: boolean;
}

type Connected = ((error: Error) => void) | ((error: null, client: pg.Client) => void);

/**
 * A connection that ends itself, with all that waits on it, when PostgreSQL does not answer any more. One to a server that only
 * reads, as the former primary does after a failover, is not used again: the next one may lead to the primary. What it fails to
 * come about by (a password that was changed, a certificate that ran out) is known for that, whatever its kind.
 */
export class WatchfulClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const inside = this as unknown as Inside;
    const { stream } = inside.connection;
    stream.on('timeout', () => {
      // The socket's timer strikes once, so it is set again.
      if (!inside._activeQuery) {
        stream.setTimeout(SILENCE_MS);
        return;
      }
      const heard = stream.bytesRead;
      // What came while this process itself stood still is read first.
      // eslint-disable-next-line no-restricted-syntax -- no wait, but the end of the turn in which that is read
      setImmediate(() => {
        if (!inside._activeQuery || stream.bytesRead > heard) stream.setTimeout(SILENCE_MS);
        else stream.destroy(Object.assign(new Error('Connection terminated: PostgreSQL fell silent'), { code: 'ETIMEDOUT' }));
      });
    });
    stream.setTimeout(SILENCE_MS);
    inside.connection.on('errorMessage', ({ code }: { readonly code?: string }) => {
      if (code === SQL_STATE.readOnlySqlTransaction) inside._queryable = false;
    });
  }
  override connect(): Promise<pg.Client>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.Client> | void {
    if (callback === undefined) {
      return super.connect().catch((error: unknown) => {
        noteNoConnection(error);
        throw error;
      });
    }
    super.connect((error: Error | null) => {
      if (error !== null) noteNoConnection(error);
      (callback as (error: Error | null, client: pg.Client) => void)(error, this);
    });
  }
}
