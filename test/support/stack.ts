import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { sriUrls, startApi, startSimulator, startWorker } from '../../src/local/parts.js';
import type { ServiceProcess } from '../../src/local/service-process.js';
import { logTail } from '../../src/platform/embedded/log-tail.js';
import { createTestDatabase, fromSetup, testDatabase, type TestDatabase } from './database.js';
import { askKeeper, type SharedStackAddresses } from './keeper.js';

export interface StackOptions {
  /** API processes; default 1. */
  readonly api?: number;
  /** Worker processes; default 1. */
  readonly workers?: number;
  /** Default true; without it the SRI's addresses are those of `env`, else such that nobody answers. */
  readonly simulator?: boolean;
  /** Settings for every API and worker process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default: the next one of this Jest worker. */
  readonly redisUrl?: string;
}

/** The whole service, at work. */
export interface RunningStack {
  /** Address of the first API. */
  readonly apiUrl: string;
  readonly simulatorUrl: string;
  /** The service's login. */
  readonly databaseUrl: string;
  /** The schema owner's login. */
  readonly ownerUrl: string;
  readonly database: TestDatabase;
  readonly redisUrl: string;
  /** A client on the stack's Redis database, e.g. to flush it. */
  readonly redis: Redis;
  readonly logFolder: string;
  /** Of its API and worker processes. */
  readonly settings: Readonly<Record<string, string>>;
  /** Starts a further API process; answers its address. */
  startApi(env?: Record<string, string>): Promise<string>;
  /** A number that no other business of this stack has. */
  nextBusiness(): number;
  /** Ends of all logs, for the message of a failed test. */
  logs(): string;
  /** Ends what the file has of it. */
  stop(): Promise<void>;
}

/** The whole service as processes of their own, over a database and a Redis database of its own, which `stop()` ends and removes. */
export interface Stack extends RunningStack {
  readonly apiUrls: readonly string[];
  /** Its API processes, in the order of their start. */
  readonly apis: readonly ServiceProcess[];
  /** Kills an API process and waits until it is gone; answers how it ended. */
  killApi(index: number, signal?: NodeJS.Signals): Promise<string>;
  /** Kills a worker process and waits until it is gone; answers how it ended. */
  killWorker(index: number, signal?: NodeJS.Signals): Promise<string>;
  /** Starts a further worker process; answers it and its index. */
  startWorker(env?: Record<string, string>): Promise<{ index: number; worker: ServiceProcess }>;
}

/** Of the 64 that the embedded Redis has, for up to eight workers; the last ones are for what files share. */
const REDIS_DATABASES_PER_WORKER = 7;
let stacksOfThisWorker = 0;
/** Counted over all stacks of a file: two of them may ask one simulator. */
let businesses = 0;

/** Redis databases are told apart by number: each Jest worker has its own range and takes them in turn. */
export function nextRedisUrl(): string {
  const jestWorker = Number(process.env['JEST_WORKER_ID'] ?? '1') - 1;
  const index = (jestWorker % 8) * REDIS_DATABASES_PER_WORKER + (stacksOfThisWorker++ % REDIS_DATABASES_PER_WORKER);
  return `${fromSetup('TEST_REDIS_URL')}/${index}`;
}

/** Where nothing listens. */
const NOBODY = 'http://127.0.0.1:9';

/** Settings that make a test quick: short waits, limits out of the way. */
const QUICK = {
  APP_ENV: 'local',
  HOST: '127.0.0.1',
  PORT: '0',
  LOG_LEVEL: 'info',
  DATABASE_POOL_SIZE: '10',
  // A machine busy with other tests is no reason for a 503.
  DATABASE_WAIT_SECONDS: '15',
  RECEPTION_LADDER: '1,1,2',
  AUTHORIZATION_LADDER: '1,1,2',
  // Several stacks share the cores: looking for webhooks ten times a second takes a noticeable part of them.
  WEBHOOK_POLL_MS: '300',
  RATE_LIMIT_ISSUE_PER_MINUTE: '1000000',
  RATE_LIMIT_READ_PER_MINUTE: '1000000',
  RATE_LIMIT_RENAME_PER_HOUR: '1000000',
  RATE_LIMIT_OTHER_PER_MINUTE: '1000000',
  RATE_LIMIT_AUTH_PER_MINUTE: '1000000',
} as const;

/** Of the two engines, which agree on every document, the one that takes a small part of the other's time. */
const QUICK_SIMULATOR = { SIMULATOR_SIGNATURE_ENGINE: 'libxml2' } as const;

