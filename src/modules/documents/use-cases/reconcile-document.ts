import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DomainError } from '../../../shared/domain-error.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { type ActionDecision, DocumentActions } from '../actions/document-actions.js';
import type { DocumentReconciled } from '../documents.actions.responses.js';
import { requireAction } from '../domain/actions.js';
import { decideCancellationReconciled } from '../domain/cancellation.js';
import type { SagaPolicy } from '../domain/document.js';
import type { LoadedDocument } from '../persistence/documents.repository.js';
import { Consultations } from '../saga/consultations.js';
import { SAGA_POLICY } from '../saga/policy.js';
import { Verdicts } from '../saga/verdicts.js';

/** Asks the SRI now what it holds of a document and follows a verdict; anything less changes nothing. */
export class ReconcileDocument extends Command<DocumentReconciled> {
  constructor(
    readonly tenant: TenantContext,
    readonly documentId: string,
  ) {
    super();
  }
}

@CommandHandler(ReconcileDocument)
export class ReconcileDocumentHandler implements ICommandHandler<ReconcileDocument> {
  constructor(
    private readonly actions: DocumentActions,
    private readonly verdicts: Verdicts,
    private readonly consultations: Consultations,
    @Inject(SAGA_POLICY) private readonly policy: SagaPolicy,
  ) {}

  async execute({ tenant, documentId }: ReconcileDocument): Promise<DocumentReconciled> {
    const { status, at } = await this.actions.perform(tenant, documentId, { action: 'document.reconciled' }, async (loaded) => {
      requireAction(loaded.state, 'reconcile');
      return loaded.state.status === 'CANCELLATION_REQUESTED' ? this.consult(loaded) : this.ask(loaded);
    });
    return { document_id: documentId, status, reconciled_at: at };
  }

  private async ask({ state }: LoadedDocument): Promise<ActionDecision> {
    const { decision, records, isHeard } = await this.verdicts.ask(state);
    const isVerdict = decision.moves.length > 0;
    if (!isVerdict && !isHeard) throw new DomainError('SRI_UNAVAILABLE');
    return { decision, records };
  }

  private async consult({ state }: LoadedDocument): Promise<ActionDecision> {
    const { answer, records, now } = await this.consultations.ask(state);
    return { decision: decideCancellationReconciled(state, answer, now, this.policy), records };
  }
}
