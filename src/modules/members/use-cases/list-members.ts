import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { PageQuery } from '../../../platform/http/paging.dto.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { MemberPage } from '../members.responses.js';
import { MembersRepository } from '../persistence/members.repository.js';

/** A page of the tenant's members and invitations, newest first. */
export class ListMembers extends Query<MemberPage> {
  constructor(
    readonly tenant: TenantContext,
    readonly page: PageQuery,
  ) {
    super();
  }
}

@QueryHandler(ListMembers)
export class ListMembersHandler implements IQueryHandler<ListMembers> {
  constructor(private readonly members: MembersRepository) {}

  async execute({ tenant, page: { page, page_size } }: ListMembers): Promise<MemberPage> {
    const { rows, total } = await this.members.list(tenant.tenantId, page_size, (page - 1) * page_size);
    return { items: rows, total, page, page_size };
  }
}
