import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { migrate } from '../../src/operations/migrate.js';
import { ownerDataSourceOptions } from '../../src/platform/database/connection.js';
import { loadMigrations } from '../../src/platform/database/migrations.js';
import { createTestDatabase, fromSetup, type TestDatabase } from '../support/database.js';

/** Everything in the schema that a migration can leave behind: what it is, what it says, who owns it and who may use it. */
const INVENTORY = `
  select 'schema' as kind, n.nspname::text as name, '' as body, n.nspowner::regrole::text as owner, coalesce(n.nspacl, acldefault('n', n.nspowner))::text as acl
  from pg_namespace n where n.nspname = 'sello'
  union all
  select 'function', p.oid::regprocedure::text, concat_ws(' ', p.prokind, p.prosrc, p.prosecdef, p.proconfig, p.prorows, p.procost, p.provolatile, p.proisstrict, obj_description(p.oid, 'pg_proc')), p.proowner::regrole::text,
    coalesce(p.proacl, acldefault('f', p.proowner))::text
  from pg_proc p where p.pronamespace = 'sello'::regnamespace
  union all
  select 'relation', c.oid::regclass::text, concat(c.relkind, c.relrowsecurity, c.relforcerowsecurity, pg_get_indexdef(c.oid), obj_description(c.oid, 'pg_class')), c.relowner::regrole::text,
    coalesce(c.relacl, acldefault('r', c.relowner))::text
  from pg_class c where c.relnamespace = 'sello'::regnamespace and c.relkind in ('r', 'i', 'S', 'v') and c.relname not like '%migrations%'
  union all
  select 'column', a.attrelid::regclass::text || '.' || a.attname, concat(format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid)), '', coalesce(a.attacl::text, '')
  from pg_attribute a join pg_class c on c.oid = a.attrelid left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where c.relnamespace = 'sello'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped and c.relname not like '%migrations%'
  union all
  select 'constraint', n.conrelid::regclass::text || '.' || n.conname, pg_get_constraintdef(n.oid), '', ''
  from pg_constraint n join pg_class c on c.oid = n.conrelid where n.connamespace = 'sello'::regnamespace and c.relname not like '%migrations%'
  union all
  select 'trigger', t.tgrelid::regclass::text || '.' || t.tgname, pg_get_triggerdef(t.oid), '', ''
  from pg_trigger t join pg_class c on c.oid = t.tgrelid where c.relnamespace = 'sello'::regnamespace and not t.tgisinternal
  union all
  select 'policy', tablename || '.' || policyname, concat(permissive, roles, cmd, qual, with_check), '', '' from pg_policies where schemaname = 'sello'
  order by 1, 2`;

interface Item extends Record<string, string> {
  kind: string;
  name: string;
  acl: string;
}

/** Each is applied and undone by itself, and there are more of them with every version. */
const LIMIT_MS = 30 * 60_000;

