import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { actLine } from '../../../platform/audit/audit-trail.js';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import { KillPoints } from '../../../platform/faults/kill-points.js';
import { ValidationFailure } from '../../../platform/http/validation-failure.js';
import { IssuanceBell } from '../../../platform/queue/issuance-bell.js';
import { ofDocument } from '../../../platform/tracing/document-trace.js';
import { beginSpan } from '../../../platform/tracing/spans.js';
import type { Finding } from '../../../shared/finding.js';
import { CLOCK, type Clock } from '../../../shared/ports.js';
import { credentialOf, type TenantContext } from '../../../shared/tenant-context.js';
import type { DocumentContent } from '../../../sri/document-types/document.js';
import { defineRules, finding } from '../../../sri/document-types/rules/rule.js';
import type { DocumentCreateDto } from '../documents.dto.js';
import type { DocumentSyncSubmit } from '../documents.responses.js';
import { retryOnConcurrentChange } from '../domain/concurrent-change.js';
import { toContent } from './document-content.js';
import { headerOf, placeOf } from './document-place.js';
import { IssuingDesk, type Place, refuseErrors } from './issuing-desk.js';
import { type StoredDocument, StoredDocuments } from './stored-document.js';

const RULES = defineRules({
  'correction.fixed': {
    es: 'Una corrección conserva este dato: es parte del número o de la clave de acceso',
    en: 'A correction keeps this: it is part of the number or the access key',
    reference: 'Ficha técnica 5.10',
  },
});

/** Sends a refused document again with mended content under the same number (ficha técnica §5.10). */
export class CorrectDocument extends Command<DocumentSyncSubmit> {
  constructor(
    readonly tenant: TenantContext,
    readonly documentId: string,
    readonly body: DocumentCreateDto,
  ) {
    super();
  }
}

@CommandHandler(CorrectDocument)
export class CorrectDocumentHandler implements ICommandHandler<CorrectDocument> {
  constructor(
    private readonly documents: StoredDocuments,
    private readonly desk: IssuingDesk,
    private readonly transaction: TenantTransaction,
    private readonly bell: IssuanceBell,
    private readonly killPoints: KillPoints,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  execute(command: CorrectDocument): Promise<DocumentSyncSubmit> {
    return retryOnConcurrentChange(() => this.attempt(command));
  }

  private async attempt({ tenant, documentId, body }: CorrectDocument): Promise<DocumentSyncSubmit> {
    if (typeof body.idempotency_key === 'string') {
      throw new ValidationFailure([{ loc: ['body', 'idempotency_key'], type: 'extra_forbidden', input: null, ctx: {} }]);
    }
    const refused = await this.documents.find(tenant, documentId, 'correct');
    const requested = toContent(body);
    const place = placeOf(body);
    refuseErrors(await this.fixedParts(tenant, refused, place, requested));
    const { context } = await this.desk.lookUp(tenant.tenantId, place, null);
    if (!context) throw await this.desk.unknownPlace(tenant.tenantId, place);
    const now = this.clock.now();
    this.desk.refuseUnusable(context, now);
    const complete = await this.desk.withModifiedDocument(tenant, place, requested, now);
    const { content, issuer, findings } = this.desk.assess(complete, this.desk.snapshot(context, tenant), now);
    refuseErrors(findings);
    await this.killPoints.pass('before-correct-commit', content.numericCode);
    const { access_key } = await this.desk.callIssuing<{ access_key: string }>(
      tenant.tenantId,
      'select access_key, record_act($1, $10) from correct_document($1, $2, $3, $4, $5, $6, $7, $8, $9) as access_key',
      [
        credentialOf(tenant.principal), documentId, refused.version, now, JSON.stringify(headerOf(tenant, place, content)), JSON.stringify(content),
        JSON.stringify(issuer), JSON.stringify(findings),
        actLine(tenant, { action: 'document.corrected', target: { kind: 'document', id: documentId } }, now),
      ],
    );
    await this.killPoints.pass('after-correct-commit', content.numericCode);
    beginSpan(ofDocument('document.corrected', { tenantId: tenant.tenantId, documentId }))?.end();
    this.bell.ringSoon({ tenantId: tenant.tenantId, documentId, announcement: 1 });
    return {
      document_id: documentId,
      status: 'NUMBER_RESERVED',
      action_taken: 'pending',
      sri_messages: [],
      authorization_number: null,
      authorization_date: null,
      new_access_key: access_key === refused.accessKey ? null : access_key,
    };
  }

  /** What the number and the access key are made of must stay; the date may change only while the SRI stored nothing. */
  private async fixedParts(tenant: TenantContext, refused: StoredDocument, place: Place, content: DocumentContent): Promise<Finding[]> {
    const mayRedate = content.issueDate === refused.content.issueDate || !(await wasRefusedAtAuthorization(this.transaction, tenant, refused.id));
    const parts: readonly (readonly [string, string, string])[] = [
      ['/document_type', refused.content.documentType, content.documentType],
      ['/numeric_code', refused.content.numericCode, content.numericCode],
      ['/issuer_id', refused.place.issuerId, place.issuerId],
      ['/establishment_id', refused.place.establishmentId, place.establishmentId],
      ['/emission_point_id', refused.place.emissionPointId, place.emissionPointId],
      ...(mayRedate ? [] : [['/issue_date', refused.content.issueDate, content.issueDate] as const]),
    ];
    return parts.filter(([, expected, actual]) => expected !== actual).map(([pointer, expected, actual]) => finding(RULES['correction.fixed'], pointer, expected, actual));
  }
}

/** A refusal at authorization stays registered at the SRI under the access key. Older rows do not name the service that refused. */
export async function wasRefusedAtAuthorization(transaction: TenantTransaction, { tenantId }: TenantContext, documentId: string): Promise<boolean> {
  const rows = await transaction.run(tenantId, (manager) =>
    manager.query<unknown[]>(
      `select 1 from document_history where tenant_id = $1 and document_id = $2 and trigger = 'refused'
       and coalesce(detail ->> 'service', case from_status when 'SUBMITTED_TO_SRI' then 'reception' else 'authorization' end) = 'authorization' limit 1`,
      [tenantId, documentId],
    ),
  );
  return rows.length > 0;
}
