import type { TenantContext } from '../../../shared/tenant-context.js';
import { documentDigest } from '../../../sri/document-digest.js';
import type { AuthorizationAnswer, AuthorizationEntry } from '../../../sri/soap/authorization.js';
import { DocumentActions } from '../actions/document-actions.js';
import type { Decision, DocumentState, SagaPolicy } from '../domain/document.js';
import type { Records } from '../persistence/documents.repository.js';
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
  id: 'd', tenantId: 't', status: 'MANUAL_REVIEW_REQUIRED', version: 9, accessKey: KEY, signingNo: 1, contentRevision: 1, isResigning: false, isDateFixed: false,
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
  }

  /** @returns what was written, and the refusal */
  async function abandon(answer: AuthorizationAnswer, more: Partial<DocumentState> = {}): Promise<{ written: Written[]; refusal: unknown }> {
    const written: Written[] = [];
    const documents = {
      load: () => Promise.resolve({ state: { ...STATE, ...more } }),
      advance: (_state: DocumentState, { moves }: Decision, _token: null, _now: Date, { asked }: Records = {}, audit: string) => {
        written.push({ moves: moves.map(({ trigger }) => trigger), asked: asked?.outcome, action: (JSON.parse(audit) as { action: unknown }).action });
        return Promise.resolve({ version: 10, successorWoken: false });
      },
    };
    const clock = { now: () => NOW };
    const verdicts = new Verdicts({ query: () => Promise.resolve(answer) } as never, clock, { uuid: () => 'id' }, POLICY);
    const handler = new AbandonDocumentHandler(new DocumentActions(documents as never, clock), verdicts, {} as never, POLICY);
    const refusal: unknown = await handler.execute(new AbandonDocument(TENANT, 'd', 'not wanted')).then(() => null, (error: unknown) => error);
    return { written, refusal };
  }

  const givenUp = (asked?: string): unknown => ({ written: [{ moves: ['abandoned'], asked, action: 'document.abandoned' }], refusal: null });

  it('asks the SRI first, and gives up what it has not decided on', async () => {
    expect(await abandon(told())).toEqual(givenUp('no entries'));
    expect(await abandon(told(entry('EN PROCESO')))).toEqual(givenUp('EN PROCESO'));
    expect(await abandon(PROOFLESS)).toEqual(givenUp('no_evidence: the entries are missing'));
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

  it('nothing changes while the SRI does not answer, unless it tells nothing of this document alone for a week', async () => {
    for (const silence of [SILENCE, { kind: 'not_delivered', reason: 'refused' } as const]) {
      expect(await abandon(silence)).toEqual({ written: [], refusal: expect.objectContaining({ code: 'SRI_UNAVAILABLE' }) as unknown });
    }
    const before = new Date(NOW.getTime() - 7 * DAY_MS);
    expect(await abandon(SILENCE, { firstSentAt: before, signings: [{ ...STATE.signings[0]!, signedAt: before }] })).toEqual(givenUp('no_evidence: timeout'));
  });

  it('asks of nothing that was never sent or that the SRI refused', async () => {
    expect(await abandon(SILENCE, { firstSentAt: null })).toEqual(givenUp());
    expect(await abandon(SILENCE, { status: 'REJECTED', errorCode: 'SRI_REJECTED' })).toEqual(givenUp());
  });
});
