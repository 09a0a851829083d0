import { QueryFailedError } from 'typeorm';
import { OWN_SQL_STATE } from '../../../platform/database/own-sql-state.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { type DocumentContent, PLAIN_CONTENT } from '../../../sri/document-types/content.js';
import type { ConsultationAnswer } from '../../../sri/soap/consultation.js';
import { DocumentActions } from '../actions/document-actions.js';
import type { Decision, DocumentState, SagaPolicy } from '../domain/document.js';
import type { Records } from '../persistence/documents.repository.js';
import { CancelDocument, CancelDocumentHandler } from './cancel-document.js';

const AFTER_THE_DEADLINE = new Date('2026-12-20T15:00:00Z');
const CONTENT = {
  ...PLAIN_CONTENT, documentType: '01', issueDate: '2026-11-20', subtotal: '1.00', totalDiscount: '0.00', totalTax: '0.00', total: '1.00',
  buyerIdType: '04', lines: [], taxes: [], payments: [], numericCode: '12345678',
} as unknown as DocumentContent;
const STATE: DocumentState = {
  id: 'd', tenantId: 't', status: 'AUTHORIZED', version: 9, accessKey: '1'.repeat(49), signingNo: 1, contentRevision: 1, signings: [], isResigning: false, isDateFixed: false, annulledAt: null, cancellation: null,
  suspicion: null, receptionAttempts: 1, authorizationAttempts: 1, firstSentAt: AFTER_THE_DEADLINE, receivedAt: AFTER_THE_DEADLINE, deadlineAt: null, dueAt: null, changedAt: AFTER_THE_DEADLINE, errorCode: null, sriMessages: [],
};
const TENANT = { tenantId: 't', principal: { kind: 'api_key', id: 'k' }, environment: 'TEST' } as TenantContext;
const told = (state: 'authorized' | 'annulled' | 'pending_annulment'): ConsultationAnswer =>
  ({ kind: 'state', state, estado: state, messages: [] });

describe('cancelling what the rules refuse', () => {
  /** @returns what was written, what was answered or refused, and how often the SRI was asked */
  async function cancel(answer: ConsultationAnswer, { now = AFTER_THE_DEADLINE, credited = false, content = CONTENT } = {}): Promise<{ written: unknown[]; outcome: unknown; asked: number }> {
    const written: unknown[] = [];
    let asked = 0;
    const documents = {
      load: () => Promise.resolve({ state: STATE, content }),
      advance: (_state: DocumentState, { moves, work, patch }: Decision, _token: null, _now: Date, records?: Records) => {
        // The trigger sees the ends of a write: a document on its way to CANCELLED does not rest as requested.
        if (credited && moves.length === 1) return Promise.reject(new QueryFailedError('', [], Object.assign(new Error('credited'), { code: OWN_SQL_STATE.creditedCancellation })));
        written.push({ moves: moves.map(({ trigger }) => trigger), asked: records?.asked?.outcome, reason: patch.cancellation?.reason, isWatched: work !== null });
        return Promise.resolve({ version: 11, successorWoken: false });
      },
    };
    const query = (): Promise<ConsultationAnswer> => {
      asked += 1;
      return Promise.resolve(answer);
    };
    const clock = { now: () => now };
    const actions = new DocumentActions(documents as never, clock);
    const handler = new CancelDocumentHandler(actions, { query } as never, clock, { uuid: () => 'id' }, { cancellationLadderMs: [60_000] } as unknown as SagaPolicy);
    const outcome: unknown = await handler.execute(new CancelDocument(TENANT, 'd', 'twice')).catch((error: unknown) => error);
    return { written, outcome, asked };
  }
  const refused = (rule: string): unknown => expect.objectContaining({ code: 'FISCAL_RULE_VIOLATED', detail: [expect.objectContaining({ rule })] }) as unknown;

  const IN_TIME = new Date('2026-11-21T15:00:00Z');
  it.each([
    ['cancellation.deadline', {}], ['cancellation.credited', { now: IN_TIME, credited: true }],
    ['cancellation.final_consumer', { now: IN_TIME, content: { ...CONTENT, buyerIdType: '07', buyerId: '9999999999999' } }],
  ])('%s: what the SRI shows annulled is cancelled', async (_rule, how) => {
    expect(await cancel(told('annulled'), how)).toEqual({
      written: [{ moves: ['cancellation_requested', 'annulled'], asked: 'annulled', reason: 'twice', isWatched: false }], asked: 1,
      outcome: expect.objectContaining({ status: 'CANCELLED', deadline: '2026-12-07', instructions: expect.stringContaining('ya muestra el comprobante como anulado') as unknown }) as unknown,
    });
  });

  it.each<ConsultationAnswer>([
    told('authorized'), told('pending_annulment'), { kind: 'unknown', messages: [] }, { kind: 'not_delivered', reason: 'refused' }, { kind: 'no_evidence', reason: 'timeout', excerpt: '' },
  ])('refused as before where the SRI says %j', async (answer) => {
    expect(await cancel(answer)).toEqual({ written: [], asked: 1, outcome: refused('cancellation.deadline') });
    expect(await cancel(answer, { now: IN_TIME, credited: true })).toEqual({ written: [], asked: 1, outcome: refused('cancellation.credited') });
  });

  it.each([['asked for', IN_TIME], ['annulled already', AFTER_THE_DEADLINE]])('answers the time of the request that the record tells: %s', async (_what, begin) => {
    let reading = begin.getTime();
    const recorded: unknown[] = [];
    const documents = {
      load: () => Promise.resolve({ state: STATE, content: CONTENT }),
      advance: (_state: DocumentState, { patch }: Decision) => {
        recorded.push(patch.cancellation?.requestedAt);
        return Promise.resolve({ version: 11, successorWoken: false });
      },
    };
    const clock = { now: () => new Date((reading += 1)) };
    const handler = new CancelDocumentHandler(new DocumentActions(documents as never, clock), { query: () => Promise.resolve(told('annulled')) } as never, clock, { uuid: () => 'id' }, { cancellationLadderMs: [60_000] } as unknown as SagaPolicy);
    const { cancellation_requested_at: answered } = await handler.execute(new CancelDocument(TENANT, 'd', 'twice'));
    expect(recorded).toEqual([answered]);
  });

  it('nothing is asked where nothing refuses', async () => {
    expect(await cancel(told('annulled'), { now: IN_TIME })).toMatchObject({ written: [{ moves: ['cancellation_requested'], isWatched: true }], asked: 0 });
  });
});
