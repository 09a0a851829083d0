import type { Decision, Work } from '../domain/document.js';
import { LIFECYCLE, type Step } from '../domain/lifecycle.js';
import type { DocumentsRepository, LoadedDocument } from '../persistence/documents.repository.js';

/** Puts a step off without having called the SRI. A document that waits for its first sending says that it is not delivered. */
export async function postpone(
  documents: DocumentsRepository,
  { state }: LoadedDocument,
  step: Step,
  dueAt: Date,
  token: string,
  now: Date,
  reason?: 'breaker_open' | 'ramp',
): Promise<Work> {
  const { final } = LIFECYCLE[state.status];
  const work: Work = { step, dueAt, recheck: final || state.status === 'MANUAL_REVIEW_REQUIRED' };
  const decision: Decision = {
    moves: reason === 'breaker_open' && state.status === 'RECEPTION_PENDING' ? [{ trigger: 'not_delivered', detail: { reason } }] : [],
    patch: {},
    work,
  };
  await documents.advance(state, decision, token, now);
  return work;
}
