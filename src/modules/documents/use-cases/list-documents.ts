import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { DocumentStatus } from '../domain/lifecycle.js';
import type { DocumentListItem, DocumentPage } from '../documents.responses.js';

/** A page of the tenant's documents, newest first. */
export class ListDocuments extends Query<DocumentPage> {
  constructor(
    readonly tenant: TenantContext,
    readonly page: number,
    readonly pageSize: number,
    readonly status: DocumentStatus | null,
  ) {
    super();
  }
}

@QueryHandler(ListDocuments)
export class ListDocumentsHandler implements IQueryHandler<ListDocuments> {
  constructor(private readonly transaction: TenantTransaction) {}

  async execute({ tenant, page, pageSize, status }: ListDocuments): Promise<DocumentPage> {
    return this.transaction.run(tenant.tenantId, async (manager) => {
      const items = await manager.query<DocumentListItem[]>(
        `select d.id, d.issuer_id, i.razon_social as issuer_razon_social, d.document_type, d.sequential,
           to_char(d.issue_date, 'YYYY-MM-DD') as issue_date, d.total::text, d.status, d.buyer_name, d.buyer_id,
           d.access_key, d.authorization_number, d.authorization_date, d.sri_environment, d.created_at, d.updated_at
         from documents d join issuers i on i.tenant_id = d.tenant_id and i.id = d.issuer_id
         where d.tenant_id = $1 and ($2::text is null or d.status = $2)
         order by d.created_at desc, d.id desc
         limit $3 offset $4`,
        [tenant.tenantId, status, pageSize, (page - 1) * pageSize],
      );
      const [counted] = await manager.query<{ total: string }[]>(
        'select count(*) as total from documents d where d.tenant_id = $1 and ($2::text is null or d.status = $2)',
        [tenant.tenantId, status],
      );
      return { items, total: Number(counted?.total ?? 0), page, page_size: pageSize };
    });
  }
}
