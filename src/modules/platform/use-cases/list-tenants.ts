import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Acting } from '../../../platform/audit/audit-trail.js';
import type { PageQuery } from '../../../platform/http/paging.dto.js';
import { PlatformRepository } from '../persistence/platform.repository.js';
import type { PlatformTenantPage } from '../platform.responses.js';

/** A page of all tenants, newest first. */
export class ListTenants extends Query<PlatformTenantPage> {
  constructor(
    readonly admin: Acting,
    readonly page: PageQuery,
  ) {
    super();
  }
}

@QueryHandler(ListTenants)
export class ListTenantsHandler implements IQueryHandler<ListTenants> {
  constructor(private readonly platform: PlatformRepository) {}

  async execute({ admin, page: { page, page_size } }: ListTenants): Promise<PlatformTenantPage> {
    const { rows, total } = await this.platform.list(admin, page_size, (page - 1) * page_size);
    return { items: rows, total, page, page_size };
  }
}
