import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { compiledModule } from './compiled-module.js';
import { freePort } from './free-port.js';
import { startGuarded, type Ending, type GuardedProcess, type GuardOrder } from './guarded-process.js';

export type RedisKind = 'redis-server' | 'valkey-server' | 'js-redis-server';

export interface EmbeddedRedisOptions {
  /** Port on 127.0.0.1; left out: a free one. */
  readonly port?: number;
  /** Takes this kind instead of the first one available. */
  readonly kind?: RedisKind;
}

export interface EmbeddedRedis {
  readonly url: string;
  readonly pid: number;
  /** For the progress line; says so when the server is for development only. */
  readonly description: string;
  /** Resolves when the server ends, for whatever reason. */
  readonly ended: Promise<Ending>;
  stop(): Promise<void>;
}

/** Only ends what hangs: a machine may be slow. */
const START_TIMEOUT_MS = 100_000;
const PORT_ATTEMPTS = 3;
/** Bull's scripts and the service's commands need Redis 6.2. */
const OLDEST = [6, 2] as const;

/**
 * Starts a private Redis on 127.0.0.1 that keeps nothing on disk: every job in
 * it can be rung again from PostgreSQL. It does not survive this process,
 * however this process ends.
 *
 * Takes `redis-server` or `valkey-server` 6.2 or later from PATH, else a server
 * written in JavaScript, which is for development and tests.
 */
export async function startEmbeddedRedis(options: EmbeddedRedisOptions = {}): Promise<EmbeddedRedis> {
  const found = findRedis(process.env.PATH ?? '', options.kind);
  for (let attempt = 1; ; attempt += 1) {
    const port = options.port ?? (await freePort());
    const server = await startGuarded(order(found, port));
    const problem = await untilAnswering(server, port);
    if (problem === null) {
      return {
        url: `redis://127.0.0.1:${port}`,
        pid: server.pid,
        description: found.description,
        ended: server.ended,
        stop: () => server.stop(),
      };
    }
    await server.stop();
    const portTaken = /address already in use|EADDRINUSE/i.test(problem);
    if (!portTaken || options.port !== undefined || attempt === PORT_ATTEMPTS) {
      throw new Error(`${found.kind} did not start on port ${port}: ${problem}`);
    }
  }
}

interface FoundRedis {
  readonly kind: RedisKind;
  readonly command: string;
  readonly description: string;
}

/** The server to use: the first real one of PATH that is new enough, else the one in JavaScript. */
export function findRedis(searchPath: string, wanted?: RedisKind): FoundRedis {
  const real = (['redis-server', 'valkey-server'] as const).filter((kind) => wanted === undefined || wanted === kind);
  for (const kind of real) {
    for (const folder of searchPath.split(delimiter).filter((entry) => entry !== '')) {
      const command = join(folder, kind);
      const version = versionOf(command);
      if (version !== null && isNewEnough(version)) return { kind, command, description: `${kind} ${version}` };
    }
  }
  if (wanted !== undefined && wanted !== 'js-redis-server') throw new Error(`No ${wanted} ${OLDEST.join('.')} or later on PATH`);
  return {
    kind: 'js-redis-server',
    command: process.execPath,
    description: 'js-redis-server (in JavaScript, for development only)',
  };
}

function versionOf(command: string): string | null {
  try {
    const printed = execFileSync(command, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return parseServerVersion(printed);
  } catch {
    return null;
  }
}

/** The version in what `redis-server --version` or `valkey-server --version` prints; null when there is none. */
export function parseServerVersion(printed: string): string | null {
  return /\bv=(\d+\.\d+\.\d+)/.exec(printed)?.[1] ?? null;
}

/** True for 6.2 and later. */
export function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

function order(found: FoundRedis, port: number): GuardOrder {
  const folder = mkdtempSync(join(tmpdir(), 'sello-redis-'));
  const settings = [
    ['--port', String(port)],
    ['--bind', '127.0.0.1'],
    ['--databases', '64'],
    ['--save', ''],
    ['--appendonly', 'no'],
    ['--dir', folder],
  ];
  return {
    command: found.command,
    args:
      found.kind === 'js-redis-server'
        ? [compiledModule(import.meta.url, 'redis-in-javascript.js'), String(port)]
        : settings.flat(),
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
    logFile: join(folder, 'redis.log'),
    stopSignal: 'SIGTERM',
    hardStopSignal: 'SIGKILL',
    graceMs: 3_000,
    removeAfterwards: [folder],
  };
}

/** Null once the server answers PING, else why not. */
async function untilAnswering(server: GuardedProcess, port: number): Promise<string | null> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < deadline) {
    if (!server.running()) {
      const { reason, output } = await server.ended;
      return `it ended with ${reason}\n${output}`;
    }
    const client = new Redis({ host: '127.0.0.1', port, lazyConnect: true, retryStrategy: null, maxRetriesPerRequest: 0 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.ping();
      return null;
    } catch {
      await sleep(25);
    } finally {
      client.disconnect();
    }
  }
  return `not ready after ${START_TIMEOUT_MS / 1000} s`;
}
