import { readProcFile } from '../platform/proc-file.js';

const INTERVAL_MS = 500;

/**
 * Calls back when the npm process that started this one is gone. npm passes
 * signals on, but kill -9 of npm itself would leave this process running with
 * nobody to stop it. Does nothing when npm did not start it.
 */
export function watchLauncher(startedByNpm: boolean, onGone: () => void): void {
  if (!startedByNpm) return;
  // Between npm and this process stands the shell of the script.
  const shell = process.ppid;
  const npm = parentOf(shell);
  const timer = setInterval(() => {
    if (process.ppid === shell && parentOf(shell) === npm) return;
    clearInterval(timer);
    onGone();
  }, INTERVAL_MS);
  timer.unref();
}

/** Parent of a process where the kernel shows it (Linux); null elsewhere. */
function parentOf(pid: number): number | null {
  const parent = /^PPid:\s+(\d+)/m.exec(readProcFile(pid, 'status') ?? '')?.[1];
  return parent === undefined ? null : Number(parent);
}
