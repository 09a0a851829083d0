import { spawnSync } from 'node:child_process';
import { chownSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** "nobody" on every Linux: PostgreSQL refuses to run as root. */
export const UNPRIVILEGED_USER = 65534;

/** True where this process is root, so that PostgreSQL needs another user. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** True when `user` can run `binary` (every parent folder and shared library readable). */
export function userCanRun(binary: string, user: number): boolean {
  return spawnSync(binary, ['--version'], { uid: user, gid: user, cwd: '/', stdio: 'ignore' }).status === 0;
}

/** True when `user` can enter and write `folder`. */
export function userCanWrite(folder: string, user: number): boolean {
  const probe = spawnSync('/bin/sh', ['-c', 'cd "$1" && test -w .', 'probe', folder], {
    uid: user,
    gid: user,
    cwd: '/',
    stdio: 'ignore',
  });
  return probe.status === 0;
}

/** Gives a folder and all below it to `user`; links are changed, not followed. */
export function giveTree(folder: string, user: number): void {
  if (lstatSync(folder).isSymbolicLink()) return;
  chownSync(folder, user, user);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) giveTree(path, user);
    else if (!entry.isSymbolicLink()) chownSync(path, user, user);
  }
}
