import { appendFileSync, fstatSync, ftruncateSync, openSync, readFileSync } from 'node:fs';
import type { BrainChange } from './brain/brain.js';

const LINE_END = 0x0a;
/** Fields that are dates wherever they hold an instant. */
const DATES: ReadonlySet<string> = new Set(['at', 'receivedAt', 'decidedAt', 'requestedAt', 'acceptBefore', 'annulledAt', 'refusedAt']);
const INSTANT = /^[+-]?\d{4,6}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/** A journal that no start can go on from; the message says what to do. */
export class UnreadableJournal extends Error {}

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
   * Hands out every change so far, oldest first, and drops a last line that was cut short: nobody got an answer to it. None lies
   * ahead of now, as those of a clock that was set forward do: what was decided is, and what waits for a time waits no longer.
   * @throws UnreadableJournal that names the line
   */
  replay(now: Date, take: (change: BrainChange) => void): void {
    const bytes = readFileSync(this.path);
    let start = 0;
    for (let line = 1; ; line += 1) {
      const end = bytes.indexOf(LINE_END, start);
      if (end < 0) break;
      take(notAhead(this.read(bytes.toString('utf8', start, end), line), now));
      start = end + 1;
    }
    if (start < bytes.byteLength) ftruncateSync(this.file, start);
  }

  append(change: BrainChange): void {
    const { size } = fstatSync(this.file);
    try {
      appendFileSync(this.file, `${JSON.stringify(change)}\n`);
    } catch (error) {
      // A full disk may take a part of the line.
      ftruncateSync(this.file, size);
      throw error;
    }
  }

  private read(text: string, line: number): BrainChange {
    try {
      return JSON.parse(text, revive) as BrainChange;
    } catch (error) {
      throw new UnreadableJournal(`${this.path}, line ${line}, cannot be read. Remove the file and the simulator begins anew`, { cause: error });
    }
  }
}

function notAhead(change: BrainChange, now: Date): BrainChange {
  switch (change.kind) {
    case 'document': {
      const { document } = change;
      return { ...change, document: { ...document, ...heldBack(document.receivedAt, { receivedAt: document.receivedAt, decidedAt: document.decidedAt }, now) } };
    }
    case 'annulment': {
      const { requestedAt, acceptBefore, annulledAt, refusedAt } = change.annulment;
      const answered = { annulledAt: earlier(annulledAt, now), refusedAt: earlier(refusedAt, now) };
      return { ...change, annulment: { ...heldBack(requestedAt, { requestedAt, acceptBefore }, now), ...answered } };
    }
    default:
      return change;
  }
}

const earlier = (instant: Date | null, now: Date): Date | null => (instant !== null && instant > now ? now : instant);

/** The instants as much earlier as the first of them lies ahead of now. */
function heldBack<Instants extends Readonly<Record<string, Date | null>>>(first: Date, instants: Instants, now: Date): Instants {
  const aheadMs = Math.max(0, first.getTime() - now.getTime());
  return Object.fromEntries(Object.entries(instants).map(([name, instant]) => [name, instant && new Date(instant.getTime() - aheadMs)])) as Instants;
}

function revive(name: string, value: unknown): unknown {
  return DATES.has(name) && typeof value === 'string' && INSTANT.test(value) ? new Date(value) : value;
}
