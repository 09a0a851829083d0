import { DomainError } from '../../../shared/domain-error.js';

/** What an earlier request with the same idempotency key asked for and was answered. */
export interface Replay {
  readonly operation: string;
  readonly fingerprint: string;
  readonly response: Record<string, unknown>;
}

/** The refusal of a key that was used for something else; it names what that was, so that nobody issues the same sale twice. */
export const duplicateKey = (documentId: unknown, reason?: 'draft_made' | 'already_issued'): DomainError =>
  new DomainError('DUPLICATE_IDEMPOTENCY_KEY', { ...(reason !== undefined && { reason }), document_id: documentId });

/** What was done under a key with the same content, by the operation of then and that of now. Nothing of credit notes, whose content does not tell their invoice. */
const DONE_BEFORE: Readonly<Record<string, 'draft_made' | 'already_issued'>> = { 'draft issue': 'draft_made', 'issue draft': 'already_issued' };

/** @throws DomainError unless the request repeats the first one under its key: the same operation with the same content */
export function requireSameRequest(first: Replay, operation: string, fingerprint: string): void {
  const sameContent = first.fingerprint === fingerprint;
  if (sameContent && first.operation === operation) return;
  throw duplicateKey(first.response['document_id'], sameContent ? DONE_BEFORE[`${first.operation} ${operation}`] : undefined);
}
