import type { Language } from '../../../shared/language.js';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { DocumentContent, IssuerSnapshot } from '../../../sri/document-types/content.js';
import { documentRecord, RECORD_COLUMNS, type RecordRow, STATE_COLUMNS } from '../content/document-record.js';
import type { DocumentRecord } from '../documents.responses.js';
import { draftDeleted } from '../domain/actions.js';
import type { Place } from '../domain/issuance.js';
import { IssuancePreflight } from '../issuing/issuance-preflight.js';
import { headerOf } from '../persistence/issuing.repository.js';
import { ModifiedDocumentsRepository } from '../persistence/modified-documents.repository.js';

/** A draft as it was created, whatever became of it since: what a repeated request is answered. */
export class GetCreatedDraft extends Query<DocumentRecord> {
  /** @param place of the request, which a repetition has in common with the first one */
  constructor(
    readonly tenant: TenantContext,
    readonly documentId: string,
    readonly place: Place,
    readonly language: Language,
  ) {
    super();
  }
}

interface Created {
  readonly content: DocumentContent;
  readonly issuer: IssuerSnapshot;
  readonly created_at: Date;
  readonly idempotency_key: string | null;
}

/**
 * Nothing is kept for repetitions: the first content and the issuer of that moment stay with the document, and the rest
 * of the record follows from them; its warnings are found anew, as of the day it was created and
 * by what its original says now. A deleted draft leaves nothing to answer with.
 */
@QueryHandler(GetCreatedDraft)
export class GetCreatedDraftHandler implements IQueryHandler<GetCreatedDraft> {
  constructor(
    private readonly transaction: TenantTransaction,
    private readonly originals: ModifiedDocumentsRepository,
    private readonly preflight: IssuancePreflight,
  ) {}

  async execute({ tenant, documentId, place, language }: GetCreatedDraft): Promise<DocumentRecord> {
    const { content, issuer, created_at, idempotency_key } = await this.created(tenant, documentId);
    const judged = await this.originals.withOriginalNamed(tenant.tenantId, place.issuerId, content);
    const { findings } = this.preflight.assess({ content: judged, findings: [] }, issuer, created_at);
    const row = {
      ...headerOf(tenant, place, content),
      id: documentId, tenant_id: tenant.tenantId, status: 'DRAFT', version: 1, idempotency_key, sri_messages: [], warnings: findings, created_at, updated_at: created_at,
    };
    // PostgreSQL writes the amounts as it wrote those of the row.
    const [columns] = await this.transaction.run(tenant.tenantId, (manager) =>
      manager.query<[RecordRow]>(`select ${RECORD_COLUMNS}, ${STATE_COLUMNS}, null as email from jsonb_populate_record(null::documents, $1) d`, [JSON.stringify(row)]),
    );
    return documentRecord(columns, content, language);
  }

  /** @throws DomainError NOT_FOUND */
  private async created({ tenantId }: TenantContext, documentId: string): Promise<Created> {
    const [row] = await this.transaction.run(tenantId, (manager) =>
      manager.query<Created[]>(
        `select c.content, c.issuer_snapshot as issuer, d.created_at, d.idempotency_key
         from documents d join document_contents c on c.tenant_id = d.tenant_id and c.document_id = d.id and c.revision = 1
         where d.tenant_id = $1 and d.id = $2`,
        [tenantId, documentId],
      ),
    );
    if (!row) throw draftDeleted(documentId);
    return row;
  }
}
