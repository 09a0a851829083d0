import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { readProcFile } from '../../src/platform/proc-file.js';

/** True while the process does anything; one that ended and only waits to be collected does not count. */
export function isRunning(pid: number): boolean {
  if (existsSync('/proc/self/status')) {
    const status = readProcFile(pid, 'status');
    return status !== null && !/^State:\s+Z/m.test(status);
  }
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Waits until the process is gone; throws when it still runs after `seconds`. */
export async function untilGone(pid: number, seconds = 90): Promise<void> {
  for (let waited = 0; waited < seconds * 20; waited += 1) {
    if (!isRunning(pid)) return;
    await sleep(50);
  }
  throw new Error(`process ${pid} still runs after ${seconds} s`);
}

export function parentOf(pid: number): number {
  if (!existsSync('/proc/self/status')) return Number(execFileSync('ps', ['-o', 'ppid=', '-p', String(pid)], { encoding: 'utf8' }));
  return Number(/PPid:\s+(\d+)/.exec(readProcFile(pid, 'status') ?? '')?.[1]);
}

/** The processes that `pid` started, and those that they started (Linux). */
export function descendantsOf(pid: number): number[] {
  const children = readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((candidate) => parentOf(candidate) === pid);
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}
