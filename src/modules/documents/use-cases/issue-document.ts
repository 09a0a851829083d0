import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { KillPoints } from '../../../platform/faults/kill-points.js';
import { noteDocument } from '../../../platform/observability/log-context.js';
import { Meters } from '../../../platform/observability/meters.js';
import { IssuanceBell } from '../../../platform/queue/issuance-bell.js';
import { firstOfDocument } from '../../../platform/tracing/document-trace.js';
import { beginSpan } from '../../../platform/tracing/spans.js';
import { CLOCK, type Clock, IDS, type Ids } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { toContent } from '../content/document-content.js';
import { placeOf } from '../content/document-place.js';
import { fingerprint } from '../content/fingerprint.js';
import type { DocumentCreateDto } from '../documents.dto.js';
import { retryOnConcurrentChange } from '../domain/concurrent-change.js';
import { IssuancePreflight } from '../issuing/issuance-preflight.js';
import { IssuingRepository } from '../persistence/issuing.repository.js';
import { type Replay, requireSameRequest } from '../persistence/same-request.js';

/** Issues a document: checks everything that can be checked, then takes the number. */
export class IssueDocument extends Command<IssuedDocument> {
  constructor(
    readonly tenant: TenantContext,
    readonly body: DocumentCreateDto,
    readonly idempotencyKey: string | null,
  ) {
    super();
  }
}

interface Acceptance extends Record<string, unknown> {
  readonly document_id: string;
  readonly status: string;
  readonly access_key: string;
}

export interface IssuedDocument {
  readonly answer: Acceptance;
  /** True when an earlier request with the same key and content created the document. */
  readonly replayed: boolean;
}

@CommandHandler(IssueDocument)
export class IssueDocumentHandler implements ICommandHandler<IssueDocument> {
  constructor(
    private readonly preflight: IssuancePreflight,
    private readonly issuing: IssuingRepository,
    private readonly bell: IssuanceBell,
    private readonly killPoints: KillPoints,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
    private readonly meters: Meters,
  ) {}

  execute(command: IssueDocument): Promise<IssuedDocument> {
    return retryOnConcurrentChange(() => this.attempt(command));
  }

  private async attempt({ tenant, body, idempotencyKey }: IssueDocument): Promise<IssuedDocument> {
    const place = placeOf(body);
    const requestFingerprint = fingerprint(body);
    const { context, replay } = await this.preflight.lookUp(tenant.tenantId, place, idempotencyKey);
    if (replay) return replayOf(replay, requestFingerprint);
    const now = this.clock.now();
    const assessed = await this.preflight.requireIssuable(tenant, place, context, toContent(body), now);
    const { numericCode, documentType } = assessed.content;
    await this.killPoints.pass('before-reserve-commit', numericCode);
    const issued = await this.issuing.issue(tenant, this.ids.uuid(), place, assessed, { idempotencyKey, fingerprint: requestFingerprint }, now);
    if (issued.outcome === 'replayed') return replayOf(issued, requestFingerprint);
    await this.killPoints.pass('after-reserve-commit', numericCode);
    const answer = issued.response as Acceptance;
    noteDocument(answer.document_id);
    beginSpan(firstOfDocument({ tenantId: tenant.tenantId, documentId: answer.document_id }, documentType))?.end();
    this.meters.count('documentsAccepted', { document_type: documentType });
    // Behind an earlier number it is in no hurry: the relay rings for it when its turn has come, or when there is room.
    if (issued.outcome === 'accepted') this.bell.ringSoon({ tenantId: tenant.tenantId, documentId: answer.document_id, announcement: 1 });
    return { answer, replayed: false };
  }
}

function replayOf(first: Replay, requestFingerprint: string): IssuedDocument {
  requireSameRequest(first, 'issue', requestFingerprint);
  return { answer: first.response as Acceptance, replayed: true };
}
