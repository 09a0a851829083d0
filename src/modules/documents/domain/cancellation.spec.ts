import type { ConsultationAnswer, ConsultedState } from '../../../sri/soap/consultation.js';
import { PLAIN_CONTENT, type DocumentContent } from '../../../sri/document-types/content.js';
import { annulmentOf, decideCancel, decideCancellationReconciled, decideConsultation, decideWithdrawal, type ConsultedAnswer } from './cancellation.js';
import type { Cancellation, Decision, DocumentState, SagaPolicy } from './document.js';

const DAY = 86_400_000;
const NOW = new Date('2026-11-21T15:00:00Z');
const POLICY: SagaPolicy = {
  receptionLadderMs: [2_000], authorizationLadderMs: [3_000], unansweredWaitMs: 60_000, answerDeadlineMs: DAY,
  maxReceptionAttempts: 60, recheckEveryMs: DAY, recheckForMs: 30 * DAY, cancellationLadderMs: [60_000, 300_000],
};
const content = (more: Partial<DocumentContent>): DocumentContent => ({
  ...PLAIN_CONTENT, documentType: '01', issueDate: '2026-11-20', subtotal: '1.00', totalDiscount: '0.00', totalTax: '0.00', total: '1.00',
  buyerIdType: '04', lines: [], taxes: [], payments: [], numericCode: '12345678', ...more,
} as DocumentContent);
const document = (cancellation: Cancellation | null): DocumentState => ({
  id: 'd', tenantId: 't', status: cancellation === null ? 'AUTHORIZED' : 'CANCELLATION_REQUESTED', version: 9, accessKey: '1'.repeat(49), signingNo: 1, contentRevision: 1, signings: [],
  suspicion: null, receptionAttempts: 1, authorizationAttempts: 1, firstSentAt: NOW, receivedAt: NOW, deadlineAt: null, dueAt: null, changedAt: NOW, errorCode: null, sriMessages: [], isResigning: false, isDateFixed: false, annulledAt: null, cancellation,
});
const consulted = (state: ConsultedState): ConsultedAnswer =>
  ({ kind: 'state', state, estado: state, messages: [] });
const SILENCE: ConsultationAnswer = { kind: 'no_evidence', reason: 'timeout', excerpt: '' };

describe('the rules of annulling', () => {
  it.each([
    // Issued in November 2026: Monday, 7 December. Issued in January 2026: 7 February is a Saturday.
    ['2026-11-20', '2026-11-21T15:00:00Z', '2026-12-07'],
    ['2026-01-15', '2026-01-20T15:00:00Z', '2026-02-09'],
    ['2025-06-15', '2025-06-20T15:00:00Z', '2025-07-10'],
    ['2026-12-31', '2026-12-31T15:00:00Z', '2027-01-07'],
  ])('issued on %s the portal annuls until %s', (issueDate, now, deadline) => {
    expect(annulmentOf(content({ issueDate }), new Date(now))).toEqual({ findings: [], deadline, needsAcceptance: false });
  });

  it('the last day is a day of Guayaquil', () => {
    const rules = (now: string): string[] => annulmentOf(content({}), new Date(now)).findings.map(({ rule }) => rule);
    expect(rules('2026-12-08T04:59:59Z')).toEqual([]);
    expect(rules('2026-12-08T05:00:00Z')).toEqual(['cancellation.deadline']);
  });

  it('an invoice to the final consumer is never annulled since 2026', () => {
    expect(annulmentOf(content({ buyerIdType: '07' }), NOW).findings).toMatchObject([{ rule: 'cancellation.final_consumer' }]);
    expect(annulmentOf(content({ buyerIdType: '07', issueDate: '2025-12-20' }), new Date('2025-12-21T15:00:00Z')).findings).toEqual([]);
  });

  it.each(['04', '05', '07'] as const)('%s needs the receiver, unless he is abroad', (documentType) => {
    expect(annulmentOf(content({ documentType }), NOW).needsAcceptance).toBe(true);
    expect(annulmentOf(content({ documentType, buyerIdType: '08' }), NOW).needsAcceptance).toBe(false);
  });

  it('a withholding of ISD has no last day', () => {
    const taxes = [{ taxCode: '6', taxRateCode: '4580', taxableBase: '1.00', rate: '0.05', taxAmount: '0.05', tariff: null }];
    expect(annulmentOf(content({ documentType: '07', issueDate: '2026-01-05', taxes }), NOW)).toMatchObject({ findings: [], deadline: null });
  });
});

