import type { DomainError } from '../../../shared/domain-error.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { documentDigest } from '../../../sri/document-digest.js';
import type { AuthorizationAnswer, AuthorizationEntry } from '../../../sri/soap/authorization.js';
import type { ConsultationAnswer, ConsultedState } from '../../../sri/soap/consultation.js';
import { DocumentActions } from '../actions/document-actions.js';
import type { Decision, DocumentState, SagaPolicy } from '../domain/document.js';
import type { Records } from '../persistence/documents.repository.js';
import { Consultations } from '../saga/consultations.js';
import { Verdicts } from '../saga/verdicts.js';
import { AbandonDocument, AbandonDocumentHandler } from './abandon-document.js';

const NOW = new Date('2026-11-21T15:00:00Z');
const DAY_MS = 86_400_000;
const KEY = '1'.repeat(49);
const OURS = '<factura>ours</factura>';
const POLICY: SagaPolicy = {
  receptionLadderMs: [1_000], authorizationLadderMs: [1_000], unansweredWaitMs: 1_000, answerDeadlineMs: DAY_MS, maxReceptionAttempts: 5,
  recheckEveryMs: DAY_MS, recheckForMs: 30 * DAY_MS, cancellationLadderMs: [1_000],
};
const STATE: DocumentState = {
  id: 'd', tenantId: 't', status: 'MANUAL_REVIEW_REQUIRED', version: 9, accessKey: KEY, signingNo: 1, contentRevision: 1, isResigning: false, isDateFixed: false, annulledAt: null,
  signings: [{ signingNo: 1, digest: documentDigest(OURS), signedAt: NOW, accessKey: KEY, contentRevision: 1 }],
  suspicion: null, receptionAttempts: 1, authorizationAttempts: 1, firstSentAt: NOW, receivedAt: null, deadlineAt: null, dueAt: null, changedAt: NOW, errorCode: 'ATTEMPTS_EXHAUSTED', sriMessages: [],
  cancellation: null,
};
const TENANT = { tenantId: 't', principal: { kind: 'api_key', id: 'k' }, environment: 'TEST' } as TenantContext;
const entry = (estado: string, comprobante = OURS): AuthorizationEntry => ({ estado, numeroAutorizacion: null, fechaAutorizacion: null, ambiente: null, comprobante, messages: [] });
const told = (...entries: AuthorizationEntry[]): AuthorizationAnswer => ({ kind: 'entries', entries });
const SILENCE: AuthorizationAnswer = { kind: 'no_evidence', reason: 'timeout', excerpt: '' };
const PROOFLESS: AuthorizationAnswer = { kind: 'no_evidence', reason: 'the entries are missing', excerpt: '', isHeard: true };

