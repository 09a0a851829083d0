import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import { DomainError } from '../../../shared/domain-error.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { PauseList, PauseRecord } from '../documents.acts.responses.js';

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
  constructor(private readonly transaction: TenantTransaction) {}

  async execute({ tenant, issuerId }: ListPauses): Promise<PauseList> {
    return this.transaction.run(tenant.tenantId, async (manager) => {
      const issuers = await manager.query<unknown[]>('select 1 from issuers where tenant_id = $1 and id = $2', [tenant.tenantId, issuerId]);
      if (issuers.length === 0) throw new DomainError('NOT_FOUND');
      const items = await manager.query<PauseRecord[]>(
        `select id, tenant_id, scope, issuer_id, establishment_id, emission_point_id, document_type, code as sri_code, document_id, created_at, resumed_at
         from issuing_pauses where tenant_id = $1 and issuer_id = $2 order by created_at desc, id limit 100`,
        [tenant.tenantId, issuerId],
      );
      return { items };
    });
  }
}
