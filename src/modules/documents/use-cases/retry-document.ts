import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { DocumentActions } from '../actions/document-actions.js';
import type { RetryScheduled } from '../documents.actions.responses.js';
import { decideRetry } from '../domain/actions.js';
import type { SagaPolicy } from '../domain/document.js';
import { SAGA_POLICY } from '../saga/policy.js';

/** Sets a stuck document going again, its attempts counted anew. */
export class RetryDocument extends Command<RetryScheduled> {
  constructor(
    readonly tenant: TenantContext,
    readonly documentId: string,
  ) {
    super();
  }
}

@CommandHandler(RetryDocument)
export class RetryDocumentHandler implements ICommandHandler<RetryDocument> {
  constructor(
    private readonly actions: DocumentActions,
    @Inject(SAGA_POLICY) private readonly policy: SagaPolicy,
  ) {}

  async execute({ tenant, documentId }: RetryDocument): Promise<RetryScheduled> {
    const { status, at } = await this.actions.perform(tenant, documentId, { action: 'document.retried' }, ({ state }, now) => ({ decision: decideRetry(state, now, this.policy) }));
    return { document_id: documentId, status, retry_scheduled_at: at };
  }
}
