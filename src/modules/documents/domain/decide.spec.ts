import { documentDigest } from '../../../sri/document-digest.js';
import type { AuthorizationAnswer, AuthorizationEntry } from '../../../sri/soap/authorization.js';
import type { SriMessage } from '../../../sri/soap/message.js';
import type { Answers } from './authorization-finding.js';
import { decide, decideReconciliation, type Evidence } from './decide.js';
import type { Decision, DocumentState, SagaPolicy, Signing } from './document.js';
import { type DocumentStatus, target } from './lifecycle.js';

const KEY = '1509202601179001234500110010020000001011234567812';
const OURS = '<factura>ours</factura>';
const FIRST = '<factura>first signing</factura>';
const NOW = new Date('2026-11-21T15:00:00Z');
const POLICY: SagaPolicy = { receptionLadderMs: [2_000, 5_000], authorizationLadderMs: [3_000, 7_000], unansweredWaitMs: 60_000, answerDeadlineMs: 86_400_000,
  maxReceptionAttempts: 60, recheckEveryMs: 86_400_000, recheckForMs: 30 * 86_400_000, cancellationLadderMs: [60_000],
};

const signing = (signingNo: number, xml: string): Signing => ({ signingNo, digest: documentDigest(xml), signedAt: NOW, accessKey: KEY, contentRevision: 1 });
const document = (status: DocumentStatus, more: Partial<DocumentState> = {}): DocumentState => ({
  id: 'd', tenantId: 't', status, version: 5, accessKey: KEY, signingNo: 2,
  contentRevision: 1, signings: [signing(1, FIRST), signing(2, OURS)],
  suspicion: null, receptionAttempts: 1, authorizationAttempts: 0, firstSentAt: NOW, receivedAt: null, deadlineAt: null, dueAt: null, changedAt: NOW,
  errorCode: null, sriMessages: [], isResigning: false, isDateFixed: false, annulledAt: null, cancellation: null, ...more,
});

const message = (identifier: string | null, messageType = 'ERROR'): SriMessage => ({ identifier, message: 'text', additionalInfo: null, messageType });
const entry = (estado: string, more: Partial<AuthorizationEntry> = {}): AuthorizationEntry => ({
  estado, numeroAutorizacion: null, fechaAutorizacion: '2026-11-21T10:00:00-05:00', ambiente: 'PRUEBAS', comprobante: OURS, messages: [], ...more,
});
const returned = (...codes: string[]): Evidence => ({ kind: 'reception', answer: { kind: 'returned', messages: codes.map((code) => message(code)) } });
const answered = (...entries: AuthorizationEntry[]): Evidence => ({
  kind: 'authorization', answer: { kind: 'entries', entries } as never,
});
const answersOf = (evidence: Evidence): Answers => evidence as Extract<Evidence, { kind: 'authorization' }>;
/** As of an entry with another number: an answer for our key that proves nothing. */
const proofless = { kind: 'authorization', answer: { kind: 'no_evidence', reason: 'an entry carries another authorization number', excerpt: '', isHeard: true } } as const satisfies Evidence;
const silence = { kind: 'authorization', answer: { kind: 'no_evidence', reason: 'timeout', excerpt: null } } as unknown as Evidence;

/** Where the decision leads, following the lifecycle table. */
function end(from: DocumentStatus, { moves }: Decision): DocumentStatus {
  return moves.reduce<DocumentStatus>((status, { trigger }) => target(status, trigger), from);
}
const after = (decision: Decision): number | null =>
  decision.work && decision.work.dueAt !== 'never' ? decision.work.dueAt.getTime() - NOW.getTime() : null;
const reception = (evidence: Evidence): [DocumentStatus, string | null] => {
  const decision = decide(document('SUBMITTED_TO_SRI'), evidence, NOW, POLICY);
  return [end('SUBMITTED_TO_SRI', decision), decision.work?.step ?? null];
};
const ask = (from: DocumentStatus, evidence: Evidence, more: Partial<DocumentState> = {}): Decision => decide(document(from, more), evidence, NOW, POLICY);

