import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { KillPoints } from '../../../platform/faults/kill-points.js';
import { Meters } from '../../../platform/observability/meters.js';
import { IssuanceBell } from '../../../platform/queue/issuance-bell.js';
import { firstOfDocument } from '../../../platform/tracing/document-trace.js';
import { beginSpan } from '../../../platform/tracing/spans.js';
import { CLOCK, type Clock } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { DocumentAccepted } from '../documents.responses.js';
import { retryOnConcurrentChange } from '../domain/concurrent-change.js';
import { IssuancePreflight } from '../issuing/issuance-preflight.js';
import { IssuingRepository } from '../persistence/issuing.repository.js';
import { StoredDocumentsRepository } from '../persistence/stored-documents.repository.js';

/** Issues a draft as it stands: the same checks as issuing at once, then the number. */
export class IssueDraft extends Command<DocumentAccepted> {
  constructor(
    readonly tenant: TenantContext,
    readonly documentId: string,
  ) {
    super();
  }
}

@CommandHandler(IssueDraft)
export class IssueDraftHandler implements ICommandHandler<IssueDraft> {
  constructor(
    private readonly documents: StoredDocumentsRepository,
    private readonly preflight: IssuancePreflight,
    private readonly issuing: IssuingRepository,
    private readonly bell: IssuanceBell,
    private readonly killPoints: KillPoints,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly meters: Meters,
  ) {}

  execute(command: IssueDraft): Promise<DocumentAccepted> {
    return retryOnConcurrentChange(() => this.attempt(command));
  }

  private async attempt({ tenant, documentId }: IssueDraft): Promise<DocumentAccepted> {
    const draft = await this.documents.find(tenant, documentId, 'issue');
    const context = await this.preflight.contextOf(tenant.tenantId, draft.place);
    const now = this.clock.now();
    const assessed = await this.preflight.requireIssuable(tenant, draft.place, context, draft.content, now);
    const { numericCode, documentType } = assessed.content;
    await this.killPoints.pass('before-reserve-commit', numericCode);
    const { access_key } = await this.issuing.issueDraft(tenant, draft, draft.place, assessed, now);
    await this.killPoints.pass('after-reserve-commit', numericCode);
    beginSpan(firstOfDocument({ tenantId: tenant.tenantId, documentId }, documentType))?.end();
    this.meters.count('documentsAccepted', { document_type: documentType });
    this.bell.ringSoon({ tenantId: tenant.tenantId, documentId, announcement: 1 });
    return { document_id: documentId, status: 'NUMBER_RESERVED', access_key };
  }
}
