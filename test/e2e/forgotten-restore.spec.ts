import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { loadBackup } from '../../src/platform/database/backup/load-backup.js';
import { CLOSE, OPEN } from '../../src/platform/database/closed-schema.js';
import type { ServiceProcess } from '../../src/local/service-process.js';
import { Business } from '../support/business.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { type Stack, startStack } from '../support/stack.js';

const REFUSED = 'the database is at an earlier point than it was';
const UNFINISHED = 'a restore into this database is not finished: restore again into an empty one, or run npm run migrate and then npm run after-restore -- --skip N';

/** What an operator may forget after a restore, and what a failover may lose unnoticed: numbers would be given out twice. */
describe('a database that went back to an earlier point', () => {
  let stack: Stack;
  let restored: TestDatabase;
  let brokenOff: TestDatabase;
  let empty: TestDatabase;
  let halfMade: TestDatabase;
  let business: Business;
  let further: ServiceProcess;
  let folder: string;

  const run = async (program: string, ownerUrl: string, ...args: string[]): Promise<string> =>
    (await promisify(execFile)(process.execPath, [join('dist', 'src', program), ...args], { env: { PATH: process.env['PATH'], DATABASE_OWNER_URL: ownerUrl, DATABASE_URL: ownerUrl } })).stdout;
  const beats = async (database: TestDatabase): Promise<number> => Number((await database.query<{ beats: string }>('select beats from sello.deployment'))[0]?.beats);
  const remembered = async (): Promise<number> => Math.max(0, ...(await Promise.all((await stack.redis.keys('*:note:*')).map(async (key) => Number(await stack.redis.get(key))))));
  const seen = async (least: number): Promise<void> => {
    for (let waited = 0; (await remembered()) < least; waited += 1) {
      if (waited > 600) throw new Error(`Redis remembers ${await remembered()} beats\n${stack.logs()}`);
      await sleep(100);
    }
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sello-forgotten-'));
    [restored, brokenOff, empty, halfMade] = await Promise.all(Array.from({ length: 4 }, () => createTestDatabase({ migrated: false }))) as [TestDatabase, TestDatabase, TestDatabase, TestDatabase];
    stack = await startStack({ workers: 0 });
    ({ worker: further } = await stack.startWorker());
    business = await Business.open(stack);
    await run('backup.js', stack.ownerUrl, join(folder, 'backup'));
    const { document_id } = await business.accepted();
    expect((await business.settled(document_id)).status).toBe('AUTHORIZED');
    await seen((await beats(stack.database)) + 1);
  });
  afterAll(async () => {
    await stack.stop();
    await Promise.all([restored, brokenOff, empty, halfMade].map((database) => database.drop()));
    rmSync(folder, { recursive: true, force: true });
  });

  it('is no longer served by those who run on it, whose supervisors are told to start them anew', async () => {
    await stack.database.query('update sello.deployment set beats = 0');
    expect(await Promise.all([stack.apis[0]!.ended, further.ended])).toEqual(['exit code 75', 'exit code 75']);
    expect(stack.logs()).toContain(REFUSED);
    expect(await beats(stack.database)).toBe(0);
  });

  it('is served by nobody anew until another life of it has begun, which leaves the numbers out', async () => {
    await loadBackup(restored.ownerUrl, join(folder, 'backup'), null, () => undefined);
    // By other means than `npm run restore` it is not closed.
    await restored.query(OPEN);
    await expect(stack.startApi({ DATABASE_URL: restored.url })).rejects.toThrow(REFUSED);
    await expect(stack.startWorker({ DATABASE_URL: restored.url })).rejects.toThrow('npm run after-restore');

    await run('after-restore.js', restored.ownerUrl);
    const api = await stack.startApi({ DATABASE_URL: restored.url });
    const { body } = await business.issue({}, api);
    expect(body.access_key.slice(30, 39)).toBe('000001001');
  });

  it('is served where Redis remembers nothing of it', async () => {
    await stack.redis.flushdb();
    await expect(stack.startWorker()).resolves.toBeDefined();
  });

  it('is served by nobody where its restore was broken off before its rows came, nor made fit without them', async () => {
    // What is not there yet is no unfinished restore.
    await empty.query('create schema sello');
    await expect(stack.startApi({ DATABASE_URL: empty.url })).rejects.toThrow('run the migrate command first');
    // A schema that was there before is not taken back.
    await expect(loadBackup(empty.ownerUrl, join(folder, 'backup'), null, () => { throw new Error('broken off'); })).rejects.toThrow('broken off');
    await expect(stack.startApi({ DATABASE_URL: empty.url })).rejects.toThrow(UNFINISHED);
    expect(await run('migrate.js', empty.ownerUrl)).toContain('no process can serve it before npm run after-restore');
    await expect(stack.startApi({ DATABASE_URL: empty.url })).rejects.toThrow(UNFINISHED);
    await expect(run('after-restore.js', empty.ownerUrl)).rejects.toThrow('broken off before its rows came: drop the schema sello, and restore again');
  });

  it('is served by nobody where its restore was killed while it made the schema, nor made fit then', async () => {
    const killed = `
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'sello-restore' and current_setting('application_name') = 'sello-restore' order by pid = pg_backend_pid()`;
    await halfMade.query(`
      create function public.kill() returns event_trigger language plpgsql as $$
      begin
        if to_regclass('sello.webhooks') is not null then perform true from (${killed}) as ended; end if;
      end $$;
      create event trigger kill on ddl_command_start when tag in ('CREATE TABLE') execute function public.kill()`);
    await expect(run('restore.js', halfMade.ownerUrl, join(folder, 'backup'))).rejects.toThrow('terminating connection due to administrator command');
    await halfMade.query('drop event trigger kill; drop function public.kill()');
    const applied = async (): Promise<number> => Number((await halfMade.query<{ count: string }>('select count(*) from sello.migrations'))[0]?.count);
    const made = await applied();
    expect(made).toBeGreaterThan(1);
    await expect(stack.startApi({ DATABASE_URL: halfMade.url })).rejects.toThrow(UNFINISHED);
    await expect(run('after-restore.js', halfMade.ownerUrl)).rejects.toThrow('broken off before its rows came: drop the schema sello, and restore again');
    expect(await run('migrate.js', halfMade.ownerUrl)).toContain('no process can serve it before npm run after-restore');
    expect(await applied()).toBeGreaterThan(made);
    for (const start of [stack.startApi({ DATABASE_URL: halfMade.url }), stack.startWorker({ DATABASE_URL: halfMade.url })]) await expect(start).rejects.toThrow(UNFINISHED);
    await expect(run('after-restore.js', halfMade.ownerUrl)).rejects.toThrow('broken off before its rows came: drop the schema sello, and restore again');
  });

  it('is served by nobody where its restore was broken off, also if Redis remembers nothing, until another life has begun', async () => {
    const rights = (database: TestDatabase) => database.query(
      `select grantee::regrole::text as who, privilege_type as may, is_grantable from pg_namespace cross join aclexplode(nspacl) where nspname = 'sello' order by 1, 2`);
    await stack.redis.flushdb();
    await loadBackup(brokenOff.ownerUrl, join(folder, 'backup'), null, () => undefined);
    await expect(stack.startApi({ DATABASE_URL: brokenOff.url })).rejects.toThrow(UNFINISHED);
    await expect(stack.startWorker({ DATABASE_URL: brokenOff.url })).rejects.toThrow(UNFINISHED);
    expect(await run('migrate.js', brokenOff.ownerUrl)).toContain('no process can serve it before npm run after-restore');
    await expect(stack.startApi({ DATABASE_URL: brokenOff.url })).rejects.toThrow(UNFINISHED);

    await run('after-restore.js', brokenOff.ownerUrl);
    expect(await rights(brokenOff)).toEqual(await rights(stack.database));
    expect(await run('migrate.js', brokenOff.ownerUrl)).not.toContain('after-restore');
    const api = await stack.startApi({ DATABASE_URL: brokenOff.url });
    const { body } = await business.issue({}, api);
    expect(body.access_key.slice(30, 39)).toBe('000001001');
    // Whoever came to it before its rows were there.
    const ready = async (): Promise<number> => (await fetch(`${api}/health/ready`)).status;
    expect(await ready()).toBe(200);
    await brokenOff.query(CLOSE);
    expect(await ready()).toBe(503);
    expect((await business.issue({}, api)).status).toBeGreaterThanOrEqual(500);
  });

  it('gets no other life while it is served, but by force', async () => {
    const counters = () => restored.query('select last_value from sello.sequence_counters order by emission_point_id, document_type');
    expect(await stack.database.query(`select distinct application_name as name from pg_stat_activity where datname = current_database() and application_name <> ''`)).toEqual([{ name: 'sello-worker' }]);
    const before = await counters();
    await expect(run('after-restore.js', restored.ownerUrl)).rejects.toThrow(/the database is being served, by sessions: \d+ of \w+ \(sello-api\) from 127\.0\.0\.1.*--force/);
    expect(await counters()).toEqual(before);
    await run('after-restore.js', restored.ownerUrl, '--force');
    expect(await counters()).not.toEqual(before);
  });
});
