import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { Client } from 'pg';
import { connectAsOwner, seesEveryRow } from '../owner-client.js';
import { from as copyFrom } from 'pg-copy-streams';
import { DataSource } from 'typeorm';
import { ownerDataSourceOptions } from '../connection.js';
import { reasonOf } from '../../reason.js';
import { takeTurn } from '../migration-turn.js';
import { loadMigrations } from '../migrations.js';
import { unfitness } from '../server-version.js';
import { BackupError, type Manifest, readBackup, tableFile } from './manifest.js';
import { silence } from './silence.js';
import { columnList, storedTables } from './stored-tables.js';

/**
 * Puts a backup into a database that holds nothing of the service yet: the schema as it was then, and all rows, or
 * nothing at all. Later changes of the schema are left to `migrate`, and nobody can serve it before `beginNewLife` has opened it.
 *
 * @param url owner of the schema that is made
 * @param drill null, or when a copy for a drill is made, which sends nothing to anybody
 * @throws BackupError before anything is written, when the backup is damaged or newer than this program, or the database is unfit or in use
 */
export async function loadBackup(url: string, folder: string, drill: Date | null, report: (line: string) => void): Promise<Manifest> {
  const manifest = await readBackup(folder);
  // An empty service must not stand where the restored one should, and that one must not give its numbers out again.
  const known = loadMigrations({ closing: true }).filter((migration) => manifest.migrations.includes(new migration().name ?? ''));
  if (known.length < manifest.migrations.length) throw new BackupError('the backup is of a newer version of the service: restore it with that one');
  const client = await connectAsOwner(url, 'restore', '-c search_path=sello -c statement_timeout=0');
  try {
    const problem = await unfitness(client);
    if (problem !== null) throw new BackupError(problem);
    // What is left to `migrate` would be refused once the rows are there.
    if (!(await seesEveryRow(client))) throw new BackupError('DATABASE_OWNER_URL: row security hides rows from this login, so that what is restored could not be migrated; give it BYPASSRLS');
    await takeTurn(client, report);
    const { rows: [schema] } = await client.query<{ is_there: boolean; is_used: boolean }>(
      `select to_regnamespace('sello') is not null as is_there, to_regclass('sello.migrations') is not null as is_used`);
    if (schema?.is_used !== false) throw new BackupError('DATABASE_OWNER_URL: the database holds a service already; restore into a new one');
    await client.query('create schema if not exists sello');
    try {
      const dataSource = await new DataSource({ ...ownerDataSourceOptions(url, 'restore'), migrations: known }).initialize();
      await dataSource.runMigrations().finally(() => dataSource.destroy());
      report(`the schema of ${manifest.created_at} is there`);
      await fill(client, manifest, folder, drill, report);
    } catch (error) {
      await takeBack(client, schema.is_there, report);
      throw error;
    }
    return manifest;
  } finally {
    await client.end();
  }
}

/** All rows in one transaction, past what watches over changes: they are what it let through before. */
async function fill(client: Client, manifest: Manifest, folder: string, drill: Date | null, report: (line: string) => void): Promise<void> {
  const tables = await storedTables(client);
  const names = tables.map(({ name }) => client.escapeIdentifier(name));
  const missing = manifest.tables.filter(({ name }) => !tables.some((table) => table.name === name));
  if (missing.length > 0) throw new BackupError(`the schema has no table ${missing.map(({ name }) => name).join(', ')}`);
  await client.query('begin');
  try {
    const { rows: forced } = await client.query<{ name: string }>(`select relname as name from pg_class where relnamespace = 'sello'::regnamespace and relforcerowsecurity and relkind in ('r', 'p') and not relispartition`);
    for (const name of names) await client.query(`alter table ${name} disable trigger user, no force row level security`);
    await client.query(`truncate ${names.join(', ')}`);
    for (const { name } of tables) {
      const kept = manifest.tables.find((table) => table.name === name);
      if (kept === undefined) continue;
      const rows = client.query(copyFrom(`copy ${client.escapeIdentifier(name)} (${columnList(client, kept.columns)}) from stdin`));
      await pipeline(createReadStream(tableFile(folder, name)), createGunzip(), rows);
      if (rows.rowCount !== kept.rows) throw new BackupError(`${name}: ${rows.rowCount} rows came of ${kept.rows}`);
      if (kept.rows > 0) report(`${name}: ${kept.rows} rows`);
    }
    for (const [name, last] of Object.entries(manifest.sequences)) await client.query('select setval($1::regclass, $2)', [`sello.${client.escapeIdentifier(name)}`, last]);
    if (drill !== null) await silence(client, drill, report);
    await client.query('set constraints all immediate');
    for (const name of names) await client.query(`alter table ${name} enable trigger user`);
    for (const { name } of forced) await client.query(`alter table ${client.escapeIdentifier(name)} force row level security`);
    await client.query(`analyze ${names.join(', ')}`);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

/** Whoever tries again finds the database as it was. A schema that was there before may hold more than came of this run. */
async function takeBack(client: Client, wasThere: boolean, report: (line: string) => void): Promise<void> {
  const kept = wasThere ? 'it was there before' : await client.query('drop schema sello cascade').then(() => null, reasonOf);
  if (kept !== null) report(`the schema sello stays as it is now (${kept}): drop it before the next restore`);
}
