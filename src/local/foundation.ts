import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { promisify } from 'node:util';
import { isPortFree } from '../platform/embedded/free-port.js';
import { startEmbeddedPostgres } from '../platform/embedded/postgres.js';
import { startEmbeddedRedis } from '../platform/embedded/redis.js';
import { createServiceLogin } from '../platform/embedded/service-login.js';
import type { DataFolder } from './data-folder.js';
import { LocalError, type LocalOptions } from './options.js';
import { entryOf, logOf, sriUrls, startSimulator, surroundings } from './parts.js';
import type { Progress } from './progress.js';
import type { RunningParts } from './running-parts.js';
import { type SignInParts, startSignInParts } from './sign-in-parts.js';

const run = promisify(execFile);

/** Where the service's processes find what they stand on. */
export interface Foundation {
  readonly databaseUrl: string;
  readonly ownerUrl: string;
  readonly redisUrl: string;
  readonly sri: Readonly<Record<string, string>>;
  /** Null when the SRI's addresses were given. */
  readonly simulatorUrl: string | null;
  readonly signIn: SignInParts;
}

const DATABASE = 'sello';
/** Bytes of a login's name. */
const LONGEST_NAME = 63;

/**
 * Starts PostgreSQL, Redis and the SRI simulator, or takes the ones whose
 * addresses were given, and brings the database up to date. Each may be the
 * embedded one or a real one, independently.
 */
export async function startFoundation(
  options: LocalOptions,
  folder: DataFolder,
  parts: RunningParts,
  progress: Progress,
): Promise<Foundation> {
  const [ownerUrl, redisUrl, simulatorUrl, signIn] = await allOrFirstFailure([
    startDatabase(options, folder, parts, progress),
    startRedis(options, parts, progress),
    startSri(options, folder, parts, progress),
    startSignInParts(options, folder, parts, progress),
  ]);
  const databaseUrl = await progress.step('Migrations', async () => {
    await migrate(ownerUrl, folder);
    return serviceAddress(options.given, ownerUrl);
  });
  return {
    databaseUrl,
    ownerUrl,
    redisUrl,
    simulatorUrl,
    signIn,
    sri:
      simulatorUrl === null
        ? {
            SRI_RECEPTION_URL: options.given['SRI_RECEPTION_URL'] ?? '',
            SRI_AUTHORIZATION_URL: options.given['SRI_AUTHORIZATION_URL'] ?? '',
            SRI_CONSULTATION_URL: options.given['SRI_CONSULTATION_URL'] ?? '',
            SRI_REGISTRY_URL: options.given['SRI_REGISTRY_URL'] ?? '',
          }
        : sriUrls(simulatorUrl),
  };
}

/**
 * The address of the service's login. On a server that was given it has a name of its own, by the database: logins are those of
 * the whole server, and a service that runs there by the usual name would find its password changed.
 */
export async function serviceAddress(given: LocalOptions['given'], ownerUrl: string): Promise<string> {
  if (given['DATABASE_URL'] !== undefined) return given['DATABASE_URL'];
  if (given['DATABASE_OWNER_URL'] === undefined) return createServiceLogin(ownerUrl);
  const database = decodeURIComponent(new URL(ownerUrl).pathname.slice(1));
  const login = `sello_local_${database}`;
  // PostgreSQL would cut a longer one, and two databases might share it.
  return createServiceLogin(ownerUrl, Buffer.byteLength(login) <= LONGEST_NAME ? login : `sello_local_${createHash('sha256').update(database).digest('hex').slice(0, 32)}`);
}

async function startDatabase(options: LocalOptions, folder: DataFolder, parts: RunningParts, progress: Progress): Promise<string> {
  const given = options.given['DATABASE_OWNER_URL'] ?? options.given['DATABASE_URL'];
  if (given !== undefined) {
    await progress.step('PostgreSQL', () => reach('DATABASE_URL', given, 5432), () => `PostgreSQL of DATABASE_URL, ${hostOf(given)}`);
    return given;
  }
  const server = await progress.step(
    'PostgreSQL',
    () => startEmbeddedPostgres({ dataDir: folder.postgres, throwAway: options.demo, database: DATABASE }),
    ({ description, url }) => `${description}, ${hostOf(url)}`,
  );
  parts.add('PostgreSQL', {
    logFile: server.logFile,
    ended: server.ended.then(({ reason }) => reason),
    stop: () => server.stop(),
  });
  return server.url;
}

async function startRedis(options: LocalOptions, parts: RunningParts, progress: Progress): Promise<string> {
  const given = options.given['REDIS_URL'];
  if (given !== undefined) {
    await progress.step('Redis', () => reach('REDIS_URL', given, 6379), () => `Redis of REDIS_URL, ${hostOf(given)}`);
    return given;
  }
  const server = await progress.step(
    'Redis',
    () => startEmbeddedRedis(),
    ({ description, url }) => `${description}, ${hostOf(url)}`,
  );
  parts.add('Redis', {
    logFile: null,
    ended: server.ended.then(({ reason, output }) => `${reason}\n${output}`),
    stop: () => server.stop(),
  });
  return server.url;
}

async function startSri(options: LocalOptions, folder: DataFolder, parts: RunningParts, progress: Progress): Promise<string | null> {
  const given = options.given['SRI_RECEPTION_URL'];
  if (given !== undefined) {
    progress.line(`  ✓ SRI of SRI_RECEPTION_URL, ${hostOf(given)}`);
    return null;
  }
  const simulator = await progress.step(
    'SRI simulator',
    async () => {
      const free = await isPortFree(options.simulatorPort);
      return startSimulator(free ? options.simulatorPort : 0, folder.logs, { SIMULATOR_JOURNAL: folder.simulatorJournal });
    },
    ({ url }) => `SRI simulator, ${hostOf(url ?? '')}`,
  );
  parts.add('SRI simulator', simulator);
  return simulator.url;
}

/** Applies what is missing of `migrations/`. */
async function migrate(ownerUrl: string, folder: DataFolder): Promise<void> {
  const log = logOf(folder.logs, 'migrate');
  try {
    const { stdout } = await run(process.execPath, [entryOf('migrate')], {
      env: { ...surroundings(), DATABASE_OWNER_URL: ownerUrl, DATABASE_URL: ownerUrl },
    });
    appendFileSync(log, stdout);
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    throw new LocalError(`The migrations failed:\n${stdout ?? ''}${stderr ?? ''}`);
  }
}

/** Waits for all, so that whatever did start is registered before a failure stops it. */
async function allOrFirstFailure<T extends readonly unknown[]>(work: { readonly [K in keyof T]: Promise<T[K]> }): Promise<T> {
  const settled = await Promise.allSettled(work);
  const failed = settled.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return settled.map((one) => (one as PromiseFulfilledResult<unknown>).value) as unknown as T;
}

/** Refuses at once, in plain words, what nobody listens on. The address may hold a password: only the host is named. */
async function reach(setting: string, address: string, defaultPort: number): Promise<void> {
  const { hostname, port } = new URL(address);
  await new Promise<void>((resolve, reject) => {
    const socket = createConnection({ host: hostname, port: port === '' ? defaultPort : Number(port), timeout: 5_000 });
    const fail = (why: string) => {
      socket.destroy();
      reject(new LocalError(`${setting}: nobody answers at ${hostOf(address)} (${why})`));
    };
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
    socket.once('timeout', () => fail('no answer within 5 s'));
    socket.once('error', (error) => fail(error.message));
  });
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : address;
}
