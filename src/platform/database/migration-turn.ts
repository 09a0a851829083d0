import type { Client } from 'pg';
import { TimerSleeper } from '../adapters/timer-sleeper.js';

/** Any constant: only one process migrates a database, or restores into it, at a time. */
const MIGRATION_LOCK = 7_356_110;
const PAUSE_MS = 200;
/** A short wait for another run is nobody's concern. */
const TOLD_AFTER = 15;

/**
 * Waits until no other process migrates the database or restores into it, and keeps them off for as long as the session lasts.
 * Asks again and again, for whoever waits within PostgreSQL holds up the building of an index, and the other process with it.
 */
export async function takeTurn(guard: Client, report: (line: string) => void): Promise<void> {
  // Nothing is asked of it while migrations run, for longer than people's logins may be idle.
  await guard.query('set idle_session_timeout = 0');
  for (let tries = 1; ; tries += 1) {
    const { rows } = await guard.query<{ held: boolean }>('select pg_try_advisory_lock($1) as held', [MIGRATION_LOCK]);
    if (rows[0]?.held === true) return;
    if (tries === TOLD_AFTER) report(`waiting for another run that migrates this database or restores into it: ${await whoseTurn(guard)}`);
    await new TimerSleeper().sleep(PAUSE_MS);
  }
}

/** Whose turn it is, as `pg_stat_activity` has it; a session that hangs is ended by `pg_terminate_backend`. */
async function whoseTurn(guard: Client): Promise<string> {
  const { rows } = await guard.query<{ who: string }>(
    `select concat_ws(', ', 'process ' || pid, nullif(application_name, ''), 'from ' || host(client_addr), 'since ' || date_trunc('second', backend_start)) as who
     from pg_locks join pg_stat_activity using (pid)
     where locktype = 'advisory' and granted and objid = $1 and database = (select oid from pg_database where datname = current_database())`,
    [MIGRATION_LOCK],
  );
  return rows[0]?.who ?? 'it is just over';
}
