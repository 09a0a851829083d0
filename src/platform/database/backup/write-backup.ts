import { createWriteStream, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Client } from 'pg';
import { connectAsOwner, seesEveryRow } from '../owner-client.js';
import { to as copyTo } from 'pg-copy-streams';
import { flush } from '../../flush.js';
import { reasonOf } from '../../reason.js';
import { sqlState } from '../sql-error.js';
import { SQL_STATE } from '../sql-state.js';
import { BackupError, digestOf, type Manifest, manifestFile, tableFile } from './manifest.js';
import { columnList, type StoredTable, storedTables } from './stored-tables.js';

/** Sequences that `npm run migrate` makes and moves on. */
const NOT_KEPT = 'migrations%';

const HIDDEN_ROWS = 'DATABASE_OWNER_URL: row security hides rows from this login; give one that has BYPASSRLS and may read every table and sequence';

/**
 * Writes everything of the schema, as it is at one moment, into a folder that must not exist yet, in one that must; the service
 * goes on meanwhile. Readable by its owner alone: stored keys in it are sealed, but people's data is not. A failed backup leaves nothing.
 *
 * @param url a login that row security hides nothing from
 * @throws BackupError
 */
export async function writeBackup(url: string, folder: string, now: Date, report: (line: string) => void): Promise<Manifest> {
  // Beside the folder, and not within it where its name ends in a stroke.
  const unfinished = `${resolve(folder)}.unfinished`;
  const parent = dirname(unfinished);
  // Made here, it would lie on another disk wherever a volume is not mounted.
  if (!existsSync(parent)) throw new BackupError(`${parent}: does not exist; create it, or mount the volume that holds it`);
  if (existsSync(folder)) throw new BackupError(`${folder}: exists already`);
  if (existsSync(unfinished)) throw isTaken(unfinished);
  // Where row security hid rows, PostgreSQL is to refuse rather than to leave them out. While what was written is read once more
  // nothing is asked of it, for longer than people's logins may be idle.
  const client = await connectAsOwner(url, 'backup', '-c search_path=sello -c row_security=off -c statement_timeout=0 -c idle_in_transaction_session_timeout=0');
  // A connection that is lost: what is asked of it, now or next, fails and is caught below.
  client.on('error', () => undefined);
  let made = false;
  try {
    await client.query('begin isolation level repeatable read read only');
    const { rows: [schema] } = await client.query<{ is_there: boolean }>(`select to_regclass('sello.migrations') is not null as is_there`);
    if (schema?.is_there !== true) throw new BackupError('the database holds nothing of the service');
    // Asked of the login itself: a session that was opened otherwise than here would read no rows, and say nothing.
    if (!(await seesEveryRow(client))) throw new BackupError(HIDDEN_ROWS);
    await refuseUnreadable(client);
    // Undefined where another run has made it since.
    made = mkdirSync(unfinished, { recursive: true, mode: 0o700 }) !== undefined;
    if (!made) throw isTaken(unfinished);
    const tables: Manifest['tables'] = [];
    for (const table of await storedTables(client)) {
      const kept = await writeTable(client, table, tableFile(unfinished, table.name));
      tables.push(kept);
      if (kept.rows > 0) report(`${kept.name}: ${kept.rows} rows`);
    }
    const manifest: Manifest = {
      format: 1,
      created_at: now.toISOString(),
      environment: (await client.query<{ environment: string }>('select environment from deployment')).rows[0]?.environment ?? null,
      migrations: (await client.query<{ name: string }>('select name from migrations order by timestamp')).rows.map(({ name }) => name),
      tables,
      sequences: Object.fromEntries((await client.query<{ name: string; last: string }>(
        `select sequencename as name, last_value::text as last from pg_sequences where schemaname = 'sello' and last_value is not null and sequencename not like $1`, [NOT_KEPT])).rows.map(({ name, last }) => [name, last])),
    };
    await client.query('commit');
    writeFileSync(manifestFile(unfinished), `${JSON.stringify(manifest, null, 1)}\n`, { mode: 0o600, flush: true });
    renameSync(unfinished, folder);
    await flush(parent).catch((error: unknown) => report(`${folder} is whole, but its name may be lost with the power: ${reasonOf(error)}`));
    return manifest;
  } catch (error) {
    if (made) remove(unfinished, report);
    if (sqlState(error) !== SQL_STATE.insufficientPrivilege) throw error;
    throw new BackupError(HIDDEN_ROWS, { cause: error });
  } finally {
    await client.end();
  }
}

/** To a login that may not read a sequence PostgreSQL shows it as one that gave nothing out. */
async function refuseUnreadable(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_sequence join pg_class on pg_class.oid = seqrelid
     where relnamespace = 'sello'::regnamespace and relname not like $1 and not has_sequence_privilege(seqrelid, 'select, usage') order by relname`, [NOT_KEPT]);
  if (rows.length > 0) throw new BackupError(`DATABASE_OWNER_URL: this login may not read the sequences ${rows.map(({ name }) => name).join(', ')}; give it SELECT on them, or pg_read_all_data`);
}

const isTaken = (unfinished: string): BackupError => new BackupError(`${unfinished}: exists already, of a backup that is under way or was killed; remove it if none is under way`);

/** It would keep its space, and the next run from the same name. */
function remove(unfinished: string, report: (line: string) => void): void {
  try {
    rmSync(unfinished, { recursive: true, force: true });
  } catch (error) {
    report(`${unfinished}: what was written could not be removed (${reasonOf(error)}); remove it before the next backup of that name`);
  }
}

async function writeTable(client: Client, { name, columns }: StoredTable, file: string): Promise<Manifest['tables'][number]> {
  const rows = client.query(copyTo(`copy (select ${columnList(client, columns)} from ${client.escapeIdentifier(name)}) to stdout`));
  const written = createWriteStream(file, { mode: 0o600, flags: 'wx', flush: true });
  // A file that is just being opened when the rows end would come back into the folder that is removed.
  const closed = new Promise<void>((resolve) => written.once('close', resolve));
  await pipeline(rows, createGzip(), written).finally(() => closed);
  return { name, columns: [...columns], rows: rows.rowCount, sha256: await digestOf(file) };
}
