import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { sriUrls, surroundings } from '../../src/local/parts.js';
import { createTestDatabase, fromSetup, type TestDatabase } from '../support/database.js';
import { TcpProxy } from '../support/tcp-proxy.js';

const COMMANDS: readonly (readonly string[])[] = [
  ['migrate.js'],
  ['retention.js'],
  ['rotate-master-key.js'],
  ['provision.js', '--name', 'Business'],
  ['after-restore.js'],
  ['cli.js', 'tenants', 'create', '--name', 'Business'],
];

async function outcome(command: readonly string[], given: Record<string, string>, version = '.'): Promise<{ told: string; answered: string; code: unknown }> {
  const [program, ...parameters] = command;
  const env = { ...surroundings(), ...sriUrls('http://127.0.0.1:9'), APP_ENV: 'local', REDIS_URL: fromSetup('TEST_REDIS_URL'), MASTER_KEY: fromSetup('TEST_MASTER_KEY'), ...given };
  const child = spawn(process.execPath, [join(version, 'dist', 'src', program!), ...parameters], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [told, answered, [code]] = await Promise.all([text(child.stderr), text(child.stdout), once(child, 'close') as Promise<unknown[]>]);
  return { told, answered, code };
}

/** Without DATABASE_OWNER_URL they try the service's login, which may do nothing of this. */
describe('an operator who has not set the login that owns the schema', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it.each(COMMANDS)('is told so by %s', async (...command) => {
    const { told, code } = await outcome(command, { DATABASE_URL: database.url });
    expect(told).toMatch(/^DATABASE_OWNER_URL: set the login that owns the schema.*\((permission denied|function .* does not exist).*\)\n$/);
    expect(code).not.toBe(0);
  });
});

const SECRET = 'canary-password';

describe('an operator whose database is away', () => {
  it.each([...COMMANDS, ['backup.js', 'no-such-folder'], ['citus.js']])('is told so by the setting, and no password, by %s', async (...command) => {
    const away = `postgres://owner:${SECRET}@127.0.0.1:1/sello`;
    const { told, code } = await outcome(command, { DATABASE_URL: away, DATABASE_OWNER_URL: away });
    expect(told).toBe('DATABASE_OWNER_URL: connect ECONNREFUSED 127.0.0.1:1\n');
    expect(code).not.toBe(0);
    // What a backup had begun would be in the way of the next.
    expect(existsSync('no-such-folder.unfinished')).toBe(false);
  });
});

const AWAY = { DATABASE_URL: 'postgres://owner@127.0.0.1:1/sello', DATABASE_OWNER_URL: 'postgres://owner@127.0.0.1:1/sello' };
const PROGRAMS = ['migrate.js', 'retention.js', 'rotate-master-key.js', 'provision.js', 'after-restore.js', 'backup.js', 'restore.js', 'citus.js'];

describe('an operator who is not sure what a command does', () => {
  it.each(PROGRAMS)('is told by %s --help, which does nothing else', async (program) => {
    const { told, answered, code } = await outcome([program, '--help'], AWAY);
    expect([told, code]).toEqual(['', 0]);
    expect(answered).toContain(`npm run ${program.replace('.js', '')}`);
  });

  it.each([
    ['migrate.js', '--dry-run'],
    ['migrate.js', 'now'],
    ['rotate-master-key.js', '--dry-run'],
    ['citus.js', 'sello'],
    ['backup.js', 'no-such-folder', 'another'],
    ['restore.js', 'no-such-folder', '0'],
    ['provision.js', '--disable-person', 'ana@example.com', '--disable-person', 'eva@example.com'],
    ['provision.js', '--name', 'Business', '--platform-admin', 'ana@example.com'],
    ['provision.js', '--disable-person', 'ana@example.com', '--revoke'],
  ])('is refused by %s with parameters that it does not take, before anything is done: %s', async (...command) => {
    const { told, code } = await outcome(command, AWAY);
    expect(told).toMatch(/^(Unknown option|Unexpected argument|name the folder|--.*: (one at a time|only together with --[a-z-]+)).*\n$/);
    expect(code).not.toBe(0);
  });
});

