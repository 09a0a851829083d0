import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { sriUrls, surroundings } from '../../src/local/parts.js';
import { createTestDatabase, fromSetup, type TestDatabase } from '../support/database.js';

/** Without DATABASE_OWNER_URL they try the service's login, which may do nothing of this. */
describe('an operator who has not set the login that owns the schema', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it.each([
    ['migrate.js'],
    ['retention.js'],
    ['rotate-master-key.js'],
    ['provision.js', '--name', 'Business'],
    ['after-restore.js'],
    ['cli.js', 'tenants', 'create', '--name', 'Business'],
  ])('is told so by %s', async (program, ...parameters) => {
    const env = {
      ...surroundings(), ...sriUrls('http://127.0.0.1:9'), APP_ENV: 'local', DATABASE_URL: database.url, REDIS_URL: fromSetup('TEST_REDIS_URL'), MASTER_KEY: fromSetup('TEST_MASTER_KEY'),
    };
    const child = spawn(process.execPath, [join('dist', 'src', program), ...parameters], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    const [told, [code]] = await Promise.all([text(child.stderr), once(child, 'close') as Promise<unknown[]>]);
    expect(told).toMatch(/^DATABASE_OWNER_URL: set the login that owns the schema.*\((permission denied|function .* does not exist).*\)\n$/);
    expect(code).not.toBe(0);
  });
});
