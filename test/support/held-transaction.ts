import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { TestDatabase } from './database.js';

/** Runs `work` on a connection of the owner that has a transaction under way, which ends with what it did not commit. @returns what that returns */
export async function inTransaction<T>({ ownerUrl }: Pick<TestDatabase, 'ownerUrl'>, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: ownerUrl, options: '-c search_path=sello' });
  await client.connect();
  try {
    await client.query('begin');
    return await work(client);
  } finally {
    await client.end();
  }
}

/**
 * Resolves once as many others wait for a lock.
 * @param doing expression that their statements match, where others may wait for locks of their own
 */
export async function lockAwaited({ ownerUrl }: Pick<TestDatabase, 'ownerUrl'>, by = 1, doing = ''): Promise<void> {
  const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query ~ $1`;
  // One connection for all looks: on a busy machine a new one takes a part of the time for which the others wait.
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    while ((await client.query(waiting, [doing])).rows.length < by) await sleep(20);
  } finally {
    await client.end();
  }
}
