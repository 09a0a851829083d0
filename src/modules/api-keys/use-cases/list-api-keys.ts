import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { PageQuery } from '../../../platform/http/paging.dto.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { ApiKeyPage } from '../api-keys.responses.js';
import { ApiKeysRepository } from '../persistence/api-keys.repository.js';

/** A page of the tenant's keys, revoked ones too, newest first. */
export class ListApiKeys extends Query<ApiKeyPage> {
  constructor(
    readonly tenant: TenantContext,
    readonly page: PageQuery,
  ) {
    super();
  }
}

@QueryHandler(ListApiKeys)
export class ListApiKeysHandler implements IQueryHandler<ListApiKeys> {
  constructor(private readonly keys: ApiKeysRepository) {}

  async execute({ tenant, page: { page, page_size } }: ListApiKeys): Promise<ApiKeyPage> {
    const { rows, total } = await this.keys.list(tenant.tenantId, page_size, (page - 1) * page_size);
    return { items: rows, total, page, page_size };
  }
}
