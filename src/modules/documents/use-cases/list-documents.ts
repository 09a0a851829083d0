import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { DocumentFilter } from '../domain/document-filter.js';
import type { DocumentPage } from '../documents.responses.js';
import { DocumentListsRepository } from '../persistence/document-lists.repository.js';

/** A page of the tenant's documents, newest first. */
export class ListDocuments extends Query<DocumentPage> {
  constructor(
    readonly tenant: TenantContext,
    readonly filter: DocumentFilter,
    readonly page: number,
    readonly pageSize: number,
  ) {
    super();
  }
}

@QueryHandler(ListDocuments)
export class ListDocumentsHandler implements IQueryHandler<ListDocuments> {
  constructor(private readonly lists: DocumentListsRepository) {}

  async execute({ tenant, filter, page, pageSize }: ListDocuments): Promise<DocumentPage> {
    const { items, total } = await this.lists.page(tenant.tenantId, filter, pageSize, (page - 1) * pageSize);
    return { items, total, page, page_size: pageSize };
  }
}
