import type { Client } from 'pg';
import { DataSource, type EntityManager } from 'typeorm';
import { allMoves } from '../modules/documents/domain/lifecycle.js';
import { TimerSleeper } from '../platform/adapters/timer-sleeper.js';
import { isClosed } from '../platform/database/closed-schema.js';
import { ownerDataSourceOptions } from '../platform/database/connection.js';
import { takeTurn } from '../platform/database/migration-turn.js';
import { connectAsOwner, seesEveryRow } from '../platform/database/owner-client.js';
import { unfitness } from '../platform/database/server-version.js';
import { sqlState } from '../platform/database/sql-error.js';
import { SQL_STATE } from '../platform/database/sql-state.js';

/**
 * Applies what is missing of `migrations/` and copies the lifecycle's moves into
 * the table that PostgreSQL enforces, unless a newer version has been there. Safe to run again and from several processes.
 * A database that a restore closed stays so until `afterRestore`.
 */
export async function migrate(ownerUrl: string, report: (line: string) => void): Promise<void> {
  const guard = await connectAsOwner(ownerUrl, 'migrate');
  try {
    await refuseUnfit(guard);
    await takeTurn(guard, report);
    await guard.query('create schema if not exists sello');
    const dataSource = await new DataSource(ownerDataSourceOptions(ownerUrl, 'migrate')).initialize();
    try {
      if (!(await seesEveryRow(guard))) await refuseUnseenRows(dataSource);
      const applied = await patiently(() => dataSource.runMigrations(), report);
      for (const migration of applied) report(`applied ${migration.name}`);
      if (applied.length === 0) report('database is up to date');
      // Readiness compares what is applied with what the program brings. Not in the next transaction: events are shown up to the oldest
      // one that has changed anything, and that one reads first.
      await dataSource.query('grant select on migrations to sello_app');
      await dataSource.transaction(async (manager) => {
        // In a database that was restored elsewhere: the order of events must go on from what is there.
        await manager.query('select settle_restored_events()');
        const newer = await newerThanThis(manager, dataSource);
        if (newer === null) await handOverMoves(manager);
        else report(`the database is of a newer version, which applied ${newer}: the moves of documents are left as they are`);
      });
    } finally {
      await dataSource.destroy();
    }
    if (await isClosed(guard)) report('a restore closed this database: no process can serve it before npm run after-restore, which npm run restore goes on with by itself');
  } finally {
    await guard.end();
  }
}

/** A version that serves needs its moves: whoever goes back a version and migrates would take them from it. */
async function newerThanThis(manager: EntityManager, { migrations }: DataSource): Promise<string | null> {
  const [unknown] = await manager.query<{ name: string }[]>('select name from migrations where name <> all($1::text[]) order by id desc limit 1', [migrations.map(({ name }) => name)]);
  return unknown?.name ?? null;
}

async function handOverMoves(manager: EntityManager): Promise<void> {
  await manager.query('delete from document_moves');
  const moves = allMoves();
  await manager.query('insert into document_moves select * from unnest($1::text[], $2::text[], $3::text[])', [
    moves.map((move) => move.from),
    moves.map((move) => move.trigger),
    moves.map((move) => move.to),
  ]);
}

const TRIES = 20;
const PAUSE_MS = 1_000;

async function refuseUnfit(guard: Client): Promise<void> {
  const problem = await unfitness(guard);
  if (problem !== null) throw new Error(problem);
}

/**
 * Tries again where a table was in use for too long: each migration is applied as a whole or not at all, and one
 * that builds or drops an index is begun anew.
 */
async function patiently<T>(work: () => Promise<T>, report: (line: string) => void): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (sqlState(error) !== SQL_STATE.lockNotAvailable || tries === TRIES) throw error;
      report('a table is in use: the migration is tried again');
      await new TimerSleeper().sleep(PAUSE_MS);
    }
  }
}

/** A migration that fills a column would pass over every row, and say nothing. */
async function refuseUnseenRows(dataSource: DataSource): Promise<void> {
  const [schema] = await dataSource.query<{ was_migrated: boolean }[]>(`select to_regclass('sello.migrations') is not null as was_migrated`);
  if (schema?.was_migrated !== true) return;
  const applied = await dataSource.query<{ name: string }[]>('select name from migrations');
  if (dataSource.migrations.every(({ name }) => applied.some((row) => row.name === name))) return;
  throw new Error('DATABASE_OWNER_URL: row security hides rows from this login, so migrations would pass over them; give it BYPASSRLS');
}
