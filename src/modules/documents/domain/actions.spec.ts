import { DomainError } from '../../../shared/domain-error.js';
import { decideAbandon, decideRetry } from './actions.js';
import type { Decision, DocumentState, SagaPolicy } from './document.js';
import { allows, DOCUMENT_STATUSES, type DocumentStatus, LIFECYCLE, target } from './lifecycle.js';

const NOW = new Date('2026-11-21T15:00:00Z');
const DAY = 86_400_000;
const POLICY: SagaPolicy = {
  receptionLadderMs: [2_000], authorizationLadderMs: [3_000], unansweredWaitMs: 60_000, answerDeadlineMs: DAY,
  maxReceptionAttempts: 60, recheckEveryMs: DAY, recheckForMs: 30 * DAY, cancellationLadderMs: [60_000],
};

const document = (status: DocumentStatus, more: Partial<DocumentState> = {}): DocumentState => ({
  id: 'd', tenantId: 't', status, version: 5, accessKey: '1'.repeat(49), signingNo: 1, contentRevision: 1, signings: [], suspicion: null,
  receptionAttempts: 7, authorizationAttempts: 9, firstSentAt: NOW, receivedAt: null, deadlineAt: null, dueAt: null, changedAt: NOW,
  errorCode: null, sriMessages: [], isResigning: false, isDateFixed: false, annulledAt: null, cancellation: null, ...more,
});
const refusedBy = (code: string): Partial<DocumentState> => ({
  errorCode: 'SRI_REJECTED', sriMessages: [{ identifier: code, message: 'text', additionalInfo: null, messageType: 'ERROR' }],
});
const end = (from: DocumentStatus, { moves }: Decision): DocumentStatus => moves.reduce<DocumentStatus>((status, { trigger }) => target(status, trigger), from);
const retried = (status: DocumentStatus, more: Partial<DocumentState> = {}): [DocumentStatus, string | undefined] => {
  const decision = decideRetry(document(status, more), NOW, POLICY);
  expect(decision.patch).toMatchObject({ receptionAttempts: decision.work?.step === 'authorize' ? 1 : 0, authorizationAttempts: 0, errorCode: null });
  expect(decision.work?.dueAt).toEqual(NOW);
  return [end(status, decision), decision.work?.step];
};
const refusal = (action: () => unknown): unknown => {
  try {
    action();
  } catch (error) {
    if (error instanceof DomainError) return { code: error.code, ...(error.detail as object) };
    throw error;
  }
  return 'allowed';
};

