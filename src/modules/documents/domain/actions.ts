import { DomainError } from '../../../shared/domain-error.js';
import { classifyRefused } from '../../../sri/soap/classification.js';
import { awaitsSignature, recheck } from './decide.js';
import { type Decision, type DocumentPatch, type DocumentState, type Move, type SagaPolicy, stillToSign, type Work } from './document.js';
import { type Action, allows, LIFECYCLE } from './lifecycle.js';

/** The fields that decide which actions a document allows. */
export type ActionSubject = Pick<DocumentState, 'status' | 'errorCode' | 'sriMessages'>;

/**
 * What a person or an integrator may do with a document. Pure: the use case reads, asks and writes.
 * @throws DomainError INVALID_STATE, naming the state and what it allows
 */
export function requireAction(document: ActionSubject, action: Action): void {
  if (!allows(document.status, action)) throw notAllowed(document);
}

/** The actions that the document's state allows, but for a retry that could not help. */
export const allowedActions = (document: ActionSubject): readonly Action[] => LIFECYCLE[document.status].actions.filter((action) => action !== 'retry' || retryProblem(document) === null);

/** The refusal of an action that the state, or `reason`, does not allow. */
export const notAllowed = (document: ActionSubject, refusedAction?: Action, reason?: string): DomainError =>
  new DomainError('INVALID_STATE', {
    status: document.status,
    allowed_actions: allowedActions(document).filter((action) => action !== refusedAction),
    ...(reason !== undefined && { reason }),
  });

/** The answer to a repeated request whose draft is gone: nothing of it is kept to answer with. */
export const draftDeleted = (documentId: string): DomainError => new DomainError('NOT_FOUND', { reason: 'draft_deleted', document_id: documentId });

/**
 * Sets a stuck document going again, attempts counted anew. Wherever it may have reached the SRI, asking comes
 * before sending; a refused one is signed again, so that the next answer can be told apart from the old refusal.
 * @throws DomainError INVALID_STATE where a retry mends nothing
 */
export function decideRetry(document: DocumentState, now: Date, policy: SagaPolicy): Decision {
  requireAction(document, 'retry');
  const problem = retryProblem(document);
  const { status } = document;
  // Of those that failed for good only one that was given up has such a code.
  if (problem !== null) throw notAllowed(document, 'retry', status === 'FAILED_PERMANENT' ? 'GIVEN_UP' : problem);
  const restart = (move: Move, step: Work['step'], patch: DocumentPatch = {}): Decision => ({
    moves: [move],
    // Sendings that may have taken the number still count: all while it may be taken, by us or others; one where the same bytes may go again.
    patch: { receptionAttempts: document.suspicion === null ? Math.min(document.receptionAttempts, step === 'authorize' ? 1 : 0) : document.receptionAttempts, authorizationAttempts: 0, errorCode: null, errorDetail: null, ...patch },
    // Never sent: the later numbers of its emission point that were not either wait for it again.
    work: { step, dueAt: now, unsent: document.firstSentAt === null },
  });
  const sending: Move = { trigger: 'retry_sending' };
  if (document.errorCode === 'SRI_REJECTED' || awaitsSignature(document)) return restart(sending, 'prepare', { receivedAt: null, deadlineAt: null });
  if (status === 'AUTHORIZATION_RETRY_SCHEDULED' || status === 'AUTHORIZATION_UNKNOWN' || (LIFECYCLE[status].needsPerson && document.receivedAt !== null)) {
    return restart({ trigger: 'retry_asking' }, 'authorize', { deadlineAt: new Date(now.getTime() + policy.answerDeadlineMs) });
  }
  if (document.firstSentAt !== null) return restart(sending, 'authorize', { deadlineAt: new Date(now.getTime() + policy.answerDeadlineMs) });
  return restart(sending, document.signingNo === 0 ? 'prepare' : 'submit');
}

/** Why sending the same content again cannot help; null where it can. */
function retryProblem({ errorCode, sriMessages }: ActionSubject): string | null {
  if (errorCode === 'SEQUENTIAL_TAKEN') return 'SEQUENTIAL_TAKEN';
  if (errorCode === 'SRI_REJECTED' && classifyRefused(sriMessages).mendable === undefined) return 'CONTENT_REFUSED';
  return null;
}

/**
 * Gives a document up for good; its number stays with it and is explained by the reason. One that the SRI showed authorized with
 * other bytes (`ANSWER_MISMATCH`) stands there for all that rests on it (`came_to_nothing`), unless the SRI says now that it is annulled.
 * @throws DomainError INVALID_STATE
 */
export function decideAbandon(document: DocumentState, reason: string, now: Date, policy: SagaPolicy, { isAnnulled = false, isAtWork = false }: { readonly isAnnulled?: boolean; readonly isAtWork?: boolean } = {}): Decision {
  requireAction(document, 'abandon');
  return {
    moves: [{ trigger: 'abandoned', detail: { reason } }],
    patch: { errorDetail: { ...stillToSign(document), abandoned: reason, ...(isAnnulled && { annulled: true, annulled_at: now.toISOString() }) } },
    work: recheck(document, now, policy, isAtWork),
  };
}
