import { logTail } from '../platform/embedded/log-tail.js';

/** Something that was started and has to be stopped. */
export interface RunningPart {
  readonly logFile: string | null;
  /** Resolves with how it ended. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

/** Parts in the order in which they are stopped: whoever needs another goes first. */
const STOP_ORDER = ['API', 'worker', 'mailbox', 'identity provider', 'SRI simulator', 'Redis', 'PostgreSQL'] as const;
export type PartName = (typeof STOP_ORDER)[number];

/** Everything that runs, so that all of it is stopped in order and an unexpected end is noticed. */
export class RunningParts {
  private readonly parts = new Map<PartName, RunningPart>();
  private stopping = false;

  /** Called once when a part ends by itself, with a message for the user. */
  onUnexpectedEnd: (message: string) => void = () => undefined;

  add(name: PartName, part: RunningPart): void {
    this.parts.set(name, part);
    void part.ended.then((how) => {
      if (this.stopping) return;
      const tail = part.logFile === null ? '' : `\n${logTail(part.logFile)}`;
      this.onUnexpectedEnd(`${name} ended by itself: ${how}${tail}`);
    });
  }

  async stop(): Promise<void> {
    this.stopping = true;
    for (const name of STOP_ORDER) await this.parts.get(name)?.stop();
  }
}
