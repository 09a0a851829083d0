import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import pg from 'pg';
import { entryOf, sriUrls, startApi, startSimulator, startWorker, surroundings } from '../src/local/parts.js';
import type { ServiceProcess } from '../src/local/service-process.js';
import { logTail } from '../src/platform/embedded/log-tail.js';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../src/platform/embedded/postgres.js';
import { startEmbeddedRedis, type EmbeddedRedis } from '../src/platform/embedded/redis.js';
import { createServiceLogin } from '../src/platform/embedded/service-login.js';
import type { ProbeReading } from './issue-probe.js';

const execute = promisify(execFile);
const PROBE = pathToFileURL(join(fileURLToPath(import.meta.url), '..', 'issue-probe.js')).href;
const UNLIMITED = '1000000000';

interface Probed {
  readonly process: ServiceProcess;
  readonly socket: string;
}

export type PartKind = 'api' | 'worker' | 'simulator';

/**
 * The whole service on this machine, started from the compiled code: PostgreSQL
 * that flushes every commit to disk, Redis, the simulator, APIs and workers,
 * each part of ours with a probe in it.
 */
export class BenchStack {
  readonly ownerUrl: string;
  readonly apiUrls: string[] = [];
  simulatorUrl = '';
  private readonly parts: Record<PartKind, Probed[]> = { api: [], worker: [], simulator: [] };
  private env: Record<string, string> = {};
  private isRedisAway = false;
  private stopping = false;
  private stopped: Promise<void> | null = null;

  private constructor(
    private readonly folder: string,
    private readonly dataDir: string,
    private readonly postgres: EmbeddedPostgres,
    private redis: EmbeddedRedis,
  ) {
    this.ownerUrl = postgres.url;
  }

  /** Starts what the service stands on; `onStart` receives the stack before anything else is added, so that it can be stopped. */
  static async start(onStart: (stack: BenchStack) => void): Promise<BenchStack> {
    const folder = mkdtempSync(join(tmpdir(), 'sello-bench-'));
    // Beside the folder and not in it: PostgreSQL may run as another user, who cannot enter a private folder.
    const dataDir = `${folder}-postgres`;
    const [postgres, redis] = await Promise.all([startTuned(dataDir), startEmbeddedRedis()]);
    const stack = new BenchStack(folder, dataDir, postgres, redis);
    onStart(stack);
    await execute(process.execPath, [entryOf('migrate')], {
      env: { ...surroundings(), DATABASE_OWNER_URL: postgres.url, DATABASE_URL: postgres.url },
    });
    await stack.startParts();
    return stack;
  }

  get description(): string {
    return `${this.postgres.description}, fsync on; ${this.redis.description}; Node ${process.version}`;
  }

  private async startParts(): Promise<void> {
    const simulator = await this.add('simulator', (env, log) =>
      startSimulator(0, log, {
        ...env,
        SIMULATOR_SIGNATURE_ENGINE: 'libxml2',
        SIMULATOR_PROCESSING_MS: process.env['SIMULATOR_PROCESSING_MS'] ?? '0-50',
        SIMULATOR_LEDGER_LIMIT: '1000',
        SIMULATOR_STORED_DOCUMENTS: '20000',
      }),
    );
    this.simulatorUrl = simulator.url ?? '';
    this.env = {
      APP_ENV: 'local',
      HOST: '127.0.0.1',
      PORT: '0',
      LOG_LEVEL: 'warn',
      DATABASE_URL: await createServiceLogin(this.ownerUrl),
      REDIS_URL: this.redis.url,
      MASTER_KEY: randomBytes(32).toString('base64'),
      RECEPTION_LADDER: '0.5,1,5',
      AUTHORIZATION_LADDER: '0.2,0.5,1,5',
      RATE_LIMIT_ISSUE_PER_MINUTE: UNLIMITED,
      RATE_LIMIT_READ_PER_MINUTE: UNLIMITED,
      RATE_LIMIT_OTHER_PER_MINUTE: UNLIMITED,
      ...sriUrls(this.simulatorUrl),
      ...settingsOfCaller(),
    };
  }

  async startApi(): Promise<void> {
    const api = await this.add('api', (env, log, name) => startApi({ ...this.env, ...env }, log, name));
    this.apiUrls.push(api.url ?? '');
  }

