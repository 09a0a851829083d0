import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { type ActionDecision, DocumentActions } from '../actions/document-actions.js';
import { notAllowed, requireAction } from '../domain/actions.js';
import { decideWithdrawal } from '../domain/cancellation.js';
import type { SagaPolicy } from '../domain/document.js';
import type { LoadedDocument } from '../persistence/documents.repository.js';
import { Consultations } from '../saga/consultations.js';
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
    private readonly consultations: Consultations,
    @Inject(SAGA_POLICY) private readonly policy: SagaPolicy,
  ) {}

  /** @throws DomainError SRI_UNAVAILABLE; INVALID_STATE also where the document was annulled meanwhile, or the receiver is asked, which is then on record */
  async execute({ tenant, documentId }: WithdrawCancellation): Promise<void> {
    const { status, loaded } = await this.actions.perform(tenant, documentId, { action: 'document.cancellation_withdrawn' }, (loaded) => this.consult(loaded));
    if (status !== 'AUTHORIZED') throw notAllowed({ ...loaded.state, status }, 'withdraw_cancellation', status === 'CANCELLED' ? 'ANNULLED_AT_SRI' : 'PENDING_AT_SRI');
  }

  private async consult({ state }: LoadedDocument): Promise<ActionDecision> {
    requireAction(state, 'withdraw_cancellation');
    const { answer, records, now } = await this.consultations.ask(state);
    const decision = decideWithdrawal(state, answer, now, this.policy);
    const isWithdrawn = decision.moves.some(({ trigger }) => trigger === 'cancellation_withdrawn');
    return { decision, records, ...(!isWithdrawn && { entry: { action: 'document.reconciled' } }) };
  }
}
