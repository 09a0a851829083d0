import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { DocumentActions } from '../actions/document-actions.js';
import type { DocumentAbandoned } from '../documents.actions.responses.js';
import { decideAbandon } from '../domain/actions.js';
import type { SagaPolicy } from '../domain/document.js';
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
    @Inject(SAGA_POLICY) private readonly policy: SagaPolicy,
  ) {}

  async execute({ tenant, documentId, reason }: AbandonDocument): Promise<DocumentAbandoned> {
    const { status, at } = await this.actions.perform(tenant, documentId, { action: 'document.abandoned', detail: { reason } }, ({ state }, now) => ({
      decision: decideAbandon(state, reason, now, this.policy),
    }));
    return { document_id: documentId, status, abandoned_at: at };
  }
}
