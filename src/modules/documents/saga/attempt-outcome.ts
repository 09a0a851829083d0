import type { Unanswered } from '../../../sri/soap/unanswered.js';
import type { AttemptOutcome } from '../persistence/documents.repository.js';

/** What is put on record of a call that the SRI gave no answer to. */
export function unansweredOutcome(answer: Unanswered): Required<Pick<AttemptOutcome, 'outcome' | 'excerpt'>> {
  return answer.kind === 'not_delivered'
    ? { outcome: answer.kind, excerpt: answer.reason }
    : { outcome: `${answer.kind}: ${answer.reason}`, excerpt: answer.excerpt };
}
