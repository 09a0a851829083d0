import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DomainError } from '../../../shared/domain-error.js';
import { CLOCK, type Clock, IDS, type Ids } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { AuthorizationClient } from '../../../sri/soap/authorization.js';
import { isHeard } from '../../../sri/soap/unanswered.js';
import { type ActionDecision, DocumentActions } from '../actions/document-actions.js';
import type { DocumentReconciled } from '../documents.actions.responses.js';
import { requireAction } from '../domain/actions.js';
import { decideCancellationReconciled } from '../domain/cancellation.js';
import { decideReconciliation } from '../domain/decide.js';
import type { SagaPolicy } from '../domain/document.js';
import type { LoadedDocument } from '../persistence/documents.repository.js';
import { Consultations } from '../saga/consultations.js';
import { askAuthorization, authorizationRecords } from '../saga/ask-authorization.js';
import { SAGA_POLICY } from '../saga/policy.js';

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
    private readonly authorization: AuthorizationClient,
    private readonly consultations: Consultations,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
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
    const startedAt = this.clock.now();
    const answers = await askAuthorization(state, (accessKey) => this.authorization.query(accessKey));
    const decision = decideReconciliation(state, answers, this.clock.now(), this.policy);
    const isVerdict = decision.moves.length > 0;
    if (!isVerdict && ![answers.answer, ...(answers.former ?? [])].every(isHeard)) throw new DomainError('SRI_UNAVAILABLE');
    return { decision, records: authorizationRecords(this.ids, state, answers, startedAt) };
  }

  private async consult({ state }: LoadedDocument): Promise<ActionDecision> {
    const { answer, records, now } = await this.consultations.ask(state);
    return { decision: decideCancellationReconciled(state, answer, now, this.policy), records };
  }
}
