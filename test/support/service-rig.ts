import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { entryOf, sriUrls, startApi, startSimulator, startWorker, surroundings } from '../../src/local/parts.js';
import type { ServiceProcess } from '../../src/local/service-process.js';
import { freePort } from '../../src/platform/embedded/free-port.js';
import { logTail } from '../../src/platform/embedded/log-tail.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/embedded/postgres.js';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../src/platform/embedded/redis.js';
import { createServiceLogin } from '../../src/platform/embedded/service-login.js';
import { readProcFile } from '../../src/platform/proc-file.js';
import { TcpProxy } from './tcp-proxy.js';

const execute = promisify(execFile);
const UNLIMITED = '1000000000';
const RESTART_DELAY_MS = 200;

/** A process of the service with a supervisor: started again whenever it ends, until told otherwise. */
export class Supervised {
  current: ServiceProcess | null = null;
  /** How each life ended, oldest first. */
  readonly endings: string[] = [];
  private wanted = true;
  private readonly loop: Promise<void>;
  private firstStart: () => void = () => undefined;
  private readonly started = new Promise<void>((resolve) => (this.firstStart = resolve));

  constructor(
    readonly name: string,
    private readonly start: () => Promise<ServiceProcess>,
  ) {
    this.loop = this.supervise();
  }

  /** Resolves once it was ready for the first time. */
  async ready(): Promise<this> {
    await this.started;
    return this;
  }

  signal(signal: NodeJS.Signals): void {
    this.current?.kill(signal);
  }

  async stop(): Promise<void> {
    this.wanted = false;
    this.current?.kill('SIGCONT');
    await this.current?.stop(8_000);
    await this.loop;
  }

  private isWanted(): boolean {
    return this.wanted;
  }

  private async supervise(): Promise<void> {
    while (this.isWanted()) {
      try {
        this.current = await this.start();
        this.firstStart();
        if (!this.isWanted()) void this.current.stop(1_000);
        this.endings.push(await this.current.ended);
      } catch (error) {
        this.endings.push(`did not start: ${(error as Error).message.split('\n')[0] ?? ''}`);
      }
      this.current = null;
      if (this.isWanted()) await sleep(RESTART_DELAY_MS);
    }
  }
}

/**
 * The service as real processes over a PostgreSQL and a Redis of its own that
 * may be killed and started again, each behind a proxy that may spoil its
 * connections; the simulator likewise. For the tests that break things.
 */
export class ServiceRig {
  readonly logFolder = mkdtempSync(join(tmpdir(), 'sello-rig-'));
  readonly proxies: { readonly postgres: TcpProxy; readonly redis: TcpProxy; readonly sri: TcpProxy };
  readonly supervised: Supervised[] = [];
  private readonly loose: ServiceProcess[] = [];
  private env: Record<string, string> = {};
  private started = 0;

  private constructor(
    private readonly dataDir: string,
    private readonly simulatorLogs: string,
    private postgres: EmbeddedPostgres,
    private redis: EmbeddedRedis,
    private readonly simulator: ServiceProcess,
    proxies: ServiceRig['proxies'],
  ) {
    this.proxies = proxies;
  }

  /** @param settings of the service beyond those that every rig needs */
  static async start(settings: Readonly<Record<string, string>>, simulatorSettings: Readonly<Record<string, string>> = {}): Promise<ServiceRig> {
    const dataDir = mkdtempSync(join(tmpdir(), 'sello-rig-data-'));
    // The server may run as somebody else.
    chmodSync(dataDir, 0o711);
    const simulatorLogs = mkdtempSync(join(tmpdir(), 'sello-rig-sri-'));
    const [postgres, redis, simulator] = await Promise.all([
      startEmbeddedPostgres({ dataDir, database: 'sello' }),
      startEmbeddedRedis(),
      startSimulator(0, simulatorLogs, { SIMULATOR_SIGNATURE_ENGINE: 'libxml2', ...simulatorSettings }),
    ]);
    await execute(process.execPath, [entryOf('migrate')], {
      env: { ...surroundings(), DATABASE_OWNER_URL: postgres.url, DATABASE_URL: postgres.url },
    });
    const [forPostgres, forRedis, forSri] = await Promise.all(
      [postgres.url, redis.url, simulator.url ?? ''].map((url) => TcpProxy.start({ host: '127.0.0.1', port: Number(new URL(url).port) })),
    );
    const proxies = { postgres: forPostgres!, redis: forRedis!, sri: forSri! };
    const rig = new ServiceRig(dataDir, simulatorLogs, postgres, redis, simulator, proxies);
    rig.env = {
      APP_ENV: 'local',
      HOST: '127.0.0.1',
      PORT: '0',
      LOG_LEVEL: 'info',
      DATABASE_POOL_SIZE: '10',
      DATABASE_URL: proxies.postgres.inFrontOf(await createServiceLogin(postgres.url)),
      REDIS_URL: proxies.redis.inFrontOf(redis.url),
      MASTER_KEY: randomBytes(32).toString('base64'),
      RATE_LIMIT_ISSUE_PER_MINUTE: UNLIMITED,
      RATE_LIMIT_READ_PER_MINUTE: UNLIMITED,
      RATE_LIMIT_RENAME_PER_HOUR: UNLIMITED,
      RATE_LIMIT_OTHER_PER_MINUTE: UNLIMITED,
      ...sriUrls(proxies.sri.inFrontOf(simulator.url ?? '').replace(/\/$/, '')),
      ...settings,
    };
    return rig;
  }