  async startWorker(): Promise<void> {
    await this.add('worker', (env, log, name) => startWorker({ ...this.env, ...env }, log, name));
  }

  private async add(
    kind: PartKind,
    start: (env: Record<string, string>, logFolder: string, name: string) => Promise<ServiceProcess>,
  ): Promise<ServiceProcess> {
    const name = `${kind}-${this.parts[kind].length}`;
    const socket = join(this.folder, `${name}.sock`);
    const started = await start({ NODE_OPTIONS: `--import=${PROBE}`, BENCH_PROBE_SOCKET: socket }, this.folder, name);
    this.parts[kind].push({ process: started, socket });
    void started.ended.then((how) => {
      if (this.stopping) return;
      process.stderr.write(`${name} ended by itself: ${how}\n${logTail(started.logFile)}\n`);
      void this.stop().finally(() => process.exit(1));
    });
    return started;
  }

  /** What every process of a kind did since the last reading. */
  readings(kind: PartKind): Promise<ProbeReading[]> {
    return Promise.all(this.parts[kind].map(({ socket }) => ask<ProbeReading>(socket, '/read')));
  }

  /** As `readings`, with the garbage collected before. */
  collected(kind: PartKind): Promise<ProbeReading[]> {
    return Promise.all(this.parts[kind].map(({ socket }) => ask<ProbeReading>(socket, '/collect')));
  }

  /** Ends Redis. @returns what brings an empty one back at the same address */
  async takeRedisAway(): Promise<() => Promise<void>> {
    const port = Number(new URL(this.redis.url).port);
    await this.redis.stop();
    this.isRedisAway = true;
    return async () => {
      this.redis = await startEmbeddedRedis({ port });
      this.isRedisAway = false;
    };
  }

