import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { actLine, type AuditEntry } from '../../../platform/audit/audit-trail.js';
import { DomainError } from '../../../shared/domain-error.js';
import { CLOCK, type Clock } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { retryOnConcurrentChange } from '../domain/concurrent-change.js';
import { IssuingRepository } from '../persistence/issuing.repository.js';
import { StoredDocumentsRepository } from '../persistence/stored-documents.repository.js';

/** Deletes a draft. Its idempotency key stays used. */
export class DeleteDraft extends Command<void> {
  constructor(
    readonly tenant: TenantContext,
    readonly documentId: string,
  ) {
    super();
  }
}

@CommandHandler(DeleteDraft)
export class DeleteDraftHandler implements ICommandHandler<DeleteDraft> {
  constructor(
    private readonly documents: StoredDocumentsRepository,
    private readonly issuing: IssuingRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  execute(command: DeleteDraft): Promise<void> {
    return retryOnConcurrentChange(() => this.attempt(command));
  }

  private async attempt({ tenant, documentId }: DeleteDraft): Promise<void> {
    const draft = await this.documents.find(tenant, documentId, 'delete');
    const entry: AuditEntry = { action: 'document.deleted', target: { kind: 'document', id: documentId }, detail: { document_type: draft.content.documentType } };
    try {
      await this.issuing.deleteDraft(tenant, draft, actLine(tenant, entry, this.clock.now()));
    } catch (error) {
      if (!(error instanceof DomainError && error.code === 'NOT_FOUND' && (error.detail as { field?: string } | null)?.field === 'modified_document_id')) throw error;
      // Not the draft is missing: another one names it as its original, and would name nothing.
      throw new DomainError('INVALID_STATE', { status: 'DRAFT', reason: 'referred_to', allowed_actions: ['issue', 'edit'] });
    }
  }
}
