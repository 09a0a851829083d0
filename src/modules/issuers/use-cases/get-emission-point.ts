import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { found } from '../../../shared/found.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { EmissionPointRecord } from '../issuers.responses.js';
import { EmissionPointsRepository, type EstablishmentPath } from '../persistence/emission-points.repository.js';

/** One emission point of an establishment. */
export class GetEmissionPoint extends Query<EmissionPointRecord> {
  constructor(
    readonly tenant: TenantContext,
    readonly path: EstablishmentPath,
    readonly emissionPointId: string,
  ) {
    super();
  }
}

@QueryHandler(GetEmissionPoint)
export class GetEmissionPointHandler implements IQueryHandler<GetEmissionPoint> {
  constructor(private readonly points: EmissionPointsRepository) {}

  async execute({ tenant, path, emissionPointId }: GetEmissionPoint): Promise<EmissionPointRecord> {
    return found(await this.points.find(tenant.tenantId, path, emissionPointId));
  }
}
