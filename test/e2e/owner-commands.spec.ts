import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { sriUrls, surroundings } from '../../src/local/parts.js';
import { createTestDatabase, fromSetup, type TestDatabase } from '../support/database.js';

const COMMANDS: readonly (readonly string[])[] = [
  ['migrate.js'],
  ['retention.js'],
  ['rotate-master-key.js'],
  ['provision.js', '--name', 'Business'],
  ['after-restore.js'],
  ['cli.js', 'tenants', 'create', '--name', 'Business'],
];

async function outcome(command: readonly string[], databases: Record<string, string>): Promise<{ told: string; code: unknown }> {
  const [program, ...parameters] = command;
  const env = { ...surroundings(), ...sriUrls('http://127.0.0.1:9'), APP_ENV: 'local', REDIS_URL: fromSetup('TEST_REDIS_URL'), MASTER_KEY: fromSetup('TEST_MASTER_KEY'), ...databases };
  const child = spawn(process.execPath, [join('dist', 'src', program!), ...parameters], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const [told, [code]] = await Promise.all([text(child.stderr), once(child, 'close') as Promise<unknown[]>]);
  return { told, code };
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