describe('a requested cancellation', () => {
  const requested = (more: Partial<DocumentContent> = {}): Cancellation => decideCancel(document(null), annulmentOf(content(more), NOW), 'twice', NOW, POLICY).patch.cancellation!;

  it('is watched at once and until the receiver had his days', () => {
    const decision = decideCancel(document(null), annulmentOf(content({ documentType: '04' }), NOW), 'twice', NOW, POLICY);
    expect(decision.moves).toEqual([{ trigger: 'cancellation_requested', detail: { reason: 'twice' } }]);
    expect(decision.work).toEqual({ step: 'watch', dueAt: new Date(NOW.getTime() + 60_000), unsent: false });
    // Deadline Monday 7 December, four days that may be holidays, one for the portal, five business days for the receiver.
    expect(decision.patch.cancellation).toMatchObject({ deadline: '2026-12-07', watchUntil: '2026-12-18', needsAcceptance: true });
    expect(requested()).toMatchObject({ deadline: '2026-12-07', watchUntil: '2026-12-12', needsAcceptance: false });
  });

  it('only ANULADO cancels', () => {
    expect(decideConsultation(document(requested()), consulted('annulled'), NOW, POLICY)).toMatchObject({ moves: [{ trigger: 'annulled' }], work: null });
    for (const answer of [consulted('authorized'), consulted('pending_annulment'), consulted('unknown_state'), { kind: 'not_delivered', reason: 'refused' } as const]) {
      const decision = decideConsultation(document(requested()), answer, NOW, POLICY);
      expect(decision.moves).toEqual([]);
      expect(decision.work).toMatchObject({ step: 'watch', dueAt: new Date(NOW.getTime() + 300_000) });
    }
  });

  it('is watched no later for a question of the caller, who is told an end at once', () => {
    const asked = document({ ...requested(), asked: 3 });
    for (const [answer, pendingAtSri] of [[consulted('authorized'), false], [consulted('pending_annulment'), true], [{ kind: 'unknown', messages: [] }, false]] as const) {
      expect(decideCancellationReconciled(asked, answer, NOW, POLICY)).toEqual({ moves: [], patch: pendingAtSri ? { cancellation: { ...requested(), asked: 3, pendingAtSri } } : {}, work: null, keepWork: true });
    }
    expect(decideCancellationReconciled(asked, consulted('annulled'), NOW, POLICY)).toMatchObject({ moves: [{ trigger: 'annulled' }], work: null });
    expect(decideCancellationReconciled(asked, consulted('authorized'), new Date('2026-12-20T15:00:00Z'), POLICY).moves).toMatchObject([{ trigger: 'cancellation_lapsed' }]);
  });

  it('is watched past the weekend and the holidays of Carnival, until which the portal annuls', () => {
    const january = requested({ issueDate: '2027-01-20' });
    expect(january.deadline).toBe('2027-02-08');
    expect(decideConsultation(document(january), consulted('authorized'), new Date('2027-02-10T13:00:00Z'), POLICY).moves).toEqual([]);
    expect(decideConsultation(document(january), consulted('annulled'), new Date('2027-02-11T13:00:00Z'), POLICY).moves).toEqual([{ trigger: 'annulled' }]);
  });

  it('lapses when its days are over and the SRI was heard, and not while the receiver is asked or the SRI is silent', () => {
    const late = new Date('2026-12-20T15:00:00Z');
    const lapse = (answer: ConsultationAnswer): unknown => decideConsultation(document(requested()), answer, late, POLICY).moves;
    expect(lapse(consulted('authorized'))).toEqual([{ trigger: 'cancellation_lapsed', detail: { reason: 'not_annulled_in_time' } }]);
    expect(lapse({ kind: 'unknown', messages: [] })).toEqual([{ trigger: 'cancellation_lapsed', detail: { reason: 'sri_no_longer_tells' } }]);
    expect(lapse(consulted('pending_annulment'))).toEqual([]);
    expect(lapse(SILENCE)).toEqual([]);
  });

  it('lapses when the SRI was asked for a month after its days and has told nothing of it', () => {
    const asked = (cancellation: Cancellation, at: string, answer: ConsultationAnswer = SILENCE): Decision => decideConsultation(document(cancellation), answer, new Date(at), POLICY);
    const after = (decision: Decision): Cancellation => decision.patch.cancellation!;
    expect(requested().watchUntil).toBe('2026-12-12');
    // Nobody asked for two months: one question without an answer says nothing.
    const silent = after(asked(requested(), '2027-01-20T15:00:00Z'));
    expect(silent.silentSince).toBe('2027-01-20T15:00:00.000Z');
    expect(asked(silent, '2027-02-19T15:00:00Z').moves).toEqual([]);
    expect(after(asked(silent, '2027-02-19T15:00:00Z')).silentSince).toBe(silent.silentSince);
    expect(asked(silent, '2027-02-20T15:00:00Z').moves).toEqual([{ trigger: 'cancellation_lapsed', detail: { reason: 'sri_silent' } }]);
    expect(after(asked(silent, '2027-02-20T15:00:00Z', consulted('pending_annulment')))).not.toHaveProperty('silentSince');
  });

  it('is silent no more once a caller was told', () => {
    const silent = { ...requested(), pendingAtSri: true, silentSince: '2026-12-20T15:00:00.000Z' };
    const told = (answer: ConsultedAnswer): Decision => decideCancellationReconciled(document(silent), answer, new Date('2027-01-18T15:00:00Z'), POLICY);
    const { silentSince: _silentSince, ...heard } = silent;
    expect(told(consulted('pending_annulment'))).toEqual({ moves: [], patch: { cancellation: heard }, work: null, keepWork: true });
    expect(withdraw(consulted('pending_annulment'), silent, new Date('2027-01-18T15:00:00Z'))).toEqual(told(consulted('pending_annulment')));
  });

  it('lapses when its days are over and the SRI no longer tells, although the receiver was asked when it last told', () => {
    const asked = { ...requested(), pendingAtSri: true };
    const unknown: ConsultationAnswer = { kind: 'unknown', messages: [] };
    expect(decideConsultation(document(asked), unknown, new Date('2026-12-20T15:00:00Z'), POLICY)).toMatchObject({
      moves: [{ trigger: 'cancellation_lapsed', detail: { reason: 'sri_no_longer_tells' } }], patch: { cancellation: null }, work: null,
    });
    expect(decideConsultation(document(asked), unknown, NOW, POLICY)).toMatchObject({ moves: [], patch: { cancellation: { pendingAtSri: true } } });
  });

  const unknown = { kind: 'unknown', messages: [] } as const;
  const withdraw = (answer: ConsultedAnswer, cancellation: Cancellation | null = requested(), now = NOW): Decision => decideWithdrawal(document(cancellation), answer, now, POLICY);

  it.each([['still authorized', consulted('authorized')], ['refused by the receiver', consulted('refused')], ['of no known state', consulted('unknown_state')], ['nothing told', unknown]])(
    'is taken back where the SRI says: %s', (_name, answer) => {
      expect(withdraw(answer)).toMatchObject({ moves: [{ trigger: 'cancellation_withdrawn' }], patch: { cancellation: null }, work: null });
    });

  it('cannot be taken back once it is done: the document is cancelled', () => {
    expect(withdraw(consulted('annulled'))).toMatchObject({ moves: [{ trigger: 'annulled' }], work: null });
    expect(() => withdraw(consulted('annulled'), null)).toThrow();
  });

  it('is not taken back while the receiver is asked, as the SRI says now or, where it says nothing, last said', () => {
    const asked = { ...requested(), pendingAtSri: true };
    expect(withdraw(consulted('pending_annulment'))).toMatchObject({ moves: [], patch: { cancellation: { pendingAtSri: true } }, keepWork: true });
    expect(withdraw(unknown, asked)).toMatchObject({ moves: [], patch: {}, keepWork: true });
    expect(withdraw(consulted('authorized'), asked).moves).toEqual([{ trigger: 'cancellation_withdrawn' }]);
    expect(withdraw(unknown, asked, new Date('2026-12-20T15:00:00Z')).moves).toEqual([{ trigger: 'cancellation_withdrawn' }]);
  });

  it('ends also where no rule sets a day: after three months', () => {
    const open = decideCancel(document(null), { ...annulmentOf(content({ documentType: '07' }), NOW), deadline: null }, 'twice', NOW, POLICY).patch.cancellation!;
    const months = (count: number): Date => new Date(NOW.getTime() + count * 31 * 86_400_000);
    const asked = { ...open, pendingAtSri: true };
    expect(decideConsultation(document(open), unknown, months(2), POLICY).moves).toEqual([]);
    expect(decideConsultation(document(open), unknown, months(4), POLICY).moves).toEqual([{ trigger: 'cancellation_lapsed', detail: { reason: 'sri_no_longer_tells' } }]);
    expect(withdraw(unknown, asked, months(2)).moves).toEqual([]);
    expect(withdraw(unknown, asked, months(4)).moves).toEqual([{ trigger: 'cancellation_withdrawn' }]);
  });
});
