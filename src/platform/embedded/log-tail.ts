import { existsSync, readFileSync } from 'node:fs';

/**
 * The last lines of a log file, for messages; empty when there is none.
 *
 * @param from the byte at which what is of interest begins: logs are added to from one start to the next
 */
export function logTail(logFile: string, { lines = 12, from = 0 } = {}): string {
  if (!existsSync(logFile)) return '';
  return readFileSync(logFile).subarray(from).toString().trimEnd().split('\n').slice(-lines).join('\n');
}
