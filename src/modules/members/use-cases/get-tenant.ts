import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { TenantRecord } from '../members.responses.js';
import { TenantRepository } from '../persistence/tenant.repository.js';

/** The tenant that the caller acts in. */
export class GetTenant extends Query<TenantRecord> {
  constructor(readonly tenant: TenantContext) {
    super();
  }
}

@QueryHandler(GetTenant)
export class GetTenantHandler implements IQueryHandler<GetTenant> {
  constructor(private readonly tenants: TenantRepository) {}

  async execute({ tenant }: GetTenant): Promise<TenantRecord> {
    return { ...(await this.tenants.find(tenant.tenantId)), sri_environment: tenant.environment };
  }
}