describe('a document that was corrected', () => {
  const FORMER_KEY = KEY.replace('15', '14');
  const first = { ...signing(1, FIRST), contentRevision: 1 };
  const second = { ...signing(2, OURS), contentRevision: 2 };
  const corrected = (former: Signing): Partial<DocumentState> => ({ contentRevision: 2, signings: [former, second] });
  // Asked often enough, as after several sendings.
  const redated = { ...corrected({ ...first, accessKey: FORMER_KEY }), suspicion: 'SEQUENTIAL_TAKEN', authorizationAttempts: 4 } as const;
  const authorizedWith = (comprobante: string, former: Signing): Decision => ask('AUTHORIZATION_PENDING', answered(entry('AUTORIZADO', { comprobante })), corrected(former));
  const asked = (now: AuthorizationAnswer, before: AuthorizationAnswer): Evidence => ({ kind: 'authorization', answer: now, former: [before] });
  const entriesOf = (...entries: AuthorizationEntry[]): AuthorizationAnswer => answersOf(answered(...entries)).answer;
  const former = entry('AUTORIZADO', { comprobante: FIRST, numeroAutorizacion: FORMER_KEY });

  it('is refused by an answer that shows no bytes where only its last signing had the key, and not by one of a former key', () => {
    const bare = entry('NO AUTORIZADO', { comprobante: null, messages: [message('52')] });
    const now = { ...redated, suspicion: null };
    expect(ask('AUTHORIZATION_PENDING', answered(bare), now).moves).toMatchObject([{ trigger: 'refused' }]);
    expect(ask('AUTHORIZATION_PENDING', asked(entriesOf(), entriesOf(bare)), now).moves).toMatchObject([{ trigger: 'undecided' }]);
    expect(ask('AUTHORIZATION_PENDING', answered(bare), corrected(first)).moves).toMatchObject([{ trigger: 'undecided' }]);
  });

  it('is authorized under a former key, though the answer for the present one proves nothing', () => {
    const decision = ask('AUTHORIZATION_RETRY_SCHEDULED', asked(proofless.answer, entriesOf(former)), redated);
    expect([end('AUTHORIZATION_RETRY_SCHEDULED', decision), decision.patch.authorizationNumber]).toEqual(['AUTHORIZED', FORMER_KEY]);
  });

  it('is authorized with its former content too, says so, and is that content again', () => {
    expect(authorizedWith(FIRST, first)).toMatchObject({
      moves: [{ trigger: 'authorized', detail: { reason: 'former_content' } }], patch: { authorizationNumber: KEY, signingNo: 1 }, restore: { contentRevision: 1, accessKey: KEY },
    });
    for (const decision of [authorizedWith(OURS, first), authorizedWith(FIRST, { ...first, contentRevision: null })]) {
      expect(decision.moves).toEqual([{ trigger: 'authorized' }]);
      expect(decision.restore).toBeUndefined();
    }
  });

  it('is authorized under the access key of before it was re-dated', () => {
    expect(ask('RECEPTION_UNKNOWN', asked(entriesOf(), entriesOf(former)), redated)).toMatchObject({
      moves: [{ trigger: 'authorized', detail: { reason: 'former_content' } }], patch: { authorizationNumber: FORMER_KEY, signingNo: 1 }, restore: { contentRevision: 1, accessKey: FORMER_KEY },
    });
    expect(ask('MANUAL_REVIEW_REQUIRED', asked(entriesOf(), entriesOf(former)), redated).patch.authorizationNumber).toBe(FORMER_KEY);
  });

  it('is not authorized by bytes of one key that are said to be under another', () => {
    expect(ask('AUTHORIZATION_PENDING', asked(entriesOf(), entriesOf({ ...former, numeroAutorizacion: KEY })), redated)).toMatchObject({ moves: [{ trigger: 'mismatch' }] });
  });

  it('has its number taken by another only once nothing is found under any key', () => {
    const taken = (before: AuthorizationAnswer): readonly unknown[] => ask('RECEPTION_UNKNOWN', asked(entriesOf(), before), redated).moves;
    expect(taken(entriesOf())).toMatchObject([{ trigger: 'sequential_taken' }]);
    expect(taken(entriesOf(entry('NO AUTORIZADO', { comprobante: FIRST })))).toMatchObject([{ trigger: 'sequential_taken' }]);
    expect(taken({ kind: 'no_evidence', reason: 'timeout', excerpt: '' })).toEqual([]);
    expect(taken(entriesOf(entry('EN REVISION', { comprobante: null })))).toEqual([]);
    expect(taken(entriesOf(entry('EN PROCESO', { comprobante: null })))).toEqual([]);
  });

  it('is asked for several times before its number counts as taken: what was sent before the correction may still be on its way', () => {
    const once = (more: Partial<DocumentState>): readonly unknown[] => ask('RECEPTION_UNKNOWN', answered(), { suspicion: 'SEQUENTIAL_TAKEN', receptionAttempts: 1, authorizationAttempts: 0, ...more }).moves;
    expect(once(corrected(first))).toEqual([]);
    expect(once({ signings: [second] })).toMatchObject([{ trigger: 'sequential_taken' }]);
  });

  it('is not refused while an answer under a former key says that it is authorized, and does not show it', () => {
    const unshown = { ...former, comprobante: null };
    const triggers = (from: DocumentStatus, now: AuthorizationAnswer): unknown => ask(from, asked(now, entriesOf(unshown)), redated).moves.map(({ trigger }) => trigger).filter((trigger) => trigger !== 'undecided');
    for (const now of [entriesOf(entry('NO AUTORIZADO')), entriesOf()]) {
      for (const from of ['AUTHORIZATION_PENDING', 'RECEPTION_UNKNOWN', 'RECEPTION_RETRY_SCHEDULED'] as const) expect(triggers(from, now)).toEqual([]);
      expect(triggers('MANUAL_REVIEW_REQUIRED', now)).toEqual(['mismatch']);
    }
    // Nobody waits for what the present key may still say.
    const heard = { kind: 'no_evidence', reason: 'other number', excerpt: '', isHeard: true } as const;
    for (const now of [heard, entriesOf(entry('EN PROCESO', { comprobante: null })), entriesOf(entry('EN REVISION', { comprobante: null }))]) {
      expect([triggers('MANUAL_REVIEW_REQUIRED', now), triggers('AUTHORIZATION_PENDING', now)]).toEqual([['mismatch'], []]);
    }
  });

  it('comes to a person where a former key shows another document, also if the current one was refused', () => {
    const another = { ...former, comprobante: '<factura>theirs</factura>' };
    for (const now of [entriesOf(entry('NO AUTORIZADO')), entriesOf()]) expect(ask('AUTHORIZATION_PENDING', asked(now, entriesOf(another)), redated).moves).toEqual([{ trigger: 'mismatch' }]);
  });

  it('names the former key under which another document is shown, or one that is not shown', () => {
    const shown = (comprobante: string | null, answer = entriesOf()): unknown => ask('REJECTED', asked(answer, entriesOf({ ...former, comprobante })), redated).patch.errorDetail;
    expect(shown('<factura>theirs</factura>')).toMatchObject({ former_access_key: FORMER_KEY });
    expect(shown(null)).toMatchObject({ reason: 'authorized_without_document', former_access_key: FORMER_KEY });
    expect(shown('<factura>theirs</factura>', entriesOf(entry('AUTORIZADO', { comprobante: '<factura>theirs</factura>' })))).not.toHaveProperty('former_access_key');
  });

  it('is not sent again while the SRI is at work on its former version', () => {
    expect(ask('RECEPTION_UNKNOWN', asked(entriesOf(), entriesOf(entry('EN PROCESO', { comprobante: null }))), { ...redated, suspicion: null })).toMatchObject({ moves: [], work: { step: 'authorize' } });
    expect(ask('RECEPTION_UNKNOWN', asked(entriesOf(), entriesOf()), { ...redated, suspicion: null })).toMatchObject({ moves: [{ trigger: 'not_found' }], work: { step: 'submit' } });
  });

  it('is compared with the SRI for as long as any other, from when it was signed again', () => {
    const day = 86_400_000;
    const before = new Date(NOW.getTime() - 40 * day);
    const looked = (signedAgain: number): unknown => ask('REJECTED', answered(), { firstSentAt: before, signings: [{ ...first, signedAt: before }, { ...second, signedAt: new Date(NOW.getTime() - signedAgain * day) }] }).work;
    expect(looked(10)).toMatchObject({ step: 'authorize', recheck: true });
    expect(looked(31)).toBeNull();
  });
});