describe('migrations', () => {
  const name = `test_migrations_${randomBytes(6).toString('hex')}`;
  const all = loadMigrations();
  let url: string;

  const maintain = async (statement: string): Promise<void> => {
    const client = new pg.Client({ connectionString: fromSetup('TEST_POSTGRES_URL') });
    await client.connect();
    await client.query(statement);
    await client.end();
  };
  /** As after the first `count` migrations, by applying what is missing or undoing what is too much. */
  const at = async (count: number, act: 'up' | 'down'): Promise<Item[]> => {
    const migrations = act === 'up' ? all.slice(0, count) : all.slice(0, count + 1);
    const owner = await new DataSource({ ...ownerDataSourceOptions(url, 'migrate'), migrations }).initialize();
    try {
      if (act === 'up') await owner.runMigrations();
      else await owner.undoLastMigration();
      const items = await owner.query<Item[]>(INVENTORY);
      // The order in which rights were granted tells nothing.
      return items.map((item) => ({ ...item, acl: item.acl.replace(/[{}]/g, '').split(',').sort().join(',') }));
    } finally {
      await owner.destroy();
    }
  };

  beforeAll(async () => {
    await maintain(`create database ${name}`);
    const address = new URL(fromSetup('TEST_POSTGRES_URL'));
    address.pathname = `/${name}`;
    url = address.href;
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query('create schema sello');
    await client.end();
  });
  afterAll(() => maintain(`drop database if exists ${name} with (force)`));

  it.each(['SQL_ASCII', 'LATIN1'])('refuse a database whose encoding is %s, in which no name could be stored', async (encoding) => {
    const other = `${name}_${encoding.toLowerCase()}`;
    await maintain(`create database ${other} encoding '${encoding}' template template0 locale 'C'`);
    try {
      const address = new URL(url);
      address.pathname = `/${other}`;
      await expect(migrate(address.href, () => undefined)).rejects.toThrow(`encoding is ${encoding}; make one with encoding 'UTF8'`);
    } finally {
      await maintain(`drop database ${other}`);
    }
  });

  it('are each undone without a trace, and applied again to the same end', async () => {
    const states = [await at(0, 'up')];
    for (let count = 1; count <= all.length; count += 1) states.push(await at(count, 'up'));
    expect(states.at(-1)!.length).toBeGreaterThan(100);
    for (let count = all.length - 1; count >= 0; count -= 1) {
      expect({ count, items: await at(count, 'down') }).toEqual({ count, items: states[count] });
    }
    await migrate(url, () => undefined);
    expect(await at(all.length, 'up')).toEqual(states.at(-1));
  }, LIMIT_MS);

  it('build an index beside transactions under way, anew after a run that was ended, and for several processes at once', async () => {
    const place = all.findIndex((migration) => new migration().transaction === false);
    for (let count = all.length - 1; count >= place; count -= 1) await at(count, 'down');
    const reader = new pg.Client({ connectionString: url });
    await reader.connect();
    await reader.query('begin isolation level repeatable read');
    await reader.query('select from sello.migrations');
    // Within its transaction the reader would see the sessions as they were.
    const watcher = new pg.Client({ connectionString: url });
    await watcher.connect();
    const building = async (): Promise<boolean> =>
      (await watcher.query(`select from pg_stat_activity where datname = current_database() and query like '%create index concurrently%' and state = 'active' and pid <> pg_backend_pid()`)).rowCount! > 0;
    const ended = spawn(process.execPath, ['dist/src/migrate.js'], { env: { PATH: process.env['PATH'], DATABASE_OWNER_URL: url }, stdio: 'ignore' });
    while (!(await building())) await sleep(50);
    ended.kill('SIGKILL');
    // What it asked for ends with it, though it would have waited for the reader.
    while (await building()) await sleep(50);
    const usable = async (index: string): Promise<{ oid: number; definition: string } | undefined> =>
      (await watcher.query<{ oid: number; definition: string }>(
        'select indexrelid::integer as oid, pg_get_indexdef(indexrelid) as definition from pg_index where indexrelid = to_regclass($1) and indisvalid', [`sello.${index}`])).rows[0];
    const { rows } = await watcher.query(`select from pg_index where not indisvalid and indrelid = 'sello.outbox'::regclass`);
    expect(rows).toHaveLength(1);
    const migrated = Promise.all([migrate(url, () => undefined), migrate(url, () => undefined)]);
    // Longer than a migration waits for a table in use.
    await sleep(4_000);
    await reader.query('commit');
    await migrated;
    expect((await usable('outbox_in_turns'))?.definition).toContain('(tenant_id, step, ahead, due_at)');

    // As after a run that was ended when the index was whole.
    const before = await usable('webhook_deliveries_pending');
    const { rows: forgotten } = await watcher.query<{ id: number; name: string }>(`delete from sello.migrations where name like 'DeliveriesOnTheirWay%' returning id, name`);
    await migrate(url, () => undefined);
    expect([forgotten.length, await usable('webhook_deliveries_pending')]).toEqual([1, before]);
    // The last that was applied is the one that is undone first.
    await watcher.query('update sello.migrations set id = $1 where name = $2', [forgotten[0]!.id, forgotten[0]!.name]);
    await reader.end();
    await watcher.end();
  }, LIMIT_MS);

  it('wait for a table in use in short turns, in which nobody is held up behind them', async () => {
    await at(all.length - 1, 'down');
    const user = new pg.Client({ connectionString: url });
    await user.connect();
    await user.query('begin');
    await user.query('lock table sello.migrations in share mode');
    const said: string[] = [];
    const migrated = migrate(url, (line) => {
      said.push(line);
      if (line.includes('in use')) void user.query('commit');
    });
    await migrated.finally(() => user.end());
    expect(said).toEqual(['a table is in use: the migration is tried again', `applied ${new (all.at(-1)!)().name}`]);
  });
});