/** As the link to the version that runs, which docs/upgrading.md has operators make. */
describe('an operator who calls a command through a link', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sello-versions-'));
    symlinkSync(process.cwd(), join(folder, 'current'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([...COMMANDS, ['backup.js', 'no-such-folder'], ['restore.js', 'no-such-folder'], ['citus.js'], ['migrate']])('has it done or refused, never passed over, by %s', async (...command) => {
    const { told, code } = await outcome(command, AWAY, join(folder, 'current'));
    expect(told).toMatch(/^(DATABASE_OWNER_URL: connect ECONNREFUSED|no-such-folder: holds no manifest\.json).*\n$/);
    expect(code).not.toBe(0);
  });

  it.each(['audit-licences.js', 'sbom.js'])('is told by %s what the service is made of', async (program) => {
    const { told, answered, code } = await outcome([program], {}, join(folder, 'current'));
    expect([told, code]).toEqual(['', 0]);
    expect(answered).toContain('typeorm');
  });
});

describe('an operator who makes a tenant with the settings of the other environment', () => {
  const CREATING = [['provision.js', '--name', 'Business'], ['cli.js', 'tenants', 'create', '--name', 'Business']];
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(() => database.drop());

  it.each([
    ['PRODUCTION', 'sandbox', 'TEST', 'production', 'APP_ENV=production'],
    ['TEST', 'production', 'PRODUCTION', 'sandbox', 'APP_ENV=sandbox (or local)'],
  ])('is refused on a database of %s with APP_ENV=%s, and told what to set', async (bound, wrong, environment, right, fitting) => {
    await database.query('select bind_environment($1)', [bound]);
    const tenants = async (): Promise<number> => Number((await database.query('select count(*) as count from tenants'))[0]?.['count']);
    for (const command of CREATING) {
      const { told, answered, code } = await outcome(command, { DATABASE_URL: database.url, DATABASE_OWNER_URL: database.ownerUrl, APP_ENV: wrong });
      expect([answered, code]).toEqual(['', 1]);
      expect(told).toBe(`APP_ENV: the database is of the ${bound} environment, where a key of ${environment} would be refused: set ${fitting}, or name the database of the other environment\n`);
    }
    const RUC = '1790012345001';
    for (const act of [['--take-ruc-claim', RUC], ['--take-ruc-claim', RUC, '--for', randomUUID()], ['--lift-ruc-bars', RUC]]) {
      const { told, code } = await outcome(['provision.js', ...act], { DATABASE_URL: database.url, DATABASE_OWNER_URL: database.ownerUrl, APP_ENV: wrong });
      expect([told, code]).toEqual([`APP_ENV: the database is of the ${bound} environment, which holds no claims of ${environment}: set ${fitting}, or name the database of the other environment\n`, 1]);
    }
    expect(await tenants()).toBe(0);
    for (const command of CREATING) expect(await outcome(command, { DATABASE_URL: database.url, DATABASE_OWNER_URL: database.ownerUrl, APP_ENV: right })).toMatchObject({ told: '', code: 0 });
    expect(await tenants()).toBe(CREATING.length);
  });
});

describe('an operator who makes a tenant', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(() => database.drop());

  const tenants = async (): Promise<string[]> => (await database.query<{ id: string }>('select id from tenants')).map(({ id }) => id);
  /** As a shell runs it, with its standard output led elsewhere. */
  async function printedTo(where: string, program: string): Promise<{ told: string; code: unknown }> {
    const env = { ...surroundings(), ...sriUrls('http://127.0.0.1:9'), APP_ENV: 'local', REDIS_URL: fromSetup('TEST_REDIS_URL'), DATABASE_URL: database.url, DATABASE_OWNER_URL: database.ownerUrl };
    const child = spawn('bash', ['-c', `${process.execPath} dist/src/${program} --name Business ${where}`], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    const [told, [code]] = await Promise.all([text(child.stderr), once(child, 'close') as Promise<unknown[]>]);
    return { told, code };
  }

  it('is told which it was where its key cannot be printed', async () => {
    const { told, code } = await printedTo('> /dev/full', 'provision.js');
    const [tenant] = await tenants();
    expect([told, code]).toEqual([expect.stringMatching(new RegExp(`^.*ENOSPC.*; tenant ${tenant} was made, its key could not be printed: revoke it\n$`)), 1]);
    // Nobody reads any more.
    for (const where of ['> /dev/full', '> >(exec 0<&-)']) {
      const before = await tenants();
      const lost = await printedTo(where, 'cli.js tenants create');
      const another = (await tenants()).find((id) => !before.includes(id));
      expect([lost.told, lost.code]).toEqual([expect.stringContaining(`tenant ${another} was made, its key could not be printed: revoke it`), 1]);
    }
  });

  it.each(['>&-', '> /dev/null'])('gets none where its key would surely be lost: %s', async (where) => {
    for (const program of ['provision.js', 'cli.js tenants create']) {
      const { told, code } = await printedTo(where, program);
      expect(told).toContain('standard output is closed or leads nowhere: the key would be lost, so nothing was made\n');
      expect(code).not.toBe(0);
    }
    expect(await tenants()).toEqual([]);
  });

  it.each([
    ['--name', 'x'.repeat(201), 'Takes at most 200 characters'],
    ['--name', 'Business\u0007', 'Contains a control character'],
    ['--name', 'Business\nof another', 'Line breaks are not allowed'],
    ['--key-name', 'x'.repeat(101), 'Takes at most 100 characters'],
    ['--key-name', 'till\u202E', 'Contains the invisible character U+202E'],
  ])('is refused a text that the interface would not take: %s %j', async (option, value, told) => {
    for (const command of [['provision.js'], ['cli.js', 'tenants', 'create']]) {
      const named = option === '--name' ? [] : ['--name', 'Business'];
      const ended = await outcome([...command, ...named, option, value], { DATABASE_URL: database.url, DATABASE_OWNER_URL: database.ownerUrl });
      expect(ended).toMatchObject({ told: `${option}: ${told}\n`, answered: '', code: 1 });
    }
    expect(await tenants()).toEqual([]);
  });

  it('gives its key a name, whether or not it says one', async () => {
    for (const name of [[], ['--key-name', ''], ['--key-name', ' till ']]) {
      expect(await outcome(['provision.js', '--name', 'Business', ...name], { DATABASE_URL: database.url, DATABASE_OWNER_URL: database.ownerUrl })).toMatchObject({ told: '', code: 0 });
    }
    expect((await database.query('select name from api_keys order by name')).map(({ name }) => name as string)).toEqual(['first key', 'first key', 'till']);
  });
});

describe('an operator who writes a backup', () => {
  let database: TestDatabase;
  let folder: string;
  beforeAll(async () => {
    database = await createTestDatabase();
    folder = mkdtempSync(join(tmpdir(), 'sello-backups-'));
    await database.query(`
      with tenant as (insert into tenants (id, name, created_at) values (gen_random_uuid(), 'Business', now()) returning id)
      insert into audit_log (tenant_id, id, at, actor_kind, action) select id, gen_random_uuid(), now(), 'system', 'x' from tenant, generate_series(1, 3000)`);
  });
  afterAll(async () => {
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  it('may name its folder with a stroke behind it', async () => {
    const { told, code } = await outcome(['backup.js', `${join(folder, 'today')}/`], { DATABASE_URL: database.url, DATABASE_OWNER_URL: database.ownerUrl });
    expect([told, code]).toEqual(['', 0]);
    expect(readdirSync(folder)).toEqual(['today']);
    expect(readdirSync(join(folder, 'today'))).toContain('manifest.json');
  });

  it('is refused where the folder around it is missing, as on a volume that is not mounted, and makes none', async () => {
    const { told, code } = await outcome(['backup.js', join(folder, 'unmounted', 'today')], { DATABASE_URL: database.url, DATABASE_OWNER_URL: database.ownerUrl });
    expect([told, code]).toEqual([`${join(folder, 'unmounted')}: does not exist; create it, or mount the volume that holds it\n`, 1]);
    expect(existsSync(join(folder, 'unmounted'))).toBe(false);
  });

  it('finds nothing of one that failed, and may take its name at once', async () => {
    const write = (ownerUrl: string) => outcome(['backup.js', join(folder, 'failed')], { DATABASE_URL: database.url, DATABASE_OWNER_URL: ownerUrl });
    expect((await write(database.url)).told).toContain('row security hides rows');
    expect(readdirSync(folder)).not.toContain('failed.unfinished');
    expect(await write(database.ownerUrl)).toMatchObject({ told: '', code: 0 });
  });

  it.each([
    ['reset', { kind: 'reset_peer', afterBytes: 100_000 }],
    ['closed', { kind: 'limit_data', bytes: 100_000 }],
  ] as const)('finds nothing of one whose connection was %s, and is told so in a line', async (how, toxic) => {
    const { hostname, port } = new URL(database.ownerUrl);
    const proxy = await TcpProxy.start({ host: hostname, port: Number(port) });
    try {
      proxy.add(toxic, 'downstream');
      const { told, answered, code } = await outcome(['backup.js', join(folder, how)], { DATABASE_URL: database.url, DATABASE_OWNER_URL: proxy.inFrontOf(database.ownerUrl) });
      // It was under way.
      expect(answered).toMatch(/^[a-z_]+: \d+ rows$/m);
      expect([told, code]).toEqual([expect.stringMatching(/^[^\n]*(ECONNRESET|terminated)[^\n]*\n$/), 1]);
      expect(readdirSync(folder).filter((name) => name.startsWith(how))).toEqual([]);
    } finally {
      await proxy.stop();
    }
  });

  it('is refused beside another that is under way, and leaves it alone', async () => {
    mkdirSync(join(folder, 'taken.unfinished'));
    const { told, code } = await outcome(['backup.js', join(folder, 'taken')], { DATABASE_URL: database.url, DATABASE_OWNER_URL: database.ownerUrl });
    expect([told, code]).toEqual([expect.stringMatching(/taken\.unfinished: exists already, of a backup that is under way or was killed/), 1]);
    expect(readdirSync(folder)).toContain('taken.unfinished');
  });

  it('may do so by a login that is ended when it is idle in a transaction', async () => {
    const [name] = new URL(database.ownerUrl).pathname.split('/').slice(-1);
    await database.query(`alter database ${name} set idle_in_transaction_session_timeout = '1ms'`);
    const { told, code } = await outcome(['backup.js', join(folder, 'idle')], { DATABASE_URL: database.url, DATABASE_OWNER_URL: database.ownerUrl });
    expect([told, code]).toEqual(['', 0]);
  });
});
