import { execFile } from 'node:child_process';
import { generateKeyPair, generateKeyPairSync, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';

type Postgres = typeof import('../../src/platform/embedded/postgres.js');
type Redis = typeof import('../../src/platform/embedded/redis.js');
type Keeper = typeof import('./run-keeper.js');
type ServiceLogin = typeof import('../../src/platform/embedded/service-login.js');

export interface TestServers {
  stop(): Promise<void>;
}

const run = promisify(execFile);
const newKey = promisify(generateKeyPair);

/** What a file needs: one for the authority, five for businesses, two of its own. */
const RSA_KEYS = 8;

/**
 * Starts what every system test stands on, once for all of them: PostgreSQL
 * with data to throw away, Redis, and a migrated database to clone. Says where
 * they are in the environment:
 *
 * - TEST_POSTGRES_URL          owner's login, maintenance database
 * - TEST_POSTGRES_SERVICE_URL  the service's login, which owns nothing
 * - TEST_TEMPLATE_DB           the migrated database
 * - TEST_REDIS_URL
 * - TEST_MASTER_KEY            base64, made for this run
 * - TEST_TOKEN_KEYS            PEM of the key that signs access tokens, made for this run
 * - TEST_RSA_KEYS              JSON list of PEM: keys for certificates, made for this run
 * - TEST_RUN_KEEPER_URL        who keeps what files share (`run-keeper.ts`)
 *
 * This file runs outside Jest's module system, so it takes the compiled code.
 */
export default async function globalSetup(): Promise<void> {
  const compiled = '../../dist';
  const embedded = `${compiled}/src/platform/embedded`;
  const { startEmbeddedPostgres } = (await import(`${embedded}/postgres.js`)) as Postgres;
  const { startEmbeddedRedis } = (await import(`${embedded}/redis.js`)) as Redis;
  const { createServiceLogin } = (await import(`${embedded}/service-login.js`)) as ServiceLogin;

  const template = 'sello_template';
  const starting = [startEmbeddedPostgres({ throwAway: true, database: template }), startEmbeddedRedis()] as const;
  const [started, failed] = await Promise.allSettled(starting).then((outcomes) => [
    outcomes.filter((one) => one.status === 'fulfilled').map((one) => one.value),
    outcomes.filter((one) => one.status === 'rejected'),
  ] as const);
  if (failed.length > 0) await Promise.all(started.map((one) => one.stop()));
  const [postgres, redis] = await Promise.all(starting);
  const servers: TestServers = {
    async stop() {
      await Promise.all([postgres.stop(), redis.stop()]);
    },
  };
  try {
    await run(process.execPath, [join(process.cwd(), 'dist', 'src', 'migrate.js')], {
      env: { PATH: process.env['PATH'], DATABASE_OWNER_URL: postgres.url, DATABASE_URL: postgres.url },
    });
  } catch (error) {
    await servers.stop();
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    throw new Error(`The migrations of the test database failed:\n${stdout ?? ''}${stderr ?? ''}`, { cause: error });
  }
  const maintenance = new URL(postgres.url);
  maintenance.pathname = '/postgres';
  const service = new URL(await createServiceLogin(postgres.url));
  service.pathname = '/postgres';

  process.env['TEST_POSTGRES_URL'] = maintenance.href;
  process.env['TEST_POSTGRES_SERVICE_URL'] = service.href;
  process.env['TEST_TEMPLATE_DB'] = template;
  process.env['TEST_REDIS_URL'] = redis.url;
  process.env['TEST_MASTER_KEY'] = randomBytes(32).toString('base64');
  process.env['TEST_TOKEN_KEYS'] = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const pem = { publicKeyEncoding: { type: 'spki', format: 'pem' }, privateKeyEncoding: { type: 'pkcs8', format: 'pem' } } as const;
  const keys = await Promise.all(Array.from({ length: RSA_KEYS }, () => newKey('rsa', { modulusLength: 2048, ...pem })));
  process.env['TEST_RSA_KEYS'] = JSON.stringify(keys.map(({ privateKey }) => privateKey));
  const { startRunKeeper } = (await import(`${compiled}/test/support/run-keeper.js`)) as Keeper;
  const keeper = await startRunKeeper();
  process.env['TEST_RUN_KEEPER_URL'] = keeper.url;
  (globalThis as { testServers?: TestServers }).testServers = {
    async stop() {
      await keeper.stop();
      await servers.stop();
    },
  };
}
