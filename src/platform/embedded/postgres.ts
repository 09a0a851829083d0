import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from './free-port.js';
import { startGuarded, type Ending, type GuardedProcess } from './guarded-process.js';
import { findPostgresBinaries } from './postgres-binaries.js';
import { OWNER, prepareCluster, removeLeftOver, serverEnvironment, type PreparedCluster } from './postgres-cluster.js';

export interface EmbeddedPostgresOptions {
  /** Folder of the cluster, its owner's password and its log; made when missing. Left out: a temporary one. */
  readonly dataDir?: string;
  /** Port on 127.0.0.1; left out: a free one. */
  readonly port?: number;
  /** Data that nobody wants to keep: no flush to disk, and the folder is removed when the server stops. */
  readonly throwAway?: boolean;
  /** Database to create when missing; left out: the maintenance database `postgres`. */
  readonly database?: string;
}

export interface EmbeddedPostgres {
  /** Connection address of the cluster's owner. */
  readonly url: string;
  readonly pid: number;
  readonly logFile: string;
  /** Where the binaries came from and their version, for the progress line. */
  readonly description: string;
  /** Resolves when the server ends, for whatever reason. */
  readonly ended: Promise<Ending>;
  stop(): Promise<void>;
}

/** Only ends what hangs: a machine may be slow. */
const START_TIMEOUT_MS = 100_000;
const PORT_ATTEMPTS = 3;

/**
 * Starts a private PostgreSQL on 127.0.0.1 and waits until it answers. It does
 * not survive this process, however this process ends.
 *
 * @throws Error saying what to install or set when no server can be started
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions = {}): Promise<EmbeddedPostgres> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOnce(options);
    } catch (error) {
      const another = error instanceof PortTaken && options.port === undefined && attempt < PORT_ATTEMPTS;
      if (!another) throw error;
    }
  }
}

/** Somebody else bound the port between its choice and the server's start. */
class PortTaken extends Error {}

async function startOnce(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const throwAway = options.throwAway ?? false;
  const found = findPostgresBinaries(process.env.PATH ?? '', process.env['POSTGRES_BIN']);
  const dataDir = options.dataDir ?? temporaryFolder();
  const cluster = await prepareCluster(found, dataDir, throwAway);
  await removeLeftOver(cluster.folder);
  const port = options.port ?? (await freePort());
  const logFile = join(dataDir, 'postgres.log');
  const server = await startGuarded({
    command: join(cluster.binaries.folder, 'postgres'),
    args: serverArguments(cluster, port, throwAway),
    env: serverEnvironment(),
    workingFolder: '/',
    ...(cluster.user === undefined ? {} : { user: cluster.user }),
    logFile,
    stopSignal: 'SIGINT',
    hardStopSignal: 'SIGQUIT',
    graceMs: 8_000,
    removeAfterwards: [...cluster.temporary, ...(throwAway ? [dataDir] : [])],
  });
  const problem = await untilAnswering(server, address(cluster.ownerPassword, port, 'postgres'));
  if (problem !== null) {
    await server.stop();
    const message = `PostgreSQL did not start on port ${port}: ${problem}`;
    throw problem.includes('could not bind') ? new PortTaken(message) : new Error(message);
  }
  const version = await createDatabase(address(cluster.ownerPassword, port, 'postgres'), options.database);
  return {
    url: address(cluster.ownerPassword, port, options.database ?? 'postgres'),
    pid: server.pid,
    logFile,
    description: `PostgreSQL ${version} (${cluster.binaries.origin})`,
    ended: server.ended,
    stop: () => server.stop(),
  };
}

/** Others may pass through, since PostgreSQL may run as another user. */
function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sello-postgres-data-'));
  chmodSync(folder, 0o711);
  return folder;
}

function serverArguments(cluster: PreparedCluster, port: number, throwAway: boolean): string[] {
  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '300',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...(throwAway ? { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' } : {}),
  };
  return ['-D', cluster.folder, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

function address(password: string, port: number, database: string): string {
  return `postgresql://${OWNER}:${password}@127.0.0.1:${port}/${database}`;
}

/** Null once a connection succeeds, else why not, with the end of the log. */
async function untilAnswering(server: GuardedProcess, url: string): Promise<string | null> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  let last = 'no answer';
  while (performance.now() < deadline) {
    if (!server.running()) {
      const { reason, output } = await server.ended;
      return `it ended with ${reason}\n${output}`;
    }
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      await client.end();
      return null;
    } catch (error) {
      last = (error as Error).message;
    }
    await sleep(25);
  }
  return `not ready after ${START_TIMEOUT_MS / 1000} s (${last})`;
}

/** Creates the database when it is missing; answers the server's version. */
async function createDatabase(url: string, database: string | undefined): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    if (database !== undefined) {
      const { rowCount } = await client.query('select from pg_database where datname = $1', [database]);
      if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(database)}`);
    }
    const { rows } = await client.query<{ server_version: string }>('show server_version');
    return rows[0]?.server_version.split(' ')[0] ?? '';
  } finally {
    await client.end();
  }
}
