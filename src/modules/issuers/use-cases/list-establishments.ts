import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { found } from '../../../shared/found.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { ActivePageQuery } from '../issuers.dto.js';
import type { EstablishmentPage } from '../issuers.responses.js';
import { EstablishmentsRepository } from '../persistence/establishments.repository.js';

/** A page of an issuer's establishments, newest first. */
export class ListEstablishments extends Query<EstablishmentPage> {
  constructor(
    readonly tenant: TenantContext,
    readonly issuerId: string,
    readonly page: ActivePageQuery,
  ) {
    super();
  }
}

@QueryHandler(ListEstablishments)
export class ListEstablishmentsHandler implements IQueryHandler<ListEstablishments> {
  constructor(private readonly establishments: EstablishmentsRepository) {}

  async execute({ tenant, issuerId, page: { page, page_size, is_active } }: ListEstablishments): Promise<EstablishmentPage> {
    const listed = await this.establishments.list(tenant.tenantId, issuerId, is_active ?? null, page_size, (page - 1) * page_size);
    const { rows, total } = found(listed);
    return { items: rows, total, page, page_size };
  }
}
