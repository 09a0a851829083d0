import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import { DomainError } from '../../../shared/domain-error.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { DocumentHistory, HistoryEntry } from '../documents.actions.responses.js';

/** Every move of a document and every exchange with the SRI about it, oldest first. */
export class GetDocumentHistory extends Query<DocumentHistory> {
  constructor(
    readonly tenant: TenantContext,
    readonly documentId: string,
  ) {
    super();
  }
}

@QueryHandler(GetDocumentHistory)
export class GetDocumentHistoryHandler implements IQueryHandler<GetDocumentHistory> {
  constructor(private readonly transaction: TenantTransaction) {}

  async execute({ tenant, documentId }: GetDocumentHistory): Promise<DocumentHistory> {
    const items = await this.transaction.run(tenant.tenantId, (manager) =>
      manager.query<HistoryEntry[]>(
        // Moves in the order in which they were made, and each call behind the last of them that was made by then: clocks differ.
        `select kind, at, version, from_status, trigger, to_status, detail, service, signing_no, outcome, finished_at, sri_messages, excerpt from (
           select 'move' as kind, h.at, h.version as place, h.version, h.from_status, h.trigger, h.to_status, h.detail,
             null as service, null::integer as signing_no, null as outcome, null::timestamptz as finished_at, null::jsonb as sri_messages, null as excerpt
           from document_history h where h.tenant_id = $1 and h.document_id = $2
           union all
           select 'sri_call', a.started_at,
             coalesce((select max(m.version) from document_history m where m.tenant_id = $1 and m.document_id = $2 and m.at <= a.started_at), 0),
             null, null, null, null, null,
             a.service, a.signing_no, a.outcome, a.finished_at, a.messages, a.excerpt
           from sri_attempts a where a.tenant_id = $1 and a.document_id = $2
         ) entry
         order by place, version nulls last, at`,
        [tenant.tenantId, documentId],
      ),
    );
    if (items.length === 0) throw new DomainError('NOT_FOUND');
    return { document_id: documentId, items };
  }
}
