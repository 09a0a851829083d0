import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/**
 * What the kernel shows about a process in `/proc/<pid>/<name>` (Linux).
 * Null when no such process runs, also when it ends between being found
 * and being read, and on systems without `/proc`.
 */
export function readProcFile(pid: number, name: 'cmdline' | 'status'): string | null {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch (error) {
    // A process that ends while its file is open reads as ESRCH.
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}

/** The command line of a running process, also on systems without `/proc`; empty when there is none. */
export function commandLineOf(pid: number): string {
  if (existsSync('/proc/self/cmdline')) return (readProcFile(pid, 'cmdline') ?? '').replaceAll('\0', ' ');
  try {
    return execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return '';
  }
}
