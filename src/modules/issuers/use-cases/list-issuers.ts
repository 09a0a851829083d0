import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { issuerAnswer } from '../answers/issuer-answer.js';
import type { ActivePageQuery } from '../issuers.dto.js';
import type { IssuerPage } from '../issuers.responses.js';
import { IssuersRepository } from '../persistence/issuers.repository.js';

/** A page of the tenant's issuers, newest first. */
export class ListIssuers extends Query<IssuerPage> {
  constructor(
    readonly tenant: TenantContext,
    readonly page: ActivePageQuery,
  ) {
    super();
  }
}

@QueryHandler(ListIssuers)
export class ListIssuersHandler implements IQueryHandler<ListIssuers> {
  constructor(private readonly issuers: IssuersRepository) {}

  async execute({ tenant, page: { page, page_size, is_active } }: ListIssuers): Promise<IssuerPage> {
    const { rows, total } = await this.issuers.list(tenant.tenantId, is_active ?? null, page_size, (page - 1) * page_size);
    return { items: rows.map(issuerAnswer), total, page, page_size };
  }
}
