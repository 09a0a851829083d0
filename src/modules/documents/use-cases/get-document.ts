import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import { utcInstant } from '../../../platform/database/utc-instant.js';
import type { Language } from '../../../shared/language.js';
import { found } from '../../../shared/found.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { DocumentContent } from '../../../sri/document-types/content.js';
import { documentRecord, PAUSE_COLUMN, RECORD_COLUMNS, type RecordRow, STATE_COLUMNS } from '../content/document-record.js';
import type { DocumentRecord } from '../documents.responses.js';

/** One document with all that a poller wants to know. */
export class GetDocument extends Query<DocumentRecord> {
  constructor(
    readonly tenant: TenantContext,
    readonly documentId: string,
    readonly language: Language = 'es',
  ) {
    super();
  }
}

@QueryHandler(GetDocument)
export class GetDocumentHandler implements IQueryHandler<GetDocument> {
  constructor(private readonly transaction: TenantTransaction) {}

  async execute({ tenant, documentId, language }: GetDocument): Promise<DocumentRecord> {
    const [row] = await this.transaction.run(tenant.tenantId, (manager) =>
      manager.query<(RecordRow & { content: DocumentContent })[]>(
        `select ${RECORD_COLUMNS}, ${STATE_COLUMNS}, c.content,
           case when m.id is not null then json_build_object(
             'id', m.id, 'status', m.status, 'recipient', m.recipient, 'failure', m.failure,
             'sent_at', ${utcInstant('m.sent_at')}) end as email,
           ${PAUSE_COLUMN}
         from documents d
         join document_contents c on c.tenant_id = d.tenant_id and c.document_id = d.id and c.revision = d.content_revision
         left join lateral (
           select * from mails where tenant_id = d.tenant_id and document_id = d.id order by created_at desc, id limit 1
         ) m on true
         where d.tenant_id = $1 and d.id = $2`,
        [tenant.tenantId, documentId],
      ),
    );
    const { content, ...columns } = found(row);
    return documentRecord(columns, content, language);
  }
}
