import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import { DomainError } from '../../../shared/domain-error.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { decideRetry } from '../domain/acts.js';
import type { SagaPolicy } from '../domain/document.js';
import type { RetryScheduled } from '../documents.acts.responses.js';
import { SAGA_POLICY } from '../saga/policy.js';
import { DocumentActs } from './document-acts.js';

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
    private readonly acts: DocumentActs,
    private readonly transaction: TenantTransaction,
    @Inject(SAGA_POLICY) private readonly policy: SagaPolicy,
  ) {}

  async execute({ tenant, documentId }: RetryDocument): Promise<RetryScheduled> {
    const { status, at } = await this.acts.perform(tenant, documentId, { action: 'document.retried' }, async ({ state, issuerId }, now) => {
      const decision = decideRetry(state, now, this.policy);
      if (decision.work?.step !== 'authorize') await this.refuseDisabled(tenant, issuerId);
      return { decision };
    });
    return { document_id: documentId, status, retry_scheduled_at: at };
  }

  /** Asking the SRI is free to everybody; for an issuer that is disabled nobody signs or sends anew. */
  private async refuseDisabled({ tenantId }: TenantContext, issuerId: string): Promise<void> {
    const enabled = await this.transaction.run(tenantId, (manager) =>
      manager.query<unknown[]>('select from issuers where tenant_id = $1 and id = $2 and is_active and disabled_at is null', [tenantId, issuerId]),
    );
    if (enabled.length === 0) throw new DomainError('ISSUER_DISABLED');
  }
}
