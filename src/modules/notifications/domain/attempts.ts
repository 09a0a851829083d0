/** What became of an attempt to send a mail, by the mail server's answer. */
export type Outcome =
  | { readonly outcome: 'taken'; readonly messageId: string }
  | { readonly outcome: 'put_off' | 'bounced' | 'refused'; readonly reason: string };

export const MAIL_STATUSES = ['queued', 'sent', 'failed', 'bounced'] as const;
export type MailStatus = (typeof MAIL_STATUSES)[number];

/** How a mail stands after an attempt. */
export interface Standing {
  readonly status: MailStatus;
  readonly failure: string | null;
  readonly messageId: string | null;
  /** When it is tried again; null: never by itself. */
  readonly dueAt: Date | null;
}

/**
 * Decides how a mail stands after an attempt.
 * @param attempts this one included
 * @param ladder seconds between attempts; after its end the mail has failed
 */
export function standingAfter(outcome: Outcome, attempts: number, ladder: readonly number[], now: Date): Standing {
  switch (outcome.outcome) {
    case 'taken':
      return { status: 'sent', failure: null, messageId: outcome.messageId, dueAt: null };
    case 'bounced':
      return over('bounced', outcome.reason);
    case 'refused':
      return over('failed', outcome.reason);
    case 'put_off': {
      const pause = ladder[attempts - 1];
      if (pause === undefined) return over('failed', outcome.reason);
      return { status: 'queued', failure: outcome.reason, messageId: null, dueAt: new Date(now.getTime() + pause * 1_000) };
    }
  }
}

const over = (status: 'failed' | 'bounced', failure: string): Standing => ({ status, failure, messageId: null, dueAt: null });
