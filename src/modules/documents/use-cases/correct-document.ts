import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { actLine } from '../../../platform/audit/audit-trail.js';
import { KillPoints } from '../../../platform/faults/kill-points.js';
import { ValidationFailure } from '../../../platform/http/validation-failure.js';
import { IssuanceBell } from '../../../platform/queue/issuance-bell.js';
import { ofDocument } from '../../../platform/tracing/document-trace.js';
import { beginSpan } from '../../../platform/tracing/spans.js';
import type { Finding } from '../../../shared/finding.js';
import { CLOCK, type Clock } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { DocumentContent } from '../../../sri/document-types/content.js';
import { defineRules, finding } from '../../../sri/document-types/rules/rule.js';
import { toContent } from '../content/document-content.js';
import { placeOf } from '../content/document-place.js';
import type { DocumentCreateDto } from '../documents.dto.js';
import type { DocumentSyncSubmit } from '../documents.responses.js';
import { retryOnConcurrentChange } from '../domain/concurrent-change.js';
import type { Place } from '../domain/issuance.js';
import { referredTo } from '../domain/outdated-reference.js';
import { IssuancePreflight, refuseErrors } from '../issuing/issuance-preflight.js';
import { IssuingRepository } from '../persistence/issuing.repository.js';
import { type StoredDocument, StoredDocumentsRepository } from '../persistence/stored-documents.repository.js';

const RULES = defineRules({
  'correction.fixed': {
    es: 'Una corrección conserva este dato: es parte del número o de la clave de acceso',
    en: 'A correction keeps this: it is part of the number or the access key',
    reference: 'Ficha técnica 2.32, sección 5.10',
  },
});

/** Sends a refused document again with corrected content under the same number (ficha técnica §5.10). */
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
    private readonly documents: StoredDocumentsRepository,
    private readonly preflight: IssuancePreflight,
    private readonly issuing: IssuingRepository,
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
    const context = await this.preflight.contextOf(tenant.tenantId, place);
    const now = this.clock.now();
    const issuable = await this.preflight.requireIssuable(tenant, place, context, requested, now);
    const { numericCode, issueDate } = issuable.content;
    const outdated = referredTo(await this.documents.outdatedReferences(tenant, documentId, issueDate));
    const assessed = { ...issuable, findings: [...outdated, ...issuable.findings] };
    await this.killPoints.pass('before-correct-commit', numericCode);
    const act = actLine(tenant, { action: 'document.corrected', target: { kind: 'document', id: documentId } }, now);
    const { access_key } = await this.issuing.correct(tenant, refused, place, assessed, act, now);
    await this.killPoints.pass('after-correct-commit', numericCode);
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

  /** Findings where a part was changed of which number and access key are made; the date may change only while the SRI stored nothing. */
  private async fixedParts(tenant: TenantContext, refused: StoredDocument, place: Place, content: DocumentContent): Promise<Finding[]> {
    const mayRedate = content.issueDate === refused.content.issueDate || !(await this.documents.wasRefusedAtAuthorization(tenant, refused.id));
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
