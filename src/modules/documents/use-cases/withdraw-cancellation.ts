import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DomainError } from '../../../shared/domain-error.js';
import { CLOCK, type Clock, IDS, type Ids } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { ConsultationClient } from '../../../sri/soap/consultation.js';
import { type ActionDecision, DocumentActions } from '../actions/document-actions.js';
import { notAllowed, requireAction } from '../domain/actions.js';
import { decideWithdrawal } from '../domain/cancellation.js';
import type { SagaPolicy } from '../domain/document.js';
import type { LoadedDocument } from '../persistence/documents.repository.js';
import { consultationRecords } from '../saga/consultation-records.js';
import { SAGA_POLICY } from '../saga/policy.js';

/** Takes a cancellation back that was asked for and, as the SRI says now, not yet done. */
export class WithdrawCancellation extends Command<void> {
  constructor(
    readonly tenant: TenantContext,
    readonly documentId: string,
  ) {
    super();
  }
}

@CommandHandler(WithdrawCancellation)
export class WithdrawCancellationHandler implements ICommandHandler<WithdrawCancellation> {
  constructor(
    private readonly actions: DocumentActions,
    private readonly consultation: ConsultationClient,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
    @Inject(SAGA_POLICY) private readonly policy: SagaPolicy,
  ) {}

  /** @throws DomainError SRI_UNAVAILABLE; INVALID_STATE also where the document was annulled meanwhile, which is then on record */
  async execute({ tenant, documentId }: WithdrawCancellation): Promise<void> {
    const { status, loaded } = await this.actions.perform(tenant, documentId, { action: 'document.cancellation_withdrawn' }, (loaded) => this.consult(loaded));
    if (status === 'CANCELLED') throw notAllowed({ ...loaded.state, status }, 'withdraw_cancellation', 'ANNULLED_AT_SRI');
  }

  private async consult({ state }: LoadedDocument): Promise<ActionDecision> {
    requireAction(state, 'withdraw_cancellation');
    const startedAt = this.clock.now();
    const answer = await this.consultation.query(state.accessKey);
    if (answer.kind === 'not_delivered' || answer.kind === 'no_evidence') throw new DomainError('SRI_UNAVAILABLE');
    const decision = decideWithdrawal(state, answer, this.clock.now(), this.policy);
    const annulled = decision.moves.some(({ trigger }) => trigger === 'annulled');
    return {
      decision,
      records: consultationRecords(this.ids, state, answer, startedAt),
      ...(annulled && { entry: { action: 'document.reconciled' } }),
    };
  }
}
