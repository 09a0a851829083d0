import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { PageQuery } from '../../../platform/http/paging.dto.js';
import { found } from '../../../shared/found.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { PauseList } from '../documents.actions.responses.js';
import { PausesRepository } from '../persistence/pauses.repository.js';

/** A page of what of an issuer waits because the SRI blocked it, newest first; resumed pauses stay visible. */
export class ListPauses extends Query<PauseList> {
  constructor(
    readonly tenant: TenantContext,
    readonly issuerId: string,
    readonly page: PageQuery,
  ) {
    super();
  }
}

@QueryHandler(ListPauses)
export class ListPausesHandler implements IQueryHandler<ListPauses> {
  constructor(private readonly pauses: PausesRepository) {}

  async execute({ tenant, issuerId, page: { page, page_size } }: ListPauses): Promise<PauseList> {
    const { rows, total } = found(await this.pauses.list(tenant.tenantId, issuerId, page_size, (page - 1) * page_size));
    return { items: rows, total, page, page_size };
  }
}
