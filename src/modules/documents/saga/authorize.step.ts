import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../../config/settings.js';
import { CLOCK, type Clock, IDS, type Ids } from '../../../shared/ports.js';
import { type AuthorizationAnswer, AuthorizationClient } from '../../../sri/soap/authorization.js';
import { isHeard } from '../../../sri/soap/unanswered.js';
import { decide } from '../domain/decide.js';
import type { SagaPolicy, Work } from '../domain/document.js';
import { LIFECYCLE } from '../domain/lifecycle.js';
import { deadlinePastSilence } from '../domain/silence.js';
import { DocumentsRepository, StaleDocumentError } from '../persistence/documents.repository.js';
import { askAuthorization, authorizationRecords } from './ask-authorization.js';
import { KillPoints } from '../../../platform/faults/kill-points.js';
import { SAGA_POLICY } from './policy.js';
import { postpone } from './postpone.js';
import { type CallPermit, callWithPermit } from './sri-breaker.js';
import { SriCalls } from './sri-calls.js';
import type { LeasedDocument, SagaStep } from './step.js';

/** Asks the SRI what became of the document. The question changes nothing there, so it may be repeated freely. */
@Injectable()
export class AuthorizeStep implements SagaStep {
  constructor(
    private readonly documents: DocumentsRepository,
    private readonly authorization: AuthorizationClient,
    private readonly calls: SriCalls,
    private readonly killPoints: KillPoints,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
    @Inject(SAGA_POLICY) private readonly policy: SagaPolicy,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'LEASE_SECONDS'>,
  ) {}

  async run(document: LeasedDocument): Promise<Work | null> {
    const { loaded, token } = document;
    const { state } = loaded;
    if (LIFECYCLE[state.status].lostLease === 'ask') {
      const noticedAt = this.clock.now();
      const lost = decide(state, { kind: 'worker_lost' }, noticedAt, this.policy);
      await this.documents.advance(state, lost, token, noticedAt);
      return lost.work;
    }
    const permit = await this.calls.acquire('authorization');
    const startedAt = this.clock.now();
    if (permit.kind === 'wait') {
      const deadlineAt = deadlinePastSilence(state, startedAt, permit.until);
      return await postpone(this.documents, document, 'authorize', permit.until, startedAt, { patch: { deadlineAt } });
    }
    const answers = await askAuthorization(state, (accessKey) => (accessKey === state.accessKey ? this.ask(accessKey, permit) : this.askFormer(accessKey, document)));
    await this.killPoints.pass('after-auth-answer', loaded.content.numericCode);

    const now = this.clock.now();
    const decision = decide(state, { kind: 'authorization', ...answers }, now, this.policy);
    await this.documents.advance(state, decision, token, now, authorizationRecords(this.ids, state, answers, startedAt));
    await this.killPoints.pass('after-auth-commit', loaded.content.numericCode);
    return decision.work;
  }

  /** Each question takes its time: the lease is renewed for it. */
  private async askFormer(accessKey: string, { loaded: { state }, token }: LeasedDocument): Promise<AuthorizationAnswer> {
    const permit = await this.calls.acquire('authorization', { turn: 'next' });
    if (permit.kind === 'wait') return { kind: 'not_delivered', reason: permit.reason };
    try {
      const renewed = await this.documents.take(state.tenantId, state.id, token, this.clock.now(), this.settings.LEASE_SECONDS * 1_000);
      if (renewed === null) throw new StaleDocumentError(`lease of document ${state.id} was lost`);
      return await this.ask(accessKey, permit);
    } finally {
      permit.release();
    }
  }

  private ask(accessKey: string, permit: CallPermit): Promise<AuthorizationAnswer> {
    return callWithPermit(permit, () => this.authorization.query(accessKey), isHeard);
  }
}