  get description(): string {
    return `${this.postgres.description}, ${this.redis.description}, Node ${process.version}`;
  }

  get ownerUrl(): string {
    return this.postgres.url;
  }

  get simulatorUrl(): string {
    return this.simulator.url ?? '';
  }

  get redisUrl(): string {
    return this.redis.url;
  }

  /** One statement as the owner, past the proxy, on a connection of its own. */
  readonly query = async <Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> => {
    const client = new pg.Client({ connectionString: this.postgres.url, options: '-c search_path=sello,public' });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query(sql, parameters)).rows as Row[];
    } finally {
      await client.end();
    }
  };

  /** An API on a fixed port that is started again whenever it ends. */
  async superviseApi(): Promise<{ url: string; process: Supervised }> {
    const port = await freePort();
    const process = await this.supervise(`api-${this.started++}`, (name) => startApi({ ...this.env, PORT: String(port) }, this.logFolder, name));
    return { url: `http://127.0.0.1:${port}`, process };
  }

  async superviseWorker(): Promise<Supervised> {
    return this.supervise(`worker-${this.started++}`, (name) => startWorker(this.env, this.logFolder, name));
  }

  /** A process without a supervisor; `extra` settings are its own. */
  async startApi(extra: Record<string, string> = {}): Promise<ServiceProcess> {
    return this.keep(await startApi({ ...this.env, ...extra }, this.logFolder, `api-${this.started++}`));
  }

  async startWorker(extra: Record<string, string> = {}): Promise<ServiceProcess> {
    return this.keep(await startWorker({ ...this.env, ...extra }, this.logFolder, `worker-${this.started++}`));
  }

  /** Ends PostgreSQL as a power cut of its processes does: no checkpoint, no goodbye. */
  async killPostgres(): Promise<void> {
    process.kill(this.postgres.pid, 'SIGQUIT');
    await this.postgres.ended;
  }

  async startPostgres(): Promise<void> {
    this.postgres = await startEmbeddedPostgres({ dataDir: this.dataDir, port: Number(new URL(this.postgres.url).port), database: 'sello' });
  }

  async killRedis(): Promise<void> {
    process.kill(this.redis.pid, 'SIGKILL');
    await this.redis.ended;
  }

  async startRedis(): Promise<void> {
    this.redis = await startEmbeddedRedis({ port: Number(new URL(this.redis.url).port) });
  }

  /** Calls the simulator's control interface. */
  async control<Body>(method: string, path: string, body?: unknown): Promise<Body> {
    const response = await fetch(`${this.simulatorUrl}/control/${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    if (!response.ok) throw new Error(`${method} /control/${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Body;
  }

  logs(lines = 30): string {
    const all = [...this.supervised.flatMap(({ current }) => (current === null ? [] : [current])), ...this.loose, this.simulator];
    return all.map(({ name, logFile }) => `--- ${name} ${logFile}\n${logTail(logFile, { lines })}`).join('\n');
  }

  /** @param keepLogs leaves the service's folder of logs for a look */
  async stop(keepLogs = false): Promise<void> {
    for (const proxy of Object.values(this.proxies)) proxy.clear();
    await Promise.all([...this.supervised.map((one) => one.stop()), ...this.loose.map((one) => stopped(one))]);
    await Promise.all(Object.values(this.proxies).map((proxy) => proxy.stop()));
    await this.simulator.stop(2_000);
    await Promise.all([this.postgres.stop(), this.redis.stop()]);
    for (const folder of [this.dataDir, this.simulatorLogs, ...(keepLogs ? [] : [this.logFolder])]) rmSync(folder, { recursive: true, force: true });
  }

  private async supervise(name: string, start: (name: string) => Promise<ServiceProcess>): Promise<Supervised> {
    const supervised = new Supervised(name, () => start(name));
    this.supervised.push(supervised);
    return supervised.ready();
  }

  private keep(process: ServiceProcess): ServiceProcess {
    this.loose.push(process);
    return process;
  }
}

async function stopped(process: ServiceProcess): Promise<void> {
  process.kill('SIGKILL');
  await process.ended;
}

/** Resident memory of a process in megabytes; null where the kernel does not tell. */
export function residentMegabytes(pid: number): number | null {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readProcFile(pid, 'status') ?? '')?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) / 1024;
}