describe('Retry-After', () => {
  const asking = (kind: 'reception' | 'authorization', retryAfterSeconds: number): Evidence =>
    ({ kind, answer: { kind: 'no_evidence', reason: 'HTTP 503', excerpt: '', retryAfterSeconds } });

  it.each([
    ['what is asked for', 45, 45_000],
    ['no less than the ladder says', 1, null],
    ['no more than the longest wait', 3_600, 900_000],
  ])('is heeded: %s', (_name, seconds, expected) => {
    expect(after(ask('SUBMITTED_TO_SRI', asking('reception', seconds)))).toBe(expected ?? 3_000);
    expect(after(ask('AUTHORIZATION_RETRY_SCHEDULED', asking('authorization', seconds)))).toBe(expected ?? 7_000);
    expect(after(ask('RECEPTION_UNKNOWN', asking('authorization', seconds)))).toBe(expected ?? 7_000);
  });

  it('moves nothing that is decided', () => {
    expect(after(ask('REJECTED', asking('authorization', 45)))).toBe(86_400_000);
  });
});

describe('an answer of reception', () => {
  it('RECIBIDA: from now on the SRI is only asked, with a deadline', () => {
    const decision = decide(document('SUBMITTED_TO_SRI'), { kind: 'reception', answer: { kind: 'received', messages: [] } }, NOW, POLICY);
    expect(end('SUBMITTED_TO_SRI', decision)).toBe('AUTHORIZATION_PENDING');
    expect(decision.work).toMatchObject({ step: 'authorize', unsent: false });
    expect(after(decision)).toBe(3_000);
    expect(decision.patch.deadlineAt).toEqual(new Date('2026-11-22T15:00:00Z'));
  });

  it.each(['43', '70'])('%s is our own success or its shadow: never sent again, never refused', (code) => {
    expect(reception(returned(code))).toEqual(['AUTHORIZATION_PENDING', 'authorize']);
  });

  it('45 is settled by asking for our own key before anything else', () => {
    const decision = decide(document('SUBMITTED_TO_SRI'), returned('45'), NOW, POLICY);
    expect(end('SUBMITTED_TO_SRI', decision)).toBe('RECEPTION_UNKNOWN');
    expect(decision.patch.suspicion).toBe('SEQUENTIAL_TAKEN');
    expect(decision.work?.step).toBe('authorize');
  });

  it('50 means the same bytes again, later', () => expect(reception(returned('50'))).toEqual(['RECEPTION_RETRY_SCHEDULED', 'submit']));

  it.each(['26', '35', '36', '39', '47', '48', '49', '52', '65', '67', '69', '82', '92', '2', '27', '37', '57', '9999'])('%s refuses', (code) => {
    const decision = decide(document('SUBMITTED_TO_SRI'), returned(code), NOW, POLICY);
    expect(end('SUBMITTED_TO_SRI', decision)).toBe('REJECTED');
    expect(decision.patch).toMatchObject({ errorCode: 'SRI_REJECTED', sriMessages: [{ identifier: code }] });
    expect(decision.work).toMatchObject({ step: 'authorize', recheck: true });
    expect(decision.moves).toEqual([{ trigger: 'refused', detail: { service: 'reception' } }]);
  });

  it.each([
    [['52'], { suggested_action: 'correct' }],
    [['39', '52'], { suggested_action: 'correct' }],
    [['9999'], { suggested_action: 'correct' }],
    [['35'], { suggested_action: 'contact_support' }],
    [['39'], { suggested_action: 'retry' }],
    [['40'], { suggested_action: 'retry' }],
    [['42'], { suggested_action: 'retry' }],
    [['37'], { suggested_action: 'resume_pause_then_retry', scope: 'issuer', sri_code: '37' }],
    [['10'], { suggested_action: 'resume_pause_then_retry', scope: 'establishment', sri_code: '10' }],
    [['34'], { suggested_action: 'resume_pause_then_retry', scope: 'document_type', sri_code: '34' }],
  ])('%s says what helps', (codes, remedy) => {
    expect(decide(document('SUBMITTED_TO_SRI'), returned(...codes), NOW, POLICY).patch.errorDetail).toEqual(remedy);
    const notAuthorized = answered(entry('NO AUTORIZADO', { messages: codes.map((code) => message(code)) }));
    expect(ask('AUTHORIZATION_PENDING', notAuthorized).patch.errorDetail).toEqual(remedy);
  });

  it('surely not delivered: again on the ladder, still first in line', () => {
    const decision = decide(document('SUBMITTED_TO_SRI', { receptionAttempts: 2 }), { kind: 'reception', answer: { kind: 'not_delivered', reason: 'refused' } }, NOW, POLICY);
    expect(end('SUBMITTED_TO_SRI', decision)).toBe('RECEPTION_RETRY_SCHEDULED');
    expect(after(decision)).toBe(5_000);
    expect(decision.work?.unsent).toBe(true);
  });

  it.each<[string, Evidence]>([
    ['no usable answer', { kind: 'reception', answer: { kind: 'no_evidence', reason: 'timeout', excerpt: null } } as unknown as Evidence],
    ['a vanished worker', { kind: 'worker_lost' }],
  ])('%s: the SRI is asked before anything is sent again, and soon, however often it was asked before', (_name, evidence) => {
    expect(reception(evidence)).toEqual(['RECEPTION_UNKNOWN', 'authorize']);
    expect(decide(document('SUBMITTED_TO_SRI', { authorizationAttempts: 40 }), evidence, NOW, POLICY).patch.authorizationAttempts).toBe(0);
  });
});

