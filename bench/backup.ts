/**
 * `npm run bench:backup`: issuing while somebody keeps a view of the database as it was, as a backup does for as long as it
 * runs. PostgreSQL keeps until then what every row has been, and who looks for due work reads past the rows that are done.
 * Options: `circumstance.ts`.
 */
import pg from 'pg';
import { benchUnder } from './circumstance.js';
import type { BenchStack } from './issue-stack.js';

async function connect({ ownerUrl }: BenchStack): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: ownerUrl });
  // Interrupted: the database ends first.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function deadRows(stack: BenchStack): Promise<string> {
  const looker = await connect(stack);
  const { rows } = await looker.query<{ dead: string }>(`select n_dead_tup as dead from pg_stat_user_tables where relid = 'sello.outbox'::regclass`);
  await looker.end();
  return rows[0]?.dead ?? 'not known';
}

await benchUnder({
  bench: 'backup',
  title: 'Issuing under a view of the database as it was',
  during: 'under the view',
  begin: async (stack) => {
    const backup = await connect(stack);
    await backup.query('begin isolation level repeatable read');
    await backup.query('select count(*) from sello.outbox');
    return async () => {
      // A view that was lost meanwhile would have cost nothing: this throws.
      await backup.query('select 1');
      await backup.end();
    };
  },
  // Rows of finished work in the queue of documents that PostgreSQL has not cleared.
  told: { name: 'rows not cleared', read: deadRows },
});