describe('giving a document up', () => {
  interface Written {
    readonly moves: readonly string[];
    readonly asked: string | undefined;
    readonly action: unknown;
    readonly comparedInMs: number | null;
  }

  /** @returns what was written, and the refusal */
  async function abandon(answer: AuthorizationAnswer | ((key: string) => AuthorizationAnswer), more: Partial<DocumentState> = {}): Promise<{ written: Written[]; refusal: unknown }> {
    const written: Written[] = [];
    const documents = {
      load: () => Promise.resolve({ state: { ...STATE, ...more } }),
      advance: (_state: DocumentState, { moves, work }: Decision, _token: null, _now: Date, { asked }: Records = {}, audit: string) => {
        written.push({ moves: moves.map(({ trigger }) => trigger), asked: asked?.outcome, action: (JSON.parse(audit) as { action: unknown }).action, comparedInMs: work && (work.dueAt as Date).getTime() - NOW.getTime() });
        return Promise.resolve({ version: 10, successorWoken: false });
      },
    };
    const clock = { now: () => NOW };
    const verdicts = new Verdicts({ query: (key: string) => Promise.resolve(typeof answer === 'function' ? answer(key) : answer) } as never, clock, { uuid: () => 'id' }, POLICY);
    const handler = new AbandonDocumentHandler(new DocumentActions(documents as never, clock), verdicts, {} as never, POLICY);
    const refusal: unknown = await handler.execute(new AbandonDocument(TENANT, 'd', 'not wanted')).then(() => null, (error: unknown) => error);
    return { written, refusal };
  }

  const givenUp = (asked?: string, comparedInMs: number | null = DAY_MS): unknown => ({ written: [{ moves: ['abandoned'], asked, action: 'document.abandoned', comparedInMs }], refusal: null });

  it('asks the SRI first, and gives up what it has not decided on', async () => {
    expect(await abandon(told())).toEqual(givenUp('no entries'));
    expect(await abandon(PROOFLESS)).toEqual(givenUp('no_evidence: the entries are missing'));
  });

  it('what the SRI is at work on may be given up, and is compared within the hour', async () => {
    expect(await abandon(told(entry('EN PROCESO')))).toEqual(givenUp('EN PROCESO', 3_600_000));
  });

  it.each([
    ['authorized', told(entry('AUTORIZADO')), 'authorized', 'AUTHORIZED'],
    ['refused', told(entry('NO AUTORIZADO')), 'refused', 'REJECTED'],
    ['authorized with other bytes', told(entry('AUTORIZADO', '<factura>theirs</factura>')), 'mismatch', 'MANUAL_REVIEW_REQUIRED'],
  ])('what it turns out to have %s is on record then, and not given up', async (_name, answer, move, status) => {
    const { written, refusal } = await abandon(answer);
    expect(written).toMatchObject([{ moves: [move], action: 'document.reconciled' }]);
    expect(refusal).toMatchObject({ code: 'INVALID_STATE', detail: { status, reason: 'DECIDED_AT_SRI' } });
  });

  describe('while the SRI does not answer', () => {
    const sentBefore = (days: number): Partial<DocumentState> => {
      const at = new Date(NOW.getTime() - days * DAY_MS);
      return { firstSentAt: at, signings: [{ ...STATE.signings[0]!, signedAt: at }] };
    };

    it('of its present key, it is asked of the former ones: what is authorized there is on record then', async () => {
      const former = '2'.repeat(49);
      const { signings = [], ...before } = sentBefore(8);
      const redated = { ...before, signingNo: 2, signings: [{ ...signings[0]!, accessKey: former }, { ...signings[0]!, signingNo: 2, digest: documentDigest('<factura>later</factura>') }] };
      const { written, refusal } = await abandon((key) => (key === former ? told(entry('AUTORIZADO')) : SILENCE), redated);
      expect(written).toMatchObject([{ moves: ['authorized'], action: 'document.reconciled' }]);
      expect(refusal).toMatchObject({ code: 'INVALID_STATE', detail: { reason: 'DECIDED_AT_SRI' } });
    });

    it.each<[string, AuthorizationAnswer, number]>([
      ['a time-out on a document of a few days', SILENCE, 6],
      ['a refused connection', { kind: 'not_delivered', reason: 'refused' }, 0],
      ['a refused connection, however long ago it was sent', { kind: 'not_delivered', reason: 'refused' }, 8],
      ['an answer in the place of the service, however long ago it was sent', { ...SILENCE, reason: 'HTTP 503', isAway: true }, 8],
    ])('nothing changes: %s', async (_name, silence, days) => {
      expect(await abandon(silence, sentBefore(days))).toEqual({ written: [], refusal: expect.objectContaining({ code: 'SRI_UNAVAILABLE' }) as unknown });
    });

    it('what was sent a week ago is given up where the silence may be of this document alone', async () => {
      expect(await abandon(SILENCE, sentBefore(7))).toEqual(givenUp('no_evidence: timeout'));
    });
  });

  describe('of which the SRI showed another document', () => {
    const former = '2'.repeat(49);
    const state = (word: ConsultedState): ConsultationAnswer => ({ kind: 'state', state: word, estado: word, messages: [] });
    const unknown: ConsultationAnswer = { kind: 'unknown', messages: [] };
    const redated: DocumentState = {
      ...STATE, errorCode: 'ANSWER_MISMATCH', signingNo: 2, signings: [{ ...STATE.signings[0]!, accessKey: former }, { ...STATE.signings[0]!, signingNo: 2 }],
    };

    async function abandon(present: ConsultationAnswer, before: ConsultationAnswer, annulled: boolean): Promise<unknown> {
      const written: unknown[] = [];
      const documents = {
        load: () => Promise.resolve({ state: redated }),
        advance: (_state: DocumentState, { patch }: Decision, _token: null, _now: Date, { asked }: Records = {}) => {
          written.push([(patch.errorDetail as { annulled?: true }).annulled === true, asked?.outcome]);
          return Promise.resolve({ version: 10, successorWoken: false });
        },
      };
      const clock = { now: () => NOW };
      const consultations = new Consultations({ query: (key: string) => Promise.resolve(key === former ? before : present) } as never, clock, { uuid: () => 'id' });
      const handler = new AbandonDocumentHandler(new DocumentActions(documents as never, clock), {} as never, consultations, POLICY);
      return handler.execute(new AbandonDocument(TENANT, 'd', 'not wanted', annulled)).then(() => written[0], (error: unknown) => {
        const { code, detail } = error as DomainError;
        return (detail as { reason?: string } | null)?.reason ?? code;
      });
    }

    it.each<[string, ConsultationAnswer, ConsultationAnswer, boolean, unknown]>([
      ['valid under the former key, whatever the caller saw', unknown, state('authorized'), true, 'NOT_ANNULLED'],
      ['valid under the former key', unknown, state('authorized'), false, [false, 'unknown; former access key: authorized']],
      ['being annulled', state('refused'), state('pending_annulment'), true, 'NOT_ANNULLED'],
      ['annulled under the former key, and never heard of under the present one', unknown, state('annulled'), false, [true, 'unknown; former access key: annulled']],
      ['annulled under the former key, and refused under the present one', state('refused'), state('annulled'), true, [true, 'refused; former access key: annulled']],
      ['annulled under the one key, and valid under the other', state('annulled'), state('authorized'), true, 'NOT_ANNULLED'],
      ['not told of any more, and seen annulled', state('refused'), unknown, true, [true, 'refused; former access key: unknown']],
      ['not told of any more', unknown, unknown, false, [false, 'unknown; former access key: unknown']],
      ['refused under both', state('refused'), state('refused'), true, 'NOT_ANNULLED'],
      ['not answered of', unknown, SILENCE, true, 'SRI_UNAVAILABLE'],
    ])('is judged by every key that it had: %s', async (_name, present, before, annulled, outcome) => {
      expect(await abandon(present, before, annulled)).toEqual(outcome);
    });
  });

  it('asks of nothing that was never sent or that the SRI refused', async () => {
    expect(await abandon(SILENCE, { firstSentAt: null })).toEqual(givenUp(undefined, null));
    expect(await abandon(SILENCE, { status: 'REJECTED', errorCode: 'SRI_REJECTED' })).toEqual(givenUp());
  });
});
