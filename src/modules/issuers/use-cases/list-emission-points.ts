import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { found } from '../../../shared/found.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { ActivePageQuery } from '../issuers.dto.js';
import type { EmissionPointPage } from '../issuers.responses.js';
import { EmissionPointsRepository, type EstablishmentPath } from '../persistence/emission-points.repository.js';

/** A page of an establishment's emission points, newest first. */
export class ListEmissionPoints extends Query<EmissionPointPage> {
  constructor(
    readonly tenant: TenantContext,
    readonly path: EstablishmentPath,
    readonly page: ActivePageQuery,
  ) {
    super();
  }
}

@QueryHandler(ListEmissionPoints)
export class ListEmissionPointsHandler implements IQueryHandler<ListEmissionPoints> {
  constructor(private readonly points: EmissionPointsRepository) {}

  async execute({ tenant, path, page: { page, page_size, is_active } }: ListEmissionPoints): Promise<EmissionPointPage> {
    const { rows, total } = found(await this.points.list(tenant.tenantId, path, is_active ?? null, page_size, (page - 1) * page_size));
    return { items: rows, total, page, page_size };
  }
}
