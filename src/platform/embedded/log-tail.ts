import { existsSync, readFileSync } from 'node:fs';

/** The last lines of a log file, for messages; empty when there is none. */
export function logTail(logFile: string, lines = 12): string {
  if (!existsSync(logFile)) return '';
  return readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
}
