import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { found } from '../../../shared/found.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { EstablishmentRecord } from '../issuers.responses.js';
import { EstablishmentsRepository } from '../persistence/establishments.repository.js';

/** One establishment of an issuer. */
export class GetEstablishment extends Query<EstablishmentRecord> {
  constructor(
    readonly tenant: TenantContext,
    readonly issuerId: string,
    readonly establishmentId: string,
  ) {
    super();
  }
}

@QueryHandler(GetEstablishment)
export class GetEstablishmentHandler implements IQueryHandler<GetEstablishment> {
  constructor(private readonly establishments: EstablishmentsRepository) {}

  async execute({ tenant, issuerId, establishmentId }: GetEstablishment): Promise<EstablishmentRecord> {
    return found(await this.establishments.find(tenant.tenantId, issuerId, establishmentId));
  }
}
