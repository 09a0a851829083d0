import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { KillPoints } from '../../../platform/faults/kill-points.js';
import { Prepared } from '../../../platform/database/tenant-transaction.js';
import { noteDocument } from '../../../platform/observability/log-context.js';
import { Meters } from '../../../platform/observability/meters.js';
import { IssuanceBell } from '../../../platform/queue/issuance-bell.js';
import { firstOfDocument } from '../../../platform/tracing/document-trace.js';
import { beginSpan } from '../../../platform/tracing/spans.js';
import { CLOCK, type Clock, IDS, type Ids } from '../../../shared/ports.js';
import { credentialOf, type TenantContext } from '../../../shared/tenant-context.js';
import type { DocumentCreateDto } from '../documents.dto.js';
import { retryOnConcurrentChange } from '../domain/concurrent-change.js';
import { toContent } from './document-content.js';
import { headerOf, placeOf } from './document-place.js';
import { fingerprint } from './fingerprint.js';
import { duplicateKey, IssuingDesk, refuseErrors, type Replay } from './issuing-desk.js';

/** Looks at the credential behind the wait for the number too; issue_document itself looks before, and refuses more: nobody issues for a closed tenant. */
const ISSUE = new Prepared('issue', 'select d.*, require_credential($1, $2, $4) from issue_document($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) d');

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
    private readonly desk: IssuingDesk,
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
    const print = fingerprint(body);
    const { context, replay } = await this.desk.lookUp(tenant.tenantId, place, idempotencyKey);
    if (replay) return replayOf(replay, print);
    if (!context) throw await this.desk.unknownPlace(tenant.tenantId, place);

    const now = this.clock.now();
    this.desk.refuseUnusable(context, now);
    const complete = await this.desk.withModifiedDocument(tenant, place, toContent(body), now);
    const { content, issuer, findings } = this.desk.assess(complete, this.desk.snapshot(context, tenant), now);
    refuseErrors(findings);

    await this.killPoints.pass('before-reserve-commit', content.numericCode);
    // Number, access key, document, contents, history and due work: one call, all or nothing.
    const issued = await this.desk.callIssuing<Replay & { outcome: 'accepted' | 'in_line' | 'replayed' }>(
      tenant.tenantId,
      ISSUE,
      [
        credentialOf(tenant.principal), this.ids.uuid(), now, JSON.stringify(headerOf(tenant, place, content)), JSON.stringify(content),
        JSON.stringify(issuer), JSON.stringify(findings), idempotencyKey, print,
      ],
    );
    if (issued.outcome === 'replayed') return replayOf(issued, print);
    await this.killPoints.pass('after-reserve-commit', content.numericCode);
    const answer = issued.response as Acceptance;
    noteDocument(answer.document_id);
    beginSpan(firstOfDocument({ tenantId: tenant.tenantId, documentId: answer.document_id }, content.documentType))?.end();
    this.meters.count('documentsAccepted', { document_type: content.documentType });
    // Behind an earlier number it is in no hurry: the relay rings for it when its turn has come, or when there is room.
    if (issued.outcome === 'accepted') this.bell.ringSoon({ tenantId: tenant.tenantId, documentId: answer.document_id, announcement: 1 });
    return { answer, replayed: false };
  }
}

function replayOf(first: Replay, print: string): IssuedDocument {
  if (first.operation !== 'issue' || first.fingerprint !== print) throw duplicateKey(first);
  return { answer: first.response as Acceptance, replayed: true };
}