/** Starts simulator, API and worker processes from the compiled code; `stop()` ends them and removes their data. */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const logFolder = mkdtempSync(join(tmpdir(), 'sello-stack-'));
  const database = await createTestDatabase();
  const redisUrl = options.redisUrl ?? nextRedisUrl();
  const redis = new Redis(redisUrl);
  await redis.flushdb();

  const simulator = options.simulator === false ? null : await startSimulator(0, logFolder, QUICK_SIMULATOR);
  const env: Record<string, string> = {
    ...QUICK,
    DATABASE_URL: database.url,
    REDIS_URL: redisUrl,
    QUEUE_PREFIX: `{test-${randomBytes(4).toString('hex')}}`,
    MASTER_KEY: fromSetup('TEST_MASTER_KEY'),
    TOKEN_KEYS: fromSetup('TEST_TOKEN_KEYS'),
    ...sriUrls(simulator?.url ?? NOBODY),
    ...options.env,
  };
  const apis: ServiceProcess[] = [];
  const workers: ServiceProcess[] = [];
  let started = 0;
  const addApi = async (extra: Record<string, string> = {}) => {
    const api = await startApi({ ...env, ...extra }, logFolder, `api-${started++}`);
    apis.push(api);
    return api.url ?? '';
  };
  const addWorker = async (extra: Record<string, string> = {}) => {
    const worker = await startWorker({ ...env, ...extra }, logFolder, `worker-${started++}`);
    return { index: workers.push(worker) - 1, worker };
  };
  const stop = async () => {
    await Promise.all([...apis, ...workers].map((part) => part.stop(5_000)));
    await simulator?.stop(2_000);
    redis.disconnect();
    await database.drop();
    rmSync(logFolder, { recursive: true, force: true });
  };
  try {
    await Promise.all([
      ...Array.from({ length: options.api ?? 1 }, () => addApi()),
      ...Array.from({ length: options.workers ?? 1 }, () => addWorker()),
    ]);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    apis,
    get apiUrls() {
      return apis.map((api) => api.url ?? '');
    },
    get apiUrl() {
      return apis[0]?.url ?? '';
    },
    simulatorUrl: simulator?.url ?? '',
    databaseUrl: database.url,
    ownerUrl: database.ownerUrl,
    database,
    redisUrl,
    redis,
    logFolder,
    settings: env,
    nextBusiness: () => (businesses += 1),
    killApi: (index, signal = 'SIGKILL') => killed(apis, index, signal),
    startApi: addApi,
    killWorker: (index, signal = 'SIGKILL') => killed(workers, index, signal),
    startWorker: addWorker,
    logs: () => logsOf([...apis, ...workers, ...(simulator ? [simulator] : [])].map(({ logFile }) => logFile)),
    stop,
  };
}

/** How many businesses one file may open on the shared stack. */
const BUSINESSES_OF_A_FILE = 1_000;

/**
 * The stack that test files have in common, with an API, a worker and the simulator, all with the usual settings; the first file
 * that asks starts it. Other files are at work on it at the same time, as tenants of one service are: a file meets only what it
 * made, disturbs nobody else's work (faults of the simulator name a RUC, `lockAwaited` a statement with which no other file waits),
 * and takes a stack of its own for anything else.
 */
export async function sharedStack(): Promise<RunningStack> {
  const { file, databaseName, logFiles, ...addresses } = await askKeeper<SharedStackAddresses>('/stack');
  const database = testDatabase(databaseName);
  const redis = new Redis(addresses.redisUrl);
  const apis: ServiceProcess[] = [];
  return {
    ...addresses,
    databaseUrl: database.url,
    ownerUrl: database.ownerUrl,
    database,
    redis,
    async startApi(env = {}) {
      const api = await startApi({ ...addresses.settings, ...env }, addresses.logFolder, `api-of-file-${file}-${apis.length}`);
      apis.push(api);
      return api.url ?? '';
    },
    nextBusiness() {
      businesses += 1;
      if (businesses >= BUSINESSES_OF_A_FILE) throw new Error(`A file opens fewer than ${BUSINESSES_OF_A_FILE} businesses on the shared stack`);
      return file * BUSINESSES_OF_A_FILE + businesses;
    },
    logs: () => logsOf([...logFiles, ...apis.map(({ logFile }) => logFile)]),
    async stop() {
      await Promise.all(apis.map((api) => api.stop(5_000)));
      redis.disconnect();
      await database.close();
    },
  };
}

function logsOf(logFiles: readonly string[]): string {
  return logFiles.map((logFile) => `--- ${logFile}\n${logTail(logFile, { lines: 30 })}`).join('\n');
}

async function killed(processes: readonly ServiceProcess[], index: number, signal: NodeJS.Signals): Promise<string> {
  const target = processes[index];
  if (target === undefined) throw new Error(`There is no process ${index}: ${processes.length} were started`);
  target.kill(signal);
  return target.ended;
}
