import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { found } from '../../../shared/found.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { issuerAnswer } from '../answers/issuer-answer.js';
import type { IssuerRecord } from '../issuers.responses.js';
import { IssuersRepository } from '../persistence/issuers.repository.js';

/** One issuer of the tenant. */
export class GetIssuer extends Query<IssuerRecord> {
  constructor(
    readonly tenant: TenantContext,
    readonly issuerId: string,
  ) {
    super();
  }
}

@QueryHandler(GetIssuer)
export class GetIssuerHandler implements IQueryHandler<GetIssuer> {
  constructor(private readonly issuers: IssuersRepository) {}

  async execute({ tenant, issuerId }: GetIssuer): Promise<IssuerRecord> {
    return issuerAnswer(found(await this.issuers.find(tenant.tenantId, issuerId)));
  }
}
