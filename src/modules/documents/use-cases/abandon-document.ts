import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { Consultations } from '../saga/consultations.js';
import { type ActionDecision, DocumentActions } from '../actions/document-actions.js';
import type { DocumentAbandoned } from '../documents.actions.responses.js';
import { decideAbandon, requireAction } from '../domain/actions.js';
import { isAnnulled } from '../domain/cancellation.js';
import type { SagaPolicy } from '../domain/document.js';
import type { LoadedDocument } from '../persistence/documents.repository.js';
import { SAGA_POLICY } from '../saga/policy.js';

/** Gives a document up; its number stays with it, explained by the reason. */
export class AbandonDocument extends Command<DocumentAbandoned> {
  constructor(
    readonly tenant: TenantContext,
    readonly documentId: string,
    readonly reason: string,
  ) {
    super();
  }
}

@CommandHandler(AbandonDocument)
export class AbandonDocumentHandler implements ICommandHandler<AbandonDocument> {
  constructor(
    private readonly actions: DocumentActions,
    private readonly consultations: Consultations,
    @Inject(SAGA_POLICY) private readonly policy: SagaPolicy,
  ) {}

  /** @throws DomainError INVALID_STATE; SRI_UNAVAILABLE where the SRI showed the document authorized, for it is asked whether that was annulled */
  async execute({ tenant, documentId, reason }: AbandonDocument): Promise<DocumentAbandoned> {
    const { status, at } = await this.actions.perform(tenant, documentId, { action: 'document.abandoned', detail: { reason } }, (loaded, now) => this.giveUp(loaded, reason, now));
    return { document_id: documentId, status, abandoned_at: at };
  }

  private async giveUp({ state }: LoadedDocument, reason: string, now: Date): Promise<ActionDecision> {
    requireAction(state, 'abandon');
    if (state.errorCode !== 'ANSWER_MISMATCH') return { decision: decideAbandon(state, reason, now, this.policy) };
    const consulted = await this.consultations.ask(state);
    return { decision: decideAbandon(state, reason, consulted.now, this.policy, isAnnulled(consulted.answer)), records: consulted.records };
  }
}
