import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { found } from '../../../shared/found.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { BuyerRecord } from '../buyers.responses.js';
import { BuyersRepository } from '../persistence/buyers.repository.js';

/** One profile of the tenant. */
export class GetBuyer extends Query<BuyerRecord> {
  constructor(
    readonly tenant: TenantContext,
    readonly profileId: string,
  ) {
    super();
  }
}

@QueryHandler(GetBuyer)
export class GetBuyerHandler implements IQueryHandler<GetBuyer> {
  constructor(private readonly buyers: BuyersRepository) {}

  async execute({ tenant, profileId }: GetBuyer): Promise<BuyerRecord> {
    return found(await this.buyers.find(tenant.tenantId, profileId));
  }
}
