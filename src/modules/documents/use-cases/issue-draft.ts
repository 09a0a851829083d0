import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { KillPoints } from '../../../platform/faults/kill-points.js';
import { Meters } from '../../../platform/observability/meters.js';
import { IssuanceBell } from '../../../platform/queue/issuance-bell.js';
import { firstOfDocument } from '../../../platform/tracing/document-trace.js';
import { beginSpan } from '../../../platform/tracing/spans.js';
import { CLOCK, type Clock } from '../../../shared/ports.js';
import { credentialOf, type TenantContext } from '../../../shared/tenant-context.js';
import type { DocumentAccepted } from '../documents.responses.js';
import { retryOnConcurrentChange } from '../domain/concurrent-change.js';
import { headerOf } from './document-place.js';
import { IssuingDesk, refuseErrors } from './issuing-desk.js';
import { StoredDocuments } from './stored-document.js';

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
    private readonly documents: StoredDocuments,
    private readonly desk: IssuingDesk,
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
    const { context } = await this.desk.lookUp(tenant.tenantId, draft.place, null);
    if (!context) throw await this.desk.unknownPlace(tenant.tenantId, draft.place);
    const now = this.clock.now();
    this.desk.refuseUnusable(context, now);
    const complete = await this.desk.withModifiedDocument(tenant, draft.place, draft.content, now);
    const { content, issuer, findings } = this.desk.assess(complete, this.desk.snapshot(context, tenant), now);
    refuseErrors(findings);
    await this.killPoints.pass('before-reserve-commit', content.numericCode);
    const { access_key } = await this.desk.callIssuing<{ access_key: string }>(
      tenant.tenantId,
      'select issue_draft($1, $2, $3, $4, $5, $6, $7, $8, $9) as access_key, require_credential($1, $2, $5)',
      [
        credentialOf(tenant.principal), documentId, draft.version, now, JSON.stringify(headerOf(tenant, draft.place, content)), JSON.stringify(content),
        JSON.stringify(issuer), JSON.stringify(findings),
      ],
    );
    await this.killPoints.pass('after-reserve-commit', content.numericCode);
    beginSpan(firstOfDocument({ tenantId: tenant.tenantId, documentId }, content.documentType))?.end();
    this.meters.count('documentsAccepted', { document_type: content.documentType });
    this.bell.ringSoon({ tenantId: tenant.tenantId, documentId, announcement: 1 });
    return { document_id: documentId, status: 'NUMBER_RESERVED', access_key };
  }
}
