import type { TestDatabase } from './database.js';

/** Until the events that are committed by now are shown: what other tests on the same server hold open hides them. */
export async function eventsShown(database: Pick<TestDatabase, 'query'>): Promise<void> {
  const [mark] = await database.query<{ xid: string }>('select pg_current_xact_id()::text as xid');
  for (let passed = false; !passed;) passed = (await database.query<{ passed: boolean }>('select pg_snapshot_xmin(pg_current_snapshot()) > $1::xid8 as passed', [mark!.xid]))[0]!.passed;
}
