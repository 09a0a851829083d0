import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { decideAbandon } from '../domain/acts.js';
import type { SagaPolicy } from '../domain/document.js';
import type { DocumentAbandoned } from '../documents.acts.responses.js';
import { SAGA_POLICY } from '../saga/policy.js';
import { DocumentActs } from './document-acts.js';

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
    private readonly acts: DocumentActs,
    @Inject(SAGA_POLICY) private readonly policy: SagaPolicy,
  ) {}

  async execute({ tenant, documentId, reason }: AbandonDocument): Promise<DocumentAbandoned> {
    const { status, at } = await this.acts.perform(tenant, documentId, { action: 'document.abandoned', detail: { reason } }, ({ state }, now) => ({
      decision: decideAbandon(state, reason, now, this.policy),
    }));
    return { document_id: documentId, status, abandoned_at: at };
  }
}