/** PostgreSQL stores neither the first nor the third as they are written here. */
const ODD_DATES = ['9999-12-31T23:59:59-05:00', '9999-12-31T23:59:59', '0000-01-01T00:00:00-05:00', '0001-01-01T00:00:00-05:00', '1999-12-31T18:59:59-05:00', '2099-12-31T19:00:00-05:00'];

describe('an answer of authorization', () => {
  it('AUTORIZADO for our bytes wins over every other entry, wherever it stands', () => {
    for (const from of ['AUTHORIZATION_PENDING', 'AUTHORIZATION_RETRY_SCHEDULED', 'RECEPTION_UNKNOWN', 'AUTHORIZATION_UNKNOWN'] as const) {
      const decision = ask(from, answered(entry('NO AUTORIZADO'), entry('AUTORIZADO', { numeroAutorizacion: KEY }), entry('EN PROCESO')));
      expect(end(from, decision)).toBe('AUTHORIZED');
      expect(decision.patch).toMatchObject({ authorizationNumber: KEY, authorizationDate: '2026-11-21T15:00:00.000Z', errorCode: null });
      expect(decision.work).toBeNull();
    }
  });

  it('AUTORIZADO is received, too, where the answer of reception was lost', () => {
    const authorized = answered(entry('AUTORIZADO'));
    expect(ask('RECEPTION_UNKNOWN', authorized).patch.receivedAt).toEqual(NOW);
    expect(ask('AUTHORIZATION_PENDING', authorized, { receivedAt: new Date(0) }).patch).not.toHaveProperty('receivedAt');
  });

  it('an earlier signing of ours counts too, with declaration or without', () => {
    const decision = ask('AUTHORIZATION_PENDING', answered(entry('AUTORIZADO', { comprobante: `<?xml version="1.0" encoding="UTF-8"?>\n${FIRST}\n` })));
    expect(end('AUTHORIZATION_PENDING', decision)).toBe('AUTHORIZED');
  });

  it.each([
    ['another document', { comprobante: '<factura>theirs</factura>' }],
    ['another number', { numeroAutorizacion: '1'.repeat(49) }],
    ['no document and another number', { comprobante: null, numeroAutorizacion: '1'.repeat(49) }],
  ])('AUTORIZADO with %s is for a person to look at, never authorized', (_name, more) => {
    const decision = ask('AUTHORIZATION_PENDING', answered(entry('AUTORIZADO', more)));
    expect(end('AUTHORIZATION_PENDING', decision)).toBe('MANUAL_REVIEW_REQUIRED');
    expect(decision.patch.errorCode).toBe('ANSWER_MISMATCH');
  });

  it.each([null, KEY])('AUTORIZADO that does not show the document is asked about again, whatever else is listed (number %p)', (numeroAutorizacion) => {
    const unshown = entry('AUTORIZADO', { comprobante: null, numeroAutorizacion });
    for (const answer of [answered(unshown), answered(entry('NO AUTORIZADO'), unshown)]) {
      expect(end('AUTHORIZATION_PENDING', ask('AUTHORIZATION_PENDING', answer))).toBe('AUTHORIZATION_RETRY_SCHEDULED');
      expect(ask('RECEPTION_UNKNOWN', answer)).toMatchObject({ moves: [], work: { step: 'authorize' } });
      const late = ask('AUTHORIZATION_RETRY_SCHEDULED', answer, { deadlineAt: NOW });
      expect(end('AUTHORIZATION_RETRY_SCHEDULED', late)).toBe('MANUAL_REVIEW_REQUIRED');
      expect(late.patch).toMatchObject({ errorCode: 'ANSWER_MISMATCH', errorDetail: { reason: 'authorized_without_document' } });
    }
  });

  it('a document at rest that the SRI shows as authorized with other bytes, or with none, comes to a person, once', () => {
    for (const from of ['REJECTED', 'FAILED_PERMANENT', 'MANUAL_REVIEW_REQUIRED'] as const) {
      for (const comprobante of ['<factura>signed in a lost life</factura>', null]) {
        const answer = answered(entry('NO AUTORIZADO'), entry('AUTORIZADO', { comprobante }));
        const decision = ask(from, answer, { errorCode: 'SRI_REJECTED' });
        expect([end(from, decision), decision.patch.errorCode, after(decision)]).toEqual(['MANUAL_REVIEW_REQUIRED', 'ANSWER_MISMATCH', 86_400_000]);
        expect(decideReconciliation(document(from), answersOf(answer), NOW, POLICY).moves).toEqual([{ trigger: 'mismatch' }]);
        expect(ask('MANUAL_REVIEW_REQUIRED', answer, { errorCode: 'ANSWER_MISMATCH' })).toMatchObject({ moves: [], patch: {} });
        expect([ask(from, answer).patch.errorDetail, ask(from, answer, { isResigning: true }).patch.errorDetail]).toMatchObject([expect.not.objectContaining({ signs_anew: true }), { signs_anew: true }]);
      }
    }
  });

  it('what was given up as annulled stays so while the SRI goes on listing that authorization, but for a later one', () => {
    // Looks in between write the record, too.
    const givenUp = { errorCode: 'ANSWER_MISMATCH', annulledAt: NOW, changedAt: new Date(NOW.getTime() + 86_400_000) };
    for (const fechaAutorizacion of ['2026-11-21T10:00:00-05:00', null])
      expect(ask('FAILED_PERMANENT', answered(entry('AUTORIZADO', { fechaAutorizacion })), givenUp)).toMatchObject({ moves: [], patch: {}, work: { recheck: true } });
    const later = answered(entry('AUTORIZADO', { fechaAutorizacion: '2026-11-21T10:00:01-05:00' }));
    expect(end('FAILED_PERMANENT', ask('FAILED_PERMANENT', later, givenUp))).toBe('AUTHORIZED');
    expect(end('FAILED_PERMANENT', ask('FAILED_PERMANENT', answered(entry('AUTORIZADO')), { ...givenUp, annulledAt: null }))).toBe('AUTHORIZED');
  });

  it('a refusal for the date is mended by no correction once the date may not change', () => {
    const remedy = (isDateFixed: boolean, ...codes: string[]): unknown => decide(document('SUBMITTED_TO_SRI', { isDateFixed }), returned(...codes), NOW, POLICY).patch.errorDetail;
    expect(remedy(true, '65')).toEqual({ suggested_action: 'abandon', reason: 'date_is_fixed' });
    expect(remedy(true, '52', '065')).toEqual({ suggested_action: 'abandon', reason: 'date_is_fixed' });
    // This very refusal fixes it.
    expect(ask('AUTHORIZATION_PENDING', answered(entry('NO AUTORIZADO', { messages: [message('65')] }))).patch.errorDetail).toEqual({ suggested_action: 'abandon', reason: 'date_is_fixed' });
    expect([remedy(false, '65'), remedy(true, '52')]).toEqual([{ suggested_action: 'correct' }, { suggested_action: 'correct' }]);
  });

  it('a refusal was decided when the SRI says, but not before the document was sent', () => {
    const sent = new Date('2026-11-21T14:00:00Z');
    const decided = (fechaAutorizacion: string): unknown => {
      const blocked = answered(entry('NO AUTORIZADO', { fechaAutorizacion, messages: [message('57')] }));
      return ask('AUTHORIZATION_PENDING', blocked, { firstSentAt: sent, signings: [{ ...signing(2, OURS), signedAt: sent }] }).pause;
    };
    const [told, worker] = ['sri', 'worker'].map((by) => (at: Date) => ({ decidedAt: at, by }));
    expect([decided('2026-11-21T09:30:00-05:00'), decided('2026-11-21T08:50:00-05:00'), decided('')]).toMatchObject([told!(new Date('2026-11-21T14:30:00Z')), worker!(sent), worker!(sent)]);
    for (const date of ODD_DATES) expect(decided(date)).toMatchObject(worker!(sent));
  });

  it('a date that stands for none, as the last one that there is, keeps nothing from being authorized', () => {
    for (const date of ODD_DATES) {
      const decision = ask('AUTHORIZATION_PENDING', answered(entry('AUTORIZADO', { fechaAutorizacion: date })));
      expect([end('AUTHORIZATION_PENDING', decision), 'authorizationDate' in decision.patch]).toEqual(['AUTHORIZED', false]);
    }
    const { patch } = ask('AUTHORIZATION_PENDING', answered(entry('AUTORIZADO', { fechaAutorizacion: '2099-12-31T18:59:59.999-05:00' })));
    expect(patch.authorizationDate).toBe('2099-12-31T23:59:59.999Z');
  });

  it('a refusal names the service that gave it, also where a caller’s question overtakes the answer of reception', () => {
    const decision = decideReconciliation(document('SUBMITTED_TO_SRI'), answersOf(answered(entry('NO AUTORIZADO'))), NOW, POLICY);
    expect(decision.moves).toEqual([{ trigger: 'refused', detail: { service: 'authorization' } }]);
  });

  it('NO AUTORIZADO of the current bytes refuses, with the messages of the latest refusal', () => {
    const old = entry('NO AUTORIZADO', { fechaAutorizacion: '2026-11-21T09:00:00-05:00', messages: [message('52')] });
    const decision = ask('AUTHORIZATION_PENDING', answered(entry('NO AUTORIZADO', { messages: [message('39')] }), old));
    expect(end('AUTHORIZATION_PENDING', decision)).toBe('REJECTED');
    expect(decision.patch.sriMessages).toMatchObject([{ identifier: '39' }]);
  });

  it('NO AUTORIZADO of bytes that are about to be signed anew is spent', () => {
    const decision = ask('RECEPTION_RETRY_SCHEDULED', answered(entry('NO AUTORIZADO', { messages: [message('57')] })), { isResigning: true });
    expect(decision).toMatchObject({ moves: [], work: { step: 'authorize' } });
    expect(decision.pause).toBeUndefined();
    expect(decideReconciliation(document('RECEPTION_RETRY_SCHEDULED', { isResigning: true }), answersOf(answered(entry('NO AUTORIZADO'))), NOW, POLICY)).toMatchObject({ moves: [], keepWork: true });
  });

  it('NO AUTORIZADO of an older signing says nothing about the current one', () => {
    const decision = ask('AUTHORIZATION_PENDING', answered(entry('NO AUTORIZADO', { comprobante: FIRST })));
    expect(end('AUTHORIZATION_PENDING', decision)).toBe('AUTHORIZATION_RETRY_SCHEDULED');
  });

  describe('that holds only what it refused of an older signing', () => {
    const late = { receivedAt: NOW, deadlineAt: NOW, errorCode: 'ANSWER_OVERDUE', sriMessages: [message('43')] };
    const evidence = answered(entry('NO AUTORIZADO', { comprobante: FIRST, messages: [message('57')] }));

    it.each(['AUTHORIZATION_RETRY_SCHEDULED', 'AUTHORIZATION_UNKNOWN', 'MANUAL_REVIEW_REQUIRED'] as const)('lets a document in %s be sent again or corrected once the time for a decision is over', (status) => {
      const decision = ask(status, evidence, late);
      expect(end(status, decision)).toBe('REJECTED');
      expect(decision.patch).toMatchObject({ errorCode: 'SRI_REJECTED', errorDetail: { suggested_action: 'retry' }, sriMessages: [message('57')] });
      expect(decision.pause).toBeUndefined();
      expect(decideReconciliation(document(status, late), answersOf(evidence), NOW, POLICY)).toMatchObject({ moves: [{ trigger: 'refused' }] });
    });

    it.each<[DocumentStatus, string, Partial<DocumentState>]>([
      ['SUBMITTED_TO_SRI', 'is being sent', late],
      ['AUTHORIZATION_RETRY_SCHEDULED', 'the SRI has taken', { ...late, sriMessages: [] }],
      ['MANUAL_REVIEW_REQUIRED', 'waits for a person for another reason', { ...late, errorCode: 'ANSWER_MISMATCH' }],
    ])('decides nothing of a document in %s that %s', (status, _why, more) => expect(end(status, ask(status, evidence, more))).not.toBe('REJECTED'));

    it('decides nothing before, nor of bytes that are still to be signed, nor where it is at work on any', () => {
      expect(ask('AUTHORIZATION_RETRY_SCHEDULED', evidence, { ...late, deadlineAt: new Date(NOW.getTime() + 1) }).moves).toEqual([]);
      expect(ask('MANUAL_REVIEW_REQUIRED', evidence, { ...late, isResigning: true }).moves).toEqual([]);
      expect(end('AUTHORIZATION_RETRY_SCHEDULED', ask('AUTHORIZATION_RETRY_SCHEDULED', answered(entry('NO AUTORIZADO', { comprobante: FIRST }), entry('EN PROCESO')), late))).not.toBe('REJECTED');
    });
  });

  it.each<[string, Evidence]>([
    ['EN PROCESO', answered(entry('EN PROCESO'))],
    ['no entry', answered()],
    ['RECHAZADA, which refuses the question', answered(entry('RECHAZADA'))],
    ['an unknown state', answered(entry('QUIZAS'))],
    ['silence', silence],
  ])('%s is not a decision: asked again on the ladder', (_name, evidence) => {
    const decision = ask('AUTHORIZATION_PENDING', evidence);
    expect(end('AUTHORIZATION_PENDING', decision)).toBe('AUTHORIZATION_RETRY_SCHEDULED');
    expect(after(decision)).toBe(7_000);
    const again = ask('AUTHORIZATION_RETRY_SCHEDULED', evidence, { authorizationAttempts: 1 });
    expect([again.moves, again.patch.authorizationAttempts, after(again)]).toEqual([[], 2, 7_000]);
  });

  it('after the deadline a person is asked, unless the SRI is simply away', () => {
    const late = { deadlineAt: new Date('2026-11-21T14:59:59Z') };
    const decision = ask('AUTHORIZATION_RETRY_SCHEDULED', answered(entry('EN PROCESO')), late);
    expect(decision.moves.map(({ trigger }) => trigger)).toEqual(['overdue', 'gave_up']);
    expect(decision.patch.errorCode).toBe('ANSWER_OVERDUE');
    expect(ask('AUTHORIZATION_RETRY_SCHEDULED', silence, late)).toMatchObject({ moves: [], work: { step: 'authorize' } });
  });

  it('silence of a week is of its key alone: a person is asked, and asked anew a day after a retry', () => {
    const DAY = 86_400_000;
    for (const [from, patch] of [['AUTHORIZATION_RETRY_SCHEDULED', { receivedAt: NOW }], ['RECEPTION_UNKNOWN', {}], ['RECEPTION_UNKNOWN', { suspicion: 'SEQUENTIAL_TAKEN' }]] as const) {
      let state = document(from, { ...patch, deadlineAt: new Date(NOW.getTime() + DAY), dueAt: NOW });
      let now = NOW;
      let asked = decide(state, silence, now, POLICY);
      for (; asked.moves.length === 0 && asked.work?.dueAt instanceof Date && asked.work.dueAt.getTime() < NOW.getTime() + 30 * DAY; asked = decide(state, silence, now, POLICY)) {
        now = asked.work.dueAt;
        state = { ...state, ...(asked.patch as Partial<DocumentState>), dueAt: now };
      }
      expect([end(from, asked), asked.patch.errorCode]).toEqual(['MANUAL_REVIEW_REQUIRED', 'ANSWER_OVERDUE']);
      const days = (now.getTime() - NOW.getTime()) / DAY;
      expect([days > 7, days < 9]).toEqual([true, true]);
    }
    const retried = document('AUTHORIZATION_RETRY_SCHEDULED', { receivedAt: new Date(NOW.getTime() - 20 * DAY), firstSentAt: new Date(NOW.getTime() - 20 * DAY), signings: [{ ...signing(2, OURS), signedAt: new Date(NOW.getTime() - 20 * DAY) }] });
    expect(decide({ ...retried, deadlineAt: new Date(NOW.getTime() + 1) }, silence, NOW, POLICY).moves).toEqual([]);
    expect(decide({ ...retried, deadlineAt: NOW }, silence, NOW, POLICY).moves.map(({ trigger }) => trigger)).toEqual(['overdue', 'gave_up']);
  });

  describe('the time to decide', () => {
    const HOUR = 3_600_000;
    const DEADLINE = new Date(NOW.getTime() + HOUR);
    const at = (ms: number): Date => new Date(NOW.getTime() + ms);
    const waiting = (more: Partial<DocumentState> = {}) => document('AUTHORIZATION_RETRY_SCHEDULED', { deadlineAt: DEADLINE, dueAt: NOW, authorizationAttempts: 1, ...more });
    const deadline = (state: DocumentState, evidence: Evidence, now: Date): Date | null | undefined => decide(state, evidence, now, POLICY).patch.deadlineAt;

    it('is not shortened by a day in which nobody could ask: the first answer after it decides nothing', () => {
      const late = decide(waiting(), answered(), at(25 * HOUR), POLICY);
      expect([late.moves, late.patch.deadlineAt]).toEqual([[], at(26 * HOUR)]);
      const overdue = waiting({ dueAt: at(26 * HOUR), deadlineAt: late.patch.deadlineAt! });
      expect(decide(overdue, answered(), at(26 * HOUR), POLICY).moves.map(({ trigger }) => trigger)).toEqual(['overdue', 'gave_up']);
    });

    it('is lengthened by the wait after a question without an answer, once, however long the SRI asks to wait', () => {
      expect(deadline(waiting(), silence, NOW)).toEqual(at(HOUR + 7_000));
      expect(deadline(waiting(), silence, at(2 * HOUR))).toEqual(at(3 * HOUR + 7_000));
      const busy: Evidence = { kind: 'authorization', answer: { kind: 'no_evidence', reason: 'http_503', excerpt: null, retryAfterSeconds: 900 } as never };
      let state = waiting();
      let now = NOW;
      for (let asked = 0; asked < 10; asked += 1) {
        const { patch, work } = decide(state, busy, now, POLICY);
        state = { ...state, deadlineAt: patch.deadlineAt!, authorizationAttempts: patch.authorizationAttempts!, dueAt: work!.dueAt as Date };
        now = state.dueAt!;
      }
      expect([now, state.deadlineAt]).toEqual([at(10 * 900_000), at(HOUR + 10 * 900_000)]);
    });

    it('is as it was where the SRI answers and is asked in time', () => {
      expect(deadline(waiting(), answered(entry('EN PROCESO')), at(-1))).toBeUndefined();
      expect(deadline(waiting(), answered(), at(60_000))).toBeUndefined();
      expect(deadline(waiting({ dueAt: null }), answered(), at(2 * HOUR))).toBeUndefined();
    });

    it('is over for what a person has to look at, however rarely it is compared', () => {
      expect(deadline(document('MANUAL_REVIEW_REQUIRED', { deadlineAt: DEADLINE, dueAt: NOW, errorCode: 'ANSWER_OVERDUE' }), answered(), at(24 * HOUR))).toBeUndefined();
    });
  });
});