  /** What Redis tells of itself: bytes of memory in use, and commands carried out so far; no numbers while it is away. */
  async redisFigures(): Promise<{ readonly bytes: number; readonly commands: number }> {
    if (this.isRedisAway) return { bytes: Number.NaN, commands: Number.NaN };
    const client = new Redis(this.redis.url);
    try {
      const told = await client.info();
      const valueOf = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(told)?.[1]);
      return { bytes: valueOf('used_memory'), commands: valueOf('total_commands_processed') };
    } finally {
      client.disconnect();
    }
  }

  async startProfiles(): Promise<void> {
    await this.onEveryProbe('/profile/start');
  }

  /** @returns the files written, Chrome's `.cpuprofile` format */
  async stopProfiles(): Promise<string[]> {
    return (await this.onEveryProbe<{ file: string }>('/profile/stop')).map(({ file }) => file);
  }

  /** All that a kind of process holds on to. @returns the files written, Chrome's `.heapsnapshot` format */
  async snapshots(kind: PartKind): Promise<string[]> {
    const written = await Promise.all(this.parts[kind].map(({ socket }) => ask<{ file: string }>(socket, '/snapshot')));
    return written.map(({ file }) => file);
  }

  private onEveryProbe<T>(path: string): Promise<T[]> {
    return Promise.all(
      Object.values(this.parts)
        .flat()
        .map(({ socket }) => ask<T>(socket, path)),
    );
  }

  /** Processor time of the servers so far, in milliseconds; null where the kernel does not show it. */
  serverCpuMs(): { readonly postgres: number; readonly redis: number } | null {
    if (!existsSync('/proc/self/stat')) return null;
    return { postgres: cpuOfTree(this.postgres.pid), redis: cpuOfTree(this.redis.pid) };
  }

  /** Processor time of PostgreSQL and of all processes of a kind while `work` runs, in cores. @throws Error where the kernel does not show it */
  async coresDuring(kind: PartKind, work: () => Promise<unknown>): Promise<number> {
    await this.readings(kind);
    const [from, before] = [performance.now(), this.serverCpuMs()];
    await work();
    const [milliseconds, after] = [performance.now() - from, this.serverCpuMs()];
    const own = (await this.readings(kind)).reduce((sum, { cpuMs }) => sum + cpuMs, 0);
    if (before === null || after === null) throw new Error('this kernel does not tell processor times');
    return (after.postgres - before.postgres + own) / milliseconds;
  }

  /** Ends of the logs that hold anything. */
  logs(): string {
    const all = Object.values(this.parts).flat();
    return all.map(({ process: { name, logFile } }) => `--- ${name}\n${logTail(logFile, { lines: 15 })}`).join('\n');
  }

  /** Ends everything and removes its data; may be called again. @param keep leaves the folder of logs and profiles */
  stop(keep = false): Promise<void> {
    this.stopping = true;
    this.stopped ??= this.end(keep);
    return this.stopped;
  }

  private async end(keep: boolean): Promise<void> {
    const { api, worker, simulator } = this.parts;
    await Promise.all([...api, ...worker].map((part) => part.process.stop(5_000)));
    await Promise.all(simulator.map((part) => part.process.stop(2_000)));
    await Promise.all([this.postgres.stop(), this.redis.stop()]);
    removeCluster(this.dataDir);
    if (!keep) rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Settings of the service given to the bench are passed on, e.g. WORKER_CONCURRENCY. */
function settingsOfCaller(): Record<string, string> {
  const names = ['SRI_RAMP_SECONDS', 'SRI_LONGEST_BREAK_SECONDS', 'SRI_TIMEOUT_SECONDS', 'RECEPTION_LADDER', 'WORKER_CONCURRENCY', 'DATABASE_POOL_SIZE', 'RELAY_INTERVAL_MS', 'RELAY_PATIENCE_SECONDS', 'AUTHORIZATION_LADDER', 'LOG_LEVEL'];
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}

/** PostgreSQL as installed but for two things that measure: commit times and, where available, counted statements. */
async function startTuned(dataDir: string): Promise<EmbeddedPostgres> {
  const first = await startEmbeddedPostgres({ dataDir, database: 'sello' });
  const client = new pg.Client({ connectionString: first.url });
  await client.connect();
  await client.query('alter system set track_commit_timestamp = on');
  const { rowCount } = await client.query(`select from pg_available_extensions where name = 'pg_stat_statements'`);
  if (rowCount === 1) {
    await client.query(`alter system set shared_preload_libraries = 'pg_stat_statements'`);
    await client.query('create extension pg_stat_statements');
  }
  await client.end();
  await first.stop();
  return startEmbeddedPostgres({ dataDir, database: 'sello' });
}

function removeCluster(dataDir: string): void {
  const link = join(dataDir, 'cluster');
  const cluster = existsSync(link) ? realpathSync(link) : link;
  rmSync(cluster, { recursive: true, force: true });
  rmSync(dataDir, { recursive: true, force: true });
}

function ask<T>(socketPath: string, path: string): Promise<T> {
  return new Promise((resolve, reject) => {
    request({ socketPath, path }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        if (response.statusCode === 200) resolve(JSON.parse(text) as T);
        else reject(new Error(`probe: ${text}`));
      });
    })
      .once('error', reject)
      .end();
  });
}

/** Kernel clock ticks per second: 100 on every Linux that Node runs on. */
const MS_PER_TICK = 10;

/** Processor time of a process, its ended children and its live ones. */
function cpuOfTree(pid: number): number {
  const ticks = (ownPid: number, fields: readonly number[]): number => {
    const values = statOf(ownPid);
    return values === null ? 0 : fields.reduce((sum, field) => sum + Number(values[field]), 0);
  };
  // After the name: 11 user, 12 system, 13 and 14 the same of ended children.
  const own = ticks(pid, [11, 12, 13, 14]);
  const children = readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((child) => statOf(child)?.[1] === String(pid));
  return (own + children.reduce((sum, child) => sum + ticks(child, [11, 12]), 0)) * MS_PER_TICK;
}

/** Fields of /proc/PID/stat after the name (0 state, 1 parent ...); null when the process is gone. */
function statOf(pid: number): string[] | null {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return line.slice(line.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}

/** Runs a benchmark over a stack of its own, which ends with it. What fails is told with the ends of the logs, and sets the exit code. */
export async function onBenchStack(measure: (stack: BenchStack) => Promise<void>): Promise<void> {
  let stack: BenchStack | null = null;
  try {
    stack = await BenchStack.start((started) => (stack = started));
    await measure(stack);
  } catch (error) {
    process.stderr.write(`${(error as Error).stack ?? String(error)}\n${stack?.logs() ?? ''}\n`);
    process.exitCode = 1;
  } finally {
    await stack?.stop();
  }
}