describe('a server that cannot be migrated', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase({ migrated: false });
    const name = new URL(database.ownerUrl).pathname.slice(1);
    await database.query('create schema fake');
    await database.query(`create function fake.current_setting(text) returns text language sql as $$ select case $1 when 'server_version_num' then '140020' else pg_catalog.current_setting($1) end $$`);
    await database.query(`alter database ${name} set search_path = fake, pg_catalog`);
  });
  afterAll(() => database.drop());

  /** As an operator runs it. */
  const run = (url: string): { status: number | null; stdout: string; stderr: string } =>
    spawnSync(process.execPath, ['dist/src/migrate.js'], { env: { PATH: process.env['PATH'], DATABASE_OWNER_URL: url }, encoding: 'utf8' });

  it('for it is too old, is left as it was', async () => {
    await expect(migrate(database.ownerUrl, () => undefined)).rejects.toThrow(/PostgreSQL 14; upgrade it to 15/);
    expect(await database.query(`select nspname from pg_namespace where nspname = 'sello'`)).toEqual([]);
  });

  it('is told of in one line', () => {
    expect(run(database.ownerUrl)).toMatchObject({ status: 1, stdout: '', stderr: expect.stringMatching(/^DATABASE_OWNER_URL: the server is PostgreSQL 14.*\n$/) as string });
    expect(run('postgresql://nobody@127.0.0.1:1/none')).toMatchObject({ status: 1, stdout: '', stderr: 'DATABASE_OWNER_URL: connect ECONNREFUSED 127.0.0.1:1\n' });
    expect(run('')).toMatchObject({ status: 1, stdout: '', stderr: expect.stringMatching(/^DATABASE_OWNER_URL.*\n$/) as string });
  });
});

describe('a run of migrate', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it('says for whom it waits', async () => {
    const other = new pg.Client({ connectionString: database.ownerUrl, application_name: 'sello-migrate-before' });
    await other.connect();
    await other.query('select pg_advisory_lock(7356110)');
    const { rows } = await other.query<{ pid: number }>('select pg_backend_pid() as pid');
    const said: string[] = [];
    const migrated = migrate(database.ownerUrl, (line) => said.push(line));
    while (said.length === 0) await sleep(100);
    await other.end();
    await migrated;
    expect(said).toEqual([expect.stringMatching(new RegExp(`^waiting for another run .*: process ${rows[0]!.pid}, sello-migrate-before, from 127.0.0.1, since `)), 'database is up to date']);
  }, 60_000);

  it('of an older version leaves a newer one the moves that it knows', async () => {
    const moves = (): Promise<Record<string, unknown>[]> => database.query(`select trigger from document_moves where trigger = 'moves_of_tomorrow'`);
    const said: string[] = [];
    await database.query(`insert into migrations (timestamp, name) values (1999000000001, 'OfTomorrow1999000000001')`);
    await database.query(`insert into document_moves select from_status, 'moves_of_tomorrow', to_status from document_moves limit 1`);
    await migrate(database.ownerUrl, (line) => said.push(line));
    expect(said).toEqual(['database is up to date', 'the database is of a newer version, which applied OfTomorrow1999000000001: the moves of documents are left as they are']);
    expect(await moves()).toHaveLength(1);
    await database.query(`delete from migrations where name = 'OfTomorrow1999000000001'`);
    await migrate(database.ownerUrl, () => undefined);
    expect(await moves()).toEqual([]);
  });
});
