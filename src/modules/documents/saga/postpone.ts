import type { Decision, DocumentPatch, Work } from '../domain/document.js';
import { isSettled, type Step, target } from '../domain/lifecycle.js';
import type { DocumentsRepository } from '../persistence/documents.repository.js';
import type { Admission } from './sri-breaker.js';
import type { LeasedDocument } from './step.js';

/** Puts a step off without having called the SRI. A document that waits for its first sending says that it is not delivered. */
export async function postpone(
  documents: DocumentsRepository,
  { loaded: { state }, token, signature }: LeasedDocument,
  step: Step,
  dueAt: Date,
  now: Date,
  { reason, patch }: { readonly reason?: Extract<Admission, { kind: 'wait' }>['reason']; readonly patch?: DocumentPatch } = {},
): Promise<Work> {
  const work: Work = { step, dueAt, recheck: isSettled(state.status) };
  const reached = (signature?.moves ?? []).reduce((status, { trigger }) => target(status, trigger), state.status);
  const decision: Decision = {
    moves: [
      ...(signature?.moves ?? []),
      ...(reason === 'breaker_open' && reached === 'RECEPTION_PENDING' ? [{ trigger: 'not_delivered', detail: { reason } } as const] : []),
    ],
    patch: { ...signature?.patch, ...patch },
    work,
  };
  await documents.advance(state, decision, token, now, signature && { signing: signature.signing });
  return work;
}
