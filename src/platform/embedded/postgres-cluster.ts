import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { commandLineOf } from '../proc-file.js';
import { createMissingLinks, type PostgresBinaries } from './postgres-binaries.js';
import { giveTree, isRoot, UNPRIVILEGED_USER, userCanRun, userCanWrite } from './system-user.js';

const run = promisify(execFile);

/** Superuser of an embedded cluster. It owns the schema; the service itself acts under roles without rights. */
export const OWNER = 'sello_owner';

/** A cluster that is initialised and can be started. */
export interface PreparedCluster {
  /** PGDATA. */
  readonly folder: string;
  readonly binaries: PostgresBinaries;
  /** The user to run as; undefined: this process's own. */
  readonly user: number | undefined;
  readonly ownerPassword: string;
  /** Copies made for this run, to delete when the server stopped. */
  readonly temporary: readonly string[];
}

/**
 * Makes sure that `dataDir` holds an initialised cluster which the user that
 * will run PostgreSQL can reach: UTF-8, C locale, passwords over loopback only.
 *
 * As root the cluster belongs to "nobody". Where that user cannot enter the
 * folders above (a home closed to others), the binaries are copied to, and the
 * cluster lives in, a folder of the system's that it can enter; `dataDir` then
 * holds a link to it.
 */
export async function prepareCluster(
  found: PostgresBinaries,
  dataDir: string,
  throwAway: boolean,
): Promise<PreparedCluster> {
  mkdirSync(dataDir, { recursive: true, mode: 0o711 });
  const user = isRoot() ? UNPRIVILEGED_USER : undefined;
  const { binaries, temporary } = reachableBinaries(found, user);
  const link = join(dataDir, 'cluster');
  const passwordFile = join(dataDir, 'owner-password');

  if (!existsSync(join(link, 'PG_VERSION'))) {
    rmSync(link, { recursive: true, force: true });
    const parent = reachableParent(dataDir, user, throwAway);
    if (parent !== dataDir && throwAway) temporary.push(parent);
    const ownerPassword = randomBytes(24).toString('base64url');
    await initialise(binaries, parent, user, ownerPassword, throwAway);
    writeFileSync(passwordFile, ownerPassword, { mode: 0o600 });
    // Last: a start that was cut off before this point begins anew.
    if (parent !== dataDir) symlinkSync(join(parent, 'cluster'), link);
  }
  const folder = realpathSync(link);
  // An earlier run may have been another user's (with and without sudo).
  if (user !== undefined && statSync(folder).uid !== user) giveTree(folder, user);
  refuseOtherVersion(binaries, folder);
  return { folder, binaries, user, ownerPassword: readFileSync(passwordFile, 'utf8'), temporary };
}

function reachableBinaries(
  found: PostgresBinaries,
  user: number | undefined,
): { binaries: PostgresBinaries; temporary: string[] } {
  const usable = !found.incomplete && (user === undefined || userCanRun(join(found.folder, 'postgres'), user));
  if (usable) return { binaries: found, temporary: [] };
  if (found.bundle === null) {
    throw new Error(`User ${user ?? 'of this process'} cannot run ${found.folder}/postgres, and PostgreSQL does not run as root`);
  }
  const copy = mkdtempSync(join(tmpdir(), 'sello-postgres-'));
  chmodSync(copy, 0o755);
  const native = join(copy, 'native');
  cpSync(found.bundle, native, { recursive: true, verbatimSymlinks: true });
  createMissingLinks(native);
  return { binaries: { ...found, folder: join(native, 'bin'), bundle: native, incomplete: false }, temporary: [copy] };
}

