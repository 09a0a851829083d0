import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { found } from '../../../shared/found.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { PauseList } from '../documents.actions.responses.js';
import { PausesRepository } from '../persistence/pauses.repository.js';

/** What of an issuer waits because the SRI blocked it, newest first; resumed pauses stay visible. */
export class ListPauses extends Query<PauseList> {
  constructor(
    readonly tenant: TenantContext,
    readonly issuerId: string,
  ) {
    super();
  }
}

@QueryHandler(ListPauses)
export class ListPausesHandler implements IQueryHandler<ListPauses> {
  constructor(private readonly pauses: PausesRepository) {}

  async execute({ tenant, issuerId }: ListPauses): Promise<PauseList> {
    return { items: found(await this.pauses.list(tenant.tenantId, issuerId)) };
  }
}
