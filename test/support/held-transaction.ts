import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

interface Owned {
  readonly ownerUrl: string;
  readonly database: { query(sql: string): Promise<unknown[]> };
}

/** Runs `work` on a connection that has a transaction under way, which ends with what it did not commit. */
export async function inTransaction({ ownerUrl }: Owned, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl, options: '-c search_path=sello' });
  await client.connect();
  try {
    await client.query('begin');
    await work(client);
  } finally {
    await client.end();
  }
}

/** Resolves once as many others wait for a lock. */
export async function lockAwaited({ database }: Owned, by = 1): Promise<void> {
  while ((await database.query(`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)).length < by) await sleep(20);
}
