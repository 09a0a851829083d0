import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { projectRoot } from '../../src/platform/embedded/compiled-module.js';

const ROOT = projectRoot(import.meta.url);
const FOLDER = join(ROOT, 'bench', 'peers');
const load = createRequire(join(FOLDER, 'package.json'));

/** A package that only the benchmark knows, from the benchmark's own folder; it comes without types. */
export function peerPackage(name: string): unknown {
  return load(name);
}

/** Name and version of a package of the benchmark's folder. */
export function peerName(name: string): string {
  const { dependencies } = load('./package.json') as { dependencies: Record<string, string> };
  return `${name} ${dependencies[name] ?? ''}`;
}

/** Name and version of a package that is the project's own as well. */
export function ownName(name: string): string {
  const { dependencies } = createRequire(join(ROOT, 'package.json'))('./package.json') as { dependencies: Record<string, string> };
  return `${name} ${dependencies[name] ?? ''}`;
}

/**
 * Installs what the lock file beside this names, and nothing else; no package runs a script. What is installed already stays.
 * @returns null, or why the packages are not there
 */
export function installPeers(): string | null {
  if (isInstalled()) return null;
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--fetch-retries=1', '--fetch-timeout=60000'];
  const { status, error, stderr } = spawnSync('npm', ['ci', ...options, '--prefix', FOLDER], {
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (status === 0) return null;
  const offline = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED/.test(stderr);
  const why = offline ? 'no registry of npm can be reached from here' : (error?.message ?? stderr.trim().slice(-300));
  return `the packages of ${relative(process.cwd(), FOLDER)} cannot be installed: ${why}`;
}

/** Whether npm's own note of what it installed says the same as the lock file. */
function isInstalled(): boolean {
  const installed = join(FOLDER, 'node_modules', '.package-lock.json');
  if (!existsSync(installed)) return false;
  const contents = (path: string): string => {
    const { packages } = JSON.parse(readFileSync(path, 'utf8')) as { packages: Record<string, { integrity?: string }> };
    return JSON.stringify(Object.entries(packages).flatMap(([name, { integrity }]) => (name === '' ? [] : [[name, integrity]])));
  };
  return contents(installed) === contents(join(FOLDER, 'package-lock.json'));
}
