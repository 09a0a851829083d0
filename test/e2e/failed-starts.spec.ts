import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { entryOf, sriUrls, surroundings } from '../../src/local/parts.js';
import { createTestDatabase, fromSetup, type TestDatabase } from '../support/database.js';
import { nextRedisUrl } from '../support/stack.js';

const WRONG_PASSWORD = 'not-the-password';

interface LogLine {
  readonly level: string;
  readonly message: string;
}

/** What an operator reads of a process that does not start: which setting to look at, in the form of all other lines. */
describe('a process that cannot start', () => {
  let database: TestDatabase;
  let empty: TestDatabase;
  let env: Record<string, string>;
  let taken: Server;
  let takenPort: string;

  beforeAll(async () => {
    [database, empty] = await Promise.all([createTestDatabase(), createTestDatabase({ migrated: false })]);
    taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    takenPort = String((taken.address() as AddressInfo).port);
    env = {
      ...surroundings(), ...sriUrls('http://127.0.0.1:9'), APP_ENV: 'local', HOST: '127.0.0.1', PORT: '0', DATABASE_URL: database.url, REDIS_URL: nextRedisUrl(),
      QUEUE_PREFIX: `{test-${randomBytes(4).toString('hex')}}`, MASTER_KEY: fromSetup('TEST_MASTER_KEY'), TOKEN_KEYS: fromSetup('TEST_TOKEN_KEYS'),
      // A database that is slow to answer on a busy machine is no other problem.
      DATABASE_WAIT_SECONDS: '15',
    };
  });
  afterAll(async () => {
    taken.close();
    await Promise.all([database.drop(), empty.drop()]);
  });

  const otherwise = (change: (url: URL) => void): Record<string, string> => {
    const url = new URL(database.url);
    change(url);
    return { DATABASE_URL: url.href };
  };

  /** All that it writes, each line read as JSON: the log, and behind it why it ends. */
  async function linesOf(part: 'api' | 'worker', settings: Record<string, string>): Promise<{ code: unknown; lines: LogLine[]; output: string }> {
    const child = spawn(process.execPath, [entryOf(part)], { env: { ...env, ...settings }, stdio: ['ignore', 'pipe', 'pipe'] });
    const [log, end, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close') as Promise<unknown[]>]);
    const output = log + end;
    return { code, lines: output.trimEnd().split('\n').map((line) => JSON.parse(line) as LogLine), output };
  }

  it.each<[string, 'api' | 'worker', () => Record<string, string>, RegExp]>([
    ['a setting is missing', 'api', () => ({ DATABASE_URL: '' }), /DATABASE_URL: required/],
    ['the file of the master key is not there', 'api', () => ({ MASTER_KEY: '', MASTER_KEY_FILE: '/nope' }), /: MASTER_KEY_FILE: the file does not exist/],
    ['the same, as a worker', 'worker', () => ({ MASTER_KEY: '', MASTER_KEY_FILE: '/nope' }), /: MASTER_KEY_FILE: the file does not exist/],
    ['its port is taken', 'api', () => ({ PORT: takenPort }), /: PORT: \d+ of 127\.0\.0\.1 is taken/],
    ['the port for operators is taken', 'worker', () => ({ METRICS_PORT: takenPort }), /: METRICS_PORT: \d+ of 127\.0\.0\.1 is taken/],
    ['its address is none of the machine', 'api', () => ({ HOST: '192.0.2.1' }), /: HOST: 192\.0\.2\.1 is not an address of this machine/],
    ['PostgreSQL is away', 'api', () => otherwise((url) => (url.port = '1')), /: DATABASE_URL: connect ECONNREFUSED/],
    ['the password is wrong', 'api', () => otherwise((url) => (url.password = WRONG_PASSWORD)), /: DATABASE_URL: password authentication failed/],
    ['the database is not known', 'worker', () => otherwise((url) => (url.pathname = '/nowhere')), /: DATABASE_URL: database "nowhere" does not exist/],
    ['the RUC of the platform is nobody\'s', 'api', () => ({ PROVIDER_RUC: '0000000000000' }), /: PROVIDER_RUC: no RUC of an issuer: its first two digits are no province/],
    ['the same, as a worker', 'worker', () => ({ PROVIDER_RUC: '0000000000000' }), /: PROVIDER_RUC: no RUC of an issuer/],
    ['Redis has no database of that number', 'api', () => ({ REDIS_URL: `${fromSetup('TEST_REDIS_URL')}/9999` }), /: REDIS_URL: database 9999: ERR .*out of range/],
    ['the same, as a worker', 'worker', () => ({ REDIS_URL: `${fromSetup('TEST_REDIS_URL')}/9999` }), /: REDIS_URL: database 9999: ERR .*out of range/],
    ['the database was not migrated', 'api', () => ({ DATABASE_URL: empty.url }), /: DATABASE_URL: .*run the migrate command first/],
  ])('says so by the setting, every line in JSON, when %s', async (_why, part, settings, told) => {
    const { code, lines, output } = await linesOf(part, settings());
    expect(code).toBe(1);
    expect(lines.at(-1)).toMatchObject({ level: 'fatal', message: expect.stringMatching(/^Cannot start: /) as string });
    expect(lines.at(-1)?.message).toMatch(told);
    // It is the same a second later.
    expect(output.includes('Retrying')).toBe(told.source.includes('ECONNREFUSED'));
    for (const password of [WRONG_PASSWORD, new URL(database.url).password]) expect(output).not.toContain(password);
  });
});