/** `dataDir` where the user can reach it, else a new folder of the system's. */
function reachableParent(dataDir: string, user: number | undefined, throwAway: boolean): string {
  if (user === undefined) return dataDir;
  const probe = join(dataDir, 'cluster.new');
  rmSync(probe, { recursive: true, force: true });
  mkdirSync(probe, { mode: 0o700 });
  chownSync(probe, user, user);
  if (userCanWrite(probe, user)) return dataDir;
  rmSync(probe, { recursive: true });
  const persistent = existsSync('/var/tmp') ? '/var/tmp' : tmpdir();
  const parent = mkdtempSync(join(throwAway ? tmpdir() : persistent, 'sello-data-'));
  chmodSync(parent, 0o711);
  return parent;
}

async function initialise(
  binaries: PostgresBinaries,
  parent: string,
  user: number | undefined,
  ownerPassword: string,
  throwAway: boolean,
): Promise<void> {
  const unfinished = join(parent, 'cluster.new');
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  const secrets = mkdtempSync(join(tmpdir(), 'sello-initdb-'));
  const passwordFile = join(secrets, 'password');
  writeFileSync(passwordFile, ownerPassword, { mode: 0o600 });
  if (user !== undefined) for (const path of [unfinished, secrets, passwordFile]) chownSync(path, user, user);
  try {
    await run(
      join(binaries.folder, 'initdb'),
      [
        `--pgdata=${unfinished}`,
        `--username=${OWNER}`,
        `--pwfile=${passwordFile}`,
        '--auth-host=scram-sha-256',
        '--auth-local=scram-sha-256',
        '--encoding=UTF8',
        '--no-locale',
        '--no-instructions',
        ...(throwAway ? ['--no-sync'] : []),
      ],
      { env: serverEnvironment(), cwd: '/', ...(user === undefined ? {} : { uid: user, gid: user }) },
    );
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    throw new Error(`initdb failed: ${stderr?.trim() ?? message}`, { cause: error });
  } finally {
    rmSync(secrets, { recursive: true, force: true });
  }
  const finished = join(parent, 'cluster');
  renameSync(unfinished, finished);
}

/** No PG* variable of the caller's may change what the embedded server does. */
export function serverEnvironment(): Record<string, string> {
  return { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}

function refuseOtherVersion(binaries: PostgresBinaries, folder: string): void {
  const ofData = readFileSync(join(folder, 'PG_VERSION'), 'utf8').trim();
  const printed = execFileSync(join(binaries.folder, 'postgres'), ['--version'], { encoding: 'utf8', cwd: '/' });
  const ofServer = / (\d{1,3})(?:\.|beta|rc|$)/.exec(printed.trim())?.[1];
  if (ofServer === undefined || ofServer === ofData) return;
  throw new Error(
    `The data in ${folder} is of PostgreSQL ${ofData}, the binaries in ${binaries.folder} are ${ofServer}: ` +
      `to keep the data, set POSTGRES_BIN to the folder of initdb and postgres of version ${ofData}, or DATABASE_URL to a server that holds it; ` +
      'to start anew, remove the data folder.',
  );
}

/**
 * Stops a server that an earlier run left on this cluster (its guard was killed
 * too), and forgets the pid file of a crashed machine, whose number may belong
 * to a stranger by now.
 */
export async function removeLeftOver(cluster: string): Promise<void> {
  const pidFile = join(cluster, 'postmaster.pid');
  if (!existsSync(pidFile)) return;
  const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10);
  for (const [signal, seconds] of [['SIGINT', 10], ['SIGQUIT', 5], ['SIGKILL', 2]] as const) {
    if (!serves(pid, cluster)) break;
    process.kill(pid, signal);
    for (let waited = 0; waited < seconds * 20 && serves(pid, cluster); waited += 1) await sleep(50);
  }
  if (serves(pid, cluster)) throw new Error(`PostgreSQL process ${pid} of an earlier run does not stop`);
  rmSync(pidFile, { force: true });
}

/** True when the process runs and is the PostgreSQL server of this cluster, and not somebody's with a number that was reused. */
function serves(pid: number, cluster: string): boolean {
  if (!Number.isInteger(pid) || pid <= 1) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  const command = commandLineOf(pid);
  return command.includes('postgres') && command.includes(cluster);
}
