import type { EventKind } from '../../../shared/event-catalogue.js';

/** The address says that it is gone for good. */
const GONE = 410;

/** What came of one attempt. */
export interface AttemptResult {
  /** Status of the answer; null when there was none. */
  readonly status: number | null;
  /** Attempts since the delivery was begun, this one included. */
  readonly round: number;
  readonly kind: EventKind;
}

/** Only 2xx is a delivery: a redirect leads elsewhere, where nobody checked. */
export const isDelivered = (status: number | null): boolean => status !== null && status >= 200 && status < 300;

/** When to try again; null: the delivery is over, because it arrived, cannot arrive or was tried often enough. A test is made once. */
export function nextAttemptAt({ status, round, kind }: AttemptResult, now: Date, ladderMs: readonly number[]): Date | null {
  if (isDelivered(status) || status === GONE || kind === 'ping') return null;
  const wait = ladderMs[round - 1];
  return wait === undefined ? null : new Date(now.getTime() + wait);
}
