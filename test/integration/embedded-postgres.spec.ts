import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../../src/platform/embedded/free-port.js';
import { startEmbeddedPostgres } from '../../src/platform/embedded/postgres.js';
import { isRunning, parentOf, untilGone } from '../support/processes.js';

const compiled = join(process.cwd(), 'dist/src/platform/embedded/postgres.js');

async function ask<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** A process of its own that starts PostgreSQL on `dataDir` and prints the server's pid and address. */
async function startInProcess(dataDir: string, throwAway: boolean) {
  const script = `
    const { startEmbeddedPostgres } = await import(${JSON.stringify(compiled)});
    const { pid, url } = await startEmbeddedPostgres(${JSON.stringify({ dataDir, throwAway })});
    process.stdout.write(JSON.stringify({ pid, url }) + '\\n');
    setInterval(() => {}, 1000);`;
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await new Promise<string>((resolve) => parent.stdout.once('data', (data) => resolve(String(data))));
  return { parent, ...(JSON.parse(line) as { pid: number; url: string }) };
}

describe('embedded PostgreSQL', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'sello-spec-'));
    chmodSync(dataDir, 0o711);
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  it('keeps its data from one start to the next, in UTF-8 and on loopback only', async () => {
    const first = await startEmbeddedPostgres({ dataDir, database: 'kept' });
    await ask(first.url, `create table note (text text); insert into note values ('ñandú €')`);
    const settings = await ask<{ encoding: string; listen: string; fsync: string }>(
      first.url,
      `select current_setting('server_encoding') encoding, current_setting('listen_addresses') listen, current_setting('fsync') fsync`,
    );
    expect(settings).toEqual([{ encoding: 'UTF8', listen: '127.0.0.1', fsync: 'on' }]);
    await first.stop();
    expect(isRunning(first.pid)).toBe(false);

    const second = await startEmbeddedPostgres({ dataDir, database: 'kept' });
    expect(await ask(second.url, 'select text from note')).toEqual([{ text: 'ñandú €' }]);
    await second.stop();
  });

  it('wants the password', async () => {
    const server = await startEmbeddedPostgres({ dataDir, throwAway: true });
    const url = new URL(server.url);
    url.password = 'wrong';
    await expect(ask(url.href, 'select 1')).rejects.toThrow(/password authentication failed/);
    await server.stop();
  });

  it('has the locks that the service stands on', async () => {
    const server = await startEmbeddedPostgres({ dataDir, throwAway: true });
    await ask(server.url, 'create table work (id int); insert into work values (1), (2)');
    const [one, two] = [new pg.Client(server.url), new pg.Client(server.url)];
    await Promise.all([one.connect(), two.connect()]);
    await Promise.all([one.query('begin'), two.query('begin')]);
    const take = 'select id from work order by id limit 1 for update skip locked';
    expect((await one.query(take)).rows).toEqual([{ id: 1 }]);
    expect((await two.query(take)).rows).toEqual([{ id: 2 }]);
    await Promise.all([one.end(), two.end()]);
    await server.stop();
  });

  it.each([false, true])('does not survive kill -9 of the process that started it (throw-away: %s)', async (throwAway) => {
    const { parent, pid } = await startInProcess(dataDir, throwAway);
    expect(isRunning(pid)).toBe(true);
    parent.kill('SIGKILL');
    await untilGone(pid);
    if (throwAway) {
      while (existsSync(dataDir)) await sleep(50);
      return;
    }
    const again = await startEmbeddedPostgres({ dataDir });
    expect(await ask(again.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await again.stop();
  });

  it('stops a server that an earlier run left behind, and takes its data over', async () => {
    const { parent, pid, url } = await startInProcess(dataDir, false);
    await ask(url, 'create table left_over (id int)');
    // As after a guard was killed too: nobody looks after the server any more.
    const guard = parentOf(pid);
    parent.kill('SIGSTOP');
    process.kill(guard, 'SIGKILL');
    parent.kill('SIGKILL');
    await sleep(200);
    expect(isRunning(pid)).toBe(true);

    const again = await startEmbeddedPostgres({ dataDir });
    expect(isRunning(pid)).toBe(false);
    expect(await ask(again.url, 'select count(*)::int n from left_over')).toEqual([{ n: 0 }]);
    await again.stop();
  });

  it("forgets a crashed machine's pid file whose number belongs to a stranger now", async () => {
    const first = await startEmbeddedPostgres({ dataDir });
    await first.stop();
    writeFileSync(join(dataDir, 'cluster', 'postmaster.pid'), `${process.pid}\n${dataDir}/cluster\n`);
    const second = await startEmbeddedPostgres({ dataDir });
    expect(await ask(second.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await second.stop();
    expect(isRunning(process.pid)).toBe(true);
  });

  it('leaves a PostgreSQL alone that serves another cluster by the number which was that of its own', async () => {
    const first = await startEmbeddedPostgres({ dataDir });
    await first.stop();
    const stranger = await startEmbeddedPostgres({ throwAway: true });
    writeFileSync(join(dataDir, 'cluster', 'postmaster.pid'), `${stranger.pid}\n${dataDir}/cluster\n`);
    const second = await startEmbeddedPostgres({ dataDir });
    expect(await ask(stranger.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await Promise.all([second.stop(), stranger.stop()]);
  });

  it('says how to keep the data of another version before how to be rid of it', async () => {
    mkdirSync(join(dataDir, 'cluster'));
    writeFileSync(join(dataDir, 'cluster', 'PG_VERSION'), '14\n');
    await expect(startEmbeddedPostgres({ dataDir })).rejects.toThrow(
      /is of PostgreSQL 14, the binaries in .* are \d\d: to keep the data, set POSTGRES_BIN .* version 14, or DATABASE_URL .*; to start anew, remove/,
    );
    expect(existsSync(join(dataDir, 'cluster', 'PG_VERSION'))).toBe(true);
  });

  it('says which port is taken', async () => {
    const port = await freePort();
    const holder = await startEmbeddedPostgres({ port, throwAway: true });
    await expect(startEmbeddedPostgres({ dataDir, port, throwAway: true })).rejects.toThrow(
      new RegExp(`did not start on port ${port}[^]*could not bind`),
    );
    await holder.stop();
  });

  it('works below a folder that only its owner can enter', async () => {
    chmodSync(dataDir, 0o700);
    const inside = join(dataDir, 'deep', 'postgres');
    const first = await startEmbeddedPostgres({ dataDir: inside });
    await ask(first.url, 'create table kept (id int)');
    await first.stop();
    const second = await startEmbeddedPostgres({ dataDir: inside });
    expect(await ask(second.url, 'select count(*)::int n from kept')).toEqual([{ n: 0 }]);
    const [row] = await ask<{ folder: string }>(second.url, `select current_setting('data_directory') folder`);
    await second.stop();
    if (process.getuid?.() === 0) rmSync(join(row!.folder, '..'), { recursive: true });
  });
});
