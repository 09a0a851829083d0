import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { type ActionDecision, DocumentActions } from '../actions/document-actions.js';
import type { DocumentAbandoned } from '../documents.actions.responses.js';
import { decideAbandon, notAllowed, requireAction } from '../domain/actions.js';
import { isAnnulled } from '../domain/cancellation.js';
import type { SagaPolicy } from '../domain/document.js';
import type { LoadedDocument } from '../persistence/documents.repository.js';
import { Consultations } from '../saga/consultations.js';
import { SAGA_POLICY } from '../saga/policy.js';

/** Gives a document up; its number stays with it, explained by the reason. */
export class AbandonDocument extends Command<DocumentAbandoned> {
  constructor(
    readonly tenant: TenantContext,
    readonly documentId: string,
    readonly reason: string,
    /** The caller saw in the SRI's portal that it is annulled. */
    readonly annulled = false,
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
  async execute(command: AbandonDocument): Promise<DocumentAbandoned> {
    const { tenant, documentId, reason } = command;
    const { status, at } = await this.actions.perform(tenant, documentId, { action: 'document.abandoned', detail: { reason } }, (loaded, now) => this.giveUp(loaded, command, now));
    return { document_id: documentId, status, abandoned_at: at };
  }

  private async giveUp({ state }: LoadedDocument, { reason, annulled }: AbandonDocument, now: Date): Promise<ActionDecision> {
    requireAction(state, 'abandon');
    if (state.errorCode !== 'ANSWER_MISMATCH') return { decision: decideAbandon(state, reason, now, this.policy) };
    const { answer, records, now: at } = await this.consultations.ask(state);
    // It tells of two months only; of earlier documents the portal alone does, and its reader.
    const isTold = annulled && answer.kind === 'unknown';
    const isShown = isAnnulled(answer);
    if (annulled && !isTold && !isShown) throw notAllowed(state, undefined, 'NOT_ANNULLED');
    return {
      decision: decideAbandon(state, reason, at, this.policy, isShown || isTold),
      records,
      ...(isTold && { entry: { action: 'document.abandoned', detail: { reason, annulled } } }),
    };
  }
}
