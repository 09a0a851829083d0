import type { TenantContext } from '../../../shared/tenant-context.js';
import type { ConsultationAnswer } from '../../../sri/soap/consultation.js';
import { Consultations } from '../saga/consultations.js';
import { DocumentActions } from '../actions/document-actions.js';
import type { Decision, DocumentState, SagaPolicy } from '../domain/document.js';
import type { Records } from '../persistence/documents.repository.js';
import { WithdrawCancellation, WithdrawCancellationHandler } from './withdraw-cancellation.js';

const NOW = new Date('2026-11-21T15:00:00Z');
const STATE: DocumentState = {
  id: 'd', tenantId: 't', status: 'CANCELLATION_REQUESTED', version: 9, accessKey: '1'.repeat(49), signingNo: 1, contentRevision: 1, signings: [], isResigning: false, isDateFixed: false, annulledAt: null,
  suspicion: null, receptionAttempts: 1, authorizationAttempts: 1, firstSentAt: NOW, receivedAt: NOW, deadlineAt: null, dueAt: null, changedAt: NOW, errorCode: null, sriMessages: [],
  cancellation: { requestedAt: NOW.toISOString(), reason: 'twice', deadline: '2026-12-07', needsAcceptance: true, watchUntil: '2026-12-15', asked: 0, pendingAtSri: false },
};
const TENANT = { tenantId: 't', principal: { kind: 'api_key', id: 'k' }, environment: 'TEST' } as TenantContext;
const told = (state: 'authorized' | 'annulled' | 'pending_annulment'): ConsultationAnswer =>
  ({ kind: 'state', state, estado: state, messages: [] });

describe('withdrawing a cancellation', () => {
  interface Written {
    readonly moves: readonly string[];
    readonly asked: string | undefined;
    readonly action: unknown;
  }

  /** @returns what was written, and the refusal */
  async function withdraw(answer: ConsultationAnswer): Promise<{ written: Written[]; refusal: unknown }> {
    const written: Written[] = [];
    const documents = {
      load: () => Promise.resolve({ state: STATE }),
      advance: (_state: DocumentState, { moves }: Decision, _token: null, _now: Date, { asked }: Records, audit: string) => {
        written.push({ moves: moves.map(({ trigger }) => trigger), asked: asked?.outcome, action: (JSON.parse(audit) as { action: unknown }).action });
        return Promise.resolve({ version: 10, successorWoken: false });
      },
    };
    const clock = { now: () => NOW };
    const actions = new DocumentActions(documents as never, clock);
    const consultations = new Consultations({ query: () => Promise.resolve(answer) } as never, clock, { uuid: () => 'id' });
    const handler = new WithdrawCancellationHandler(actions, consultations, { cancellationLadderMs: [60_000] } as unknown as SagaPolicy);
    const refusal: unknown = await handler.execute(new WithdrawCancellation(TENANT, 'd')).then(() => null, (error: unknown) => error);
    return { written, refusal };
  }

  it('asks the SRI first and puts its answer on record', async () => {
    expect(await withdraw(told('authorized'))).toEqual({
      written: [{ moves: ['cancellation_withdrawn'], asked: 'authorized', action: 'document.cancellation_withdrawn' }], refusal: null,
    });
  });

  it('annulled meanwhile: the document is cancelled, the withdrawal refused, and the audit log claims no withdrawal', async () => {
    expect(await withdraw(told('annulled'))).toEqual({
      written: [{ moves: ['annulled'], asked: 'annulled', action: 'document.reconciled' }],
      refusal: expect.objectContaining({ code: 'INVALID_STATE', detail: { status: 'CANCELLED', allowed_actions: [], reason: 'ANNULLED_AT_SRI' } }) as unknown,
    });
  });

  it('the receiver is asked: refused, and only what the SRI said is written', async () => {
    expect(await withdraw(told('pending_annulment'))).toEqual({
      written: [{ moves: [], asked: 'pending_annulment', action: 'document.reconciled' }],
      refusal: expect.objectContaining({ code: 'INVALID_STATE', detail: expect.objectContaining({ reason: 'PENDING_AT_SRI' }) as unknown }) as unknown,
    });
  });

  it.each<ConsultationAnswer>([{ kind: 'not_delivered', reason: 'refused' }, { kind: 'no_evidence', reason: 'timeout', excerpt: '' }])('without an answer (%j) nothing changes', async (answer) => {
    expect(await withdraw(answer)).toEqual({ written: [], refusal: expect.objectContaining({ code: 'SRI_UNAVAILABLE' }) as unknown });
  });
});
