import { appendFileSync, ftruncateSync, openSync, readFileSync } from 'node:fs';
import type { BrainChange } from './brain/brain.js';
import type { ClockMoved } from './virtual-clock.js';

/** What the simulator keeps for its next start. */
export type Change = BrainChange | ClockMoved;

const LINE_END = 0x0a;
/** Fields that are dates wherever they hold an instant. */
const DATES: ReadonlySet<string> = new Set(['at', 'receivedAt', 'decidedAt', 'requestedAt', 'acceptBefore', 'annulledAt', 'refusedAt']);
const INSTANT = /^[+-]?\d{4,6}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/**
 * The changes of a simulator in a file that only grows, one line of JSON each. A line is with the operating system when
 * `append` returns, so it outlives `kill -9`, and nothing that was answered is missing. It is never written anew: hardly any
 * change replaces an earlier one.
 */
export class Journal {
  private readonly file: number;

  /** Opens the file, or makes it: for its owner only, since it holds documents. @throws Error of the file system */
  constructor(private readonly path: string) {
    this.file = openSync(path, 'a+', 0o600);
  }

  /**
   * Hands out every change so far, oldest first, and drops a last line that was cut short: nobody got an answer to it.
   * @throws Error that names the line that cannot be read, and what to do
   */
  replay(take: (change: Change) => void): void {
    const bytes = readFileSync(this.path);
    let start = 0;
    for (let line = 1; ; line += 1) {
      const end = bytes.indexOf(LINE_END, start);
      if (end < 0) break;
      take(this.read(bytes.toString('utf8', start, end), line));
      start = end + 1;
    }
    if (start < bytes.byteLength) ftruncateSync(this.file, start);
  }

  append(change: Change): void {
    appendFileSync(this.file, `${JSON.stringify(change)}\n`);
  }

  private read(text: string, line: number): Change {
    try {
      return JSON.parse(text, revive) as Change;
    } catch (error) {
      throw new Error(`${this.path}, line ${line}, cannot be read. Remove the file and the simulator begins anew`, { cause: error });
    }
  }
}

function revive(name: string, value: unknown): unknown {
  return DATES.has(name) && typeof value === 'string' && INSTANT.test(value) ? new Date(value) : value;
}