describe('retry', () => {
  it.each([
    ['waits to be sent for the first time', 'RECEPTION_RETRY_SCHEDULED', { firstSentAt: null }, 'RECEPTION_RETRY_SCHEDULED', 'submit'],
    ['was sent before: asks first', 'RECEPTION_RETRY_SCHEDULED', {}, 'RECEPTION_RETRY_SCHEDULED', 'authorize'],
    ['may have arrived: asks first', 'RECEPTION_UNKNOWN', {}, 'RECEPTION_RETRY_SCHEDULED', 'authorize'],
    ['is held by the SRI: only asks', 'AUTHORIZATION_RETRY_SCHEDULED', { receivedAt: NOW }, 'AUTHORIZATION_RETRY_SCHEDULED', 'authorize'],
    ['is overdue: only asks', 'AUTHORIZATION_UNKNOWN', { receivedAt: NOW }, 'AUTHORIZATION_RETRY_SCHEDULED', 'authorize'],
    ['was overdue and waits for a person: only asks', 'MANUAL_REVIEW_REQUIRED', { receivedAt: NOW, errorCode: 'ANSWER_OVERDUE' }, 'AUTHORIZATION_RETRY_SCHEDULED', 'authorize'],
    ['lost its workers before it was signed: signs', 'MANUAL_REVIEW_REQUIRED', { firstSentAt: null, signingNo: 0 }, 'RECEPTION_RETRY_SCHEDULED', 'prepare'],
    ['could not be signed: signs', 'FAILED_PERMANENT', { firstSentAt: null, signingNo: 0, errorCode: 'SIGNING_FAILED' }, 'RECEPTION_RETRY_SCHEDULED', 'prepare'],
    ['was refused for its signature: signs anew', 'REJECTED', refusedBy('39'), 'RECEPTION_RETRY_SCHEDULED', 'prepare'],
    ['waits for its new signature: still signs', 'RECEPTION_RETRY_SCHEDULED', { isResigning: true }, 'RECEPTION_RETRY_SCHEDULED', 'prepare'],
    ['was corrected, and could not be signed since: signs', 'FAILED_PERMANENT', { isResigning: true, errorCode: 'SIGNING_FAILED' }, 'RECEPTION_RETRY_SCHEDULED', 'prepare'],
    ['was to be signed anew, and lost its workers: signs', 'MANUAL_REVIEW_REQUIRED', { isResigning: true, errorCode: 'ATTEMPTS_EXHAUSTED' }, 'RECEPTION_RETRY_SCHEDULED', 'prepare'],
    ['was corrected, and lost its workers: signs', 'MANUAL_REVIEW_REQUIRED', { isResigning: true, errorCode: 'ATTEMPTS_EXHAUSTED' }, 'RECEPTION_RETRY_SCHEDULED', 'prepare'],
    ['was refused for a blocked taxpayer: signs anew', 'REJECTED', refusedBy('57'), 'RECEPTION_RETRY_SCHEDULED', 'prepare'],
  ] as const)('a document that %s', (_, status, more, state, step) => {
    expect(retried(status, more)).toEqual([state, step]);
  });

  it('leads somewhere from every state that lists it, whatever was signed', () => {
    for (const status of DOCUMENT_STATUSES) {
      if (!allows(status, 'retry')) continue;
      for (const isResigning of [false, true]) {
        const [state, step] = retried(status, { isResigning, ...(status === 'REJECTED' && refusedBy('39')) });
        expect([status, isResigning, state, step === 'prepare']).toEqual([
          status, isResigning, status.startsWith('AUTHORIZATION') ? 'AUTHORIZATION_RETRY_SCHEDULED' : 'RECEPTION_RETRY_SCHEDULED',
          status === 'REJECTED' || (isResigning && !status.startsWith('AUTHORIZATION') && status !== 'RECEPTION_UNKNOWN'),
        ]);
      }
    }
  });

  it('has as long for an answer as any other', () => {
    const { patch } = decideRetry(document('RECEPTION_UNKNOWN', { deadlineAt: new Date(0) }), NOW, POLICY);
    expect(patch.deadlineAt).toEqual(new Date(NOW.getTime() + POLICY.answerDeadlineMs));
  });

  it('counts anew, but for one sending that may have taken the number, and for all of them while it may be taken', () => {
    const attempts = (suspicion: DocumentState['suspicion'], receptionAttempts = 2): unknown =>
      decideRetry(document('RECEPTION_UNKNOWN', { receptionAttempts, suspicion }), NOW, POLICY).patch.receptionAttempts;
    expect([attempts('SEQUENTIAL_TAKEN'), attempts(null), attempts(null, 60), attempts(null, 0)]).toEqual([2, 1, 1, 0]);
  });

  it.each([
    ['REJECTED', refusedBy('52'), 'CONTENT_REFUSED'],
    ['REJECTED', refusedBy('65'), 'CONTENT_REFUSED'],
    ['FAILED_PERMANENT', refusedBy('52'), 'GIVEN_UP'],
    ['FAILED_PERMANENT', { errorCode: 'SEQUENTIAL_TAKEN' }, 'GIVEN_UP'],
    ['MANUAL_REVIEW_REQUIRED', { errorCode: 'SEQUENTIAL_TAKEN' }, 'SEQUENTIAL_TAKEN'],
  ] as const)('mends nothing from %s %o', (status, more, reason) => {
    expect(refusal(() => decideRetry(document(status, more), NOW, POLICY))).toEqual({
      code: 'INVALID_STATE', status, reason, allowed_actions: LIFECYCLE[status].actions.filter((action) => action !== 'retry'),
    });
  });

  it('is refused in every state that does not list it, naming what is allowed', () => {
    for (const status of DOCUMENT_STATUSES) {
      if (allows(status, 'retry')) continue;
      expect(refusal(() => decideRetry(document(status), NOW, POLICY))).toEqual({ code: 'INVALID_STATE', status, allowed_actions: LIFECYCLE[status].actions });
    }
  });
});

describe('abandon', () => {
  it.each(['REJECTED', 'MANUAL_REVIEW_REQUIRED'] as const)('gives a %s document up, keeps the reason and goes on comparing it with the SRI', (status) => {
    const decision = decideAbandon(document(status), 'duplicate of 001-001-000000004', NOW, POLICY);
    expect(end(status, decision)).toBe('FAILED_PERMANENT');
    expect(decision.moves[0]).toMatchObject({ detail: { reason: 'duplicate of 001-001-000000004' } });
    expect(decision.work).toMatchObject({ step: 'authorize', recheck: true });
  });

  it('does not forget that the document was to be signed anew', () => {
    const detail = (isResigning: boolean): unknown => decideAbandon(document('MANUAL_REVIEW_REQUIRED', { isResigning }), 'x', NOW, POLICY).patch.errorDetail;
    expect([detail(true), detail(false)]).toEqual([{ signs_anew: true, abandoned: 'x' }, { abandoned: 'x' }]);
  });

  it('is refused in every other state', () => {
    for (const status of DOCUMENT_STATUSES) {
      if (!allows(status, 'abandon')) expect(refusal(() => decideAbandon(document(status), 'x', NOW, POLICY))).toMatchObject({ code: 'INVALID_STATE', status });
    }
  });
});
