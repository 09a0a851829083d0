import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { MailPage } from '../notifications.responses.js';
import { MailsRepository } from '../persistence/mails.repository.js';

/** Every mail of a document and what became of it, newest first. */
export class ListDocumentMails extends Query<MailPage> {
  constructor(
    readonly tenant: TenantContext,
    readonly documentId: string,
    readonly page: number,
    readonly pageSize: number,
  ) {
    super();
  }
}

@QueryHandler(ListDocumentMails)
export class ListDocumentMailsHandler implements IQueryHandler<ListDocumentMails> {
  constructor(private readonly mails: MailsRepository) {}

  async execute({ tenant, documentId, page, pageSize }: ListDocumentMails): Promise<MailPage> {
    const { rows, total } = await this.mails.list(tenant.tenantId, documentId, pageSize, (page - 1) * pageSize);
    return { items: rows, total, page, page_size: pageSize };
  }
}