describe('whether a document arrived', () => {
  it('unknown to the SRI: the same bytes go again', () => {
    const decision = ask('RECEPTION_UNKNOWN', answered());
    expect([end('RECEPTION_UNKNOWN', decision), decision.work?.step]).toEqual(['RECEPTION_RETRY_SCHEDULED', 'submit']);
  });

  it('in process at the SRI: it arrived', () => {
    expect(end('RECEPTION_UNKNOWN', ask('RECEPTION_UNKNOWN', answered(entry('EN PROCESO'))))).toBe('AUTHORIZATION_PENDING');
  });

  it('no answer to the question: nothing is sent, the question is repeated', () => {
    expect(ask('RECEPTION_UNKNOWN', silence)).toMatchObject({ moves: [], work: { step: 'authorize' } });
  });

  it('an SRI that is away is asked every quarter of an hour, however long it was away; one that is at work is left to work', () => {
    const slow: SagaPolicy = { ...POLICY, authorizationLadderMs: [3_000, 3_600_000] };
    const asked = (evidence: Evidence): number | null => after(decide(document('AUTHORIZATION_RETRY_SCHEDULED', { authorizationAttempts: 9 }), evidence, NOW, slow));
    expect(asked(silence)).toBe(900_000);
    expect(asked(answered())).toBe(3_600_000);
  });

  it('an answer that nobody can use does not keep it for ever: after the deadline a person is asked', () => {
    const unknown = decide(document('SUBMITTED_TO_SRI'), { kind: 'worker_lost' }, NOW, POLICY);
    expect(unknown.patch.deadlineAt).toEqual(new Date(NOW.getTime() + POLICY.answerDeadlineMs));
    const odd = answered(entry('ALGO NUEVO'));
    const overdue = { deadlineAt: new Date(NOW.getTime() - 1) };
    expect(ask('RECEPTION_UNKNOWN', odd)).toMatchObject({ moves: [], work: { step: 'authorize' } });
    expect(ask('RECEPTION_UNKNOWN', odd, overdue)).toMatchObject({ moves: [{ trigger: 'gave_up' }], patch: { errorCode: 'ANSWER_OVERDUE' } });
    expect(ask('RECEPTION_UNKNOWN', silence, overdue)).toMatchObject({ moves: [] });
  });

  it('an answer about the document that proves nothing takes of the time to decide, and says neither that it arrived nor that it did not', () => {
    const due = { dueAt: NOW, deadlineAt: new Date(NOW.getTime() + 60_000) };
    for (const status of ['RECEPTION_UNKNOWN', 'AUTHORIZATION_RETRY_SCHEDULED', 'RECEPTION_RETRY_SCHEDULED'] as const) {
      const inTime = ask(status, proofless, due);
      expect([inTime.moves, inTime.work?.step, inTime.patch.deadlineAt]).toEqual([[], 'authorize', undefined]);
      const late = ask(status, proofless, { ...due, deadlineAt: NOW });
      expect([end(status, late), late.patch.errorCode]).toEqual(['MANUAL_REVIEW_REQUIRED', 'ANSWER_OVERDUE']);
    }
  });

  it('a taken number whose key is not ours is for a person, never renumbered', () => {
    const decision = ask('RECEPTION_UNKNOWN', answered(), { suspicion: 'SEQUENTIAL_TAKEN', signings: [signing(2, OURS)] });
    expect(end('RECEPTION_UNKNOWN', decision)).toBe('MANUAL_REVIEW_REQUIRED');
    expect(decision.patch).toMatchObject({ errorCode: 'SEQUENTIAL_TAKEN', errorDetail: { suggested_action: 'raise_counter_then_abandon' } });
    expect(decision.work).toMatchObject({ step: 'authorize', recheck: true });
  });

  it('a number that our own unanswered sending may have taken is asked for repeatedly before a person is', () => {
    const sentTwice = { suspicion: 'SEQUENTIAL_TAKEN', receptionAttempts: 2 } as const;
    const first = ask('RECEPTION_UNKNOWN', answered(), sentTwice);
    expect([end('RECEPTION_UNKNOWN', first), first.work?.step, after(first)]).toEqual(['RECEPTION_UNKNOWN', 'authorize', 7_000]);
    const fifth = ask('RECEPTION_UNKNOWN', answered(), { ...sentTwice, authorizationAttempts: 4 });
    expect(end('RECEPTION_UNKNOWN', fifth)).toBe('MANUAL_REVIEW_REQUIRED');
    const settled = ask('RECEPTION_UNKNOWN', answered(entry('AUTORIZADO')), { ...sentTwice, authorizationAttempts: 2 });
    expect(end('RECEPTION_UNKNOWN', settled)).toBe('AUTHORIZED');
  });

  it('a question without an answer says nothing of whose a number is', () => {
    const sentTwice = { suspicion: 'SEQUENTIAL_TAKEN', receptionAttempts: 2 } as const;
    for (const evidence of [silence, answered(entry('ALGO NUEVO'))]) expect(ask('RECEPTION_UNKNOWN', evidence, { ...sentTwice, authorizationAttempts: 3 }).patch).toEqual({ authorizationAttempts: 3 });
    expect(ask('RECEPTION_UNKNOWN', answered(), { ...sentTwice, authorizationAttempts: 3 }).patch).toEqual({ authorizationAttempts: 4 });
  });

  it('a document that waits for a certificate is authorized when the SRI says so, else a certificate is looked for anew', () => {
    for (const from of ['NUMBER_RESERVED', 'XML_GENERATED'] as const) {
      expect(end(from, ask(from, answered(entry('AUTORIZADO'))))).toBe('AUTHORIZED');
      for (const evidence of [answered(), silence, answered(entry('NO AUTORIZADO')), answered(entry('EN PROCESO')), answered(entry('AUTORIZADO', { comprobante: '<other/>' }))]) {
        expect(ask(from, evidence)).toEqual({ moves: [], patch: {}, work: { step: 'prepare', dueAt: NOW } });
      }
    }
  });

  it('a decided document on which the SRI is at work is looked at again within the hour, as long as it is compared at all', () => {
    for (const from of ['REJECTED', 'FAILED_PERMANENT', 'MANUAL_REVIEW_REQUIRED'] as const) {
      const looked = (evidence: Evidence, more: Partial<DocumentState> = {}): number | null => after(ask(from, evidence, more));
      expect([looked(answered(entry('EN PROCESO'))), looked(answered(entry('EN PROCESO', { comprobante: FIRST }))), looked(answered()), looked(silence)]).toEqual([3_600_000, 3_600_000, 86_400_000, 86_400_000]);
      const longAgo = new Date(NOW.getTime() - 31 * 86_400_000);
      expect(ask(from, answered(entry('EN PROCESO')), { firstSentAt: longAgo, signings: [{ ...signing(1, OURS), signedAt: longAgo }] }).work).toBeNull();
    }
  });

  it('a refusal of older bytes leaves them unknown: the current bytes go', () => {
    const decision = ask('RECEPTION_UNKNOWN', answered(entry('NO AUTORIZADO', { comprobante: FIRST })));
    expect(end('RECEPTION_UNKNOWN', decision)).toBe('RECEPTION_RETRY_SCHEDULED');
  });
});

it('decides for every state and evidence only moves that the lifecycle has', () => {
  const asks: DocumentStatus[] = ['AUTHORIZATION_PENDING', 'AUTHORIZATION_RETRY_SCHEDULED', 'RECEPTION_UNKNOWN', 'AUTHORIZATION_UNKNOWN'];
  const states = ['AUTORIZADO', 'NO AUTORIZADO', 'RECHAZADO', 'RECHAZADA', 'EN PROCESO', 'PPR', 'X'];
  const documents = [OURS, FIRST, '<factura>theirs</factura>', null];
  let decisions = 0;
  for (const from of asks) {
    for (const suspicion of [null, 'SEQUENTIAL_TAKEN'] as const) {
      const evidences = [silence, answered(), ...states.flatMap((estado) => documents.map((comprobante) => answered(entry(estado, { comprobante }))))];
      for (const evidence of evidences) {
        expect(() => end(from, ask(from, evidence, { suspicion }))).not.toThrow();
        decisions += 1;
      }
    }
  }
  expect(decisions).toBe(4 * 2 * 30);
});
