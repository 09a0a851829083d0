/** How the command line ends: scripts read from it what happened. */
export const EXIT = {
  ok: { code: 0, meaning: 'done' },
  refused: { code: 1, meaning: 'the service refused the call' },
  usage: { code: 2, meaning: 'the command was not understood' },
  unanswered: { code: 3, meaning: 'the service gave no answer, or failed: whether it did what was asked is open' },
  not_authorized: { code: 4, meaning: 'the document was refused, given up or needs a person' },
  pending: { code: 5, meaning: 'the document was accepted and is still on its way' },
} as const;

export type Exit = keyof typeof EXIT;

/** A command that did not do what it was asked to. */
export class CliFailure extends Error {
  constructor(
    readonly exit: Exit,
    message: string,
    /** For --json: what the service answered. */
    readonly detail: unknown = null,
    /** How long to wait at least before the same call is made again, in milliseconds; null where that would not help. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(message);
  }

  /** Whether the same call may be answered later: no answer, a failure, or too many calls. */
  get passes(): boolean {
    return this.exit === 'unanswered' || this.retryAfterMs !== null;
  }
}

/** On standard error, as JSON where that was asked for. */
export function tellFailure({ exit, message, detail }: CliFailure): void {
  process.stderr.write(process.argv.includes('--json') ? `${JSON.stringify({ exit, message, detail })}\n` : `${message}\n`);
}
