import type { DocumentState } from './document.js';
import { isSettled } from './lifecycle.js';

/** Workers are seldom on the second; only more than that is lost time. */
const PUNCTUAL_MS = 60_000;

/**
 * Until when the SRI has time to decide: time in which it could not be asked, or gave no answer, is not taken from it. It is away
 * for a day, then works off what it holds, and must not find every document handed to a person at its first answer.
 *
 * @param nextAt when it is asked next, if it gave no answer now: that wait is silence, too
 * @returns null where nothing is waited for; as it was where the document rests
 */
export function deadlinePastSilence({ deadlineAt, dueAt, status }: DocumentState, now: Date, nextAt: Date = now): Date | null {
  if (deadlineAt === null || isSettled(status)) return deadlineAt;
  const late = dueAt === null ? 0 : now.getTime() - dueAt.getTime();
  const silentMs = (late > PUNCTUAL_MS ? late : 0) + (nextAt.getTime() - now.getTime());
  return silentMs === 0 ? deadlineAt : new Date(deadlineAt.getTime() + silentMs);
}
