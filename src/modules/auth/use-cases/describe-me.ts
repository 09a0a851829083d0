import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { DomainError } from '../../../shared/domain-error.js';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import type { MeRecord } from '../auth.responses.js';
import { PeopleRepository } from '../persistence/people.repository.js';

/** What a signed-in person may read about themselves. */
export class DescribeMe extends Query<MeRecord> {
  constructor(readonly userId: string) {
    super();
  }
}

@QueryHandler(DescribeMe)
export class DescribeMeHandler implements IQueryHandler<DescribeMe> {
  constructor(
    private readonly people: PeopleRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ userId }: DescribeMe): Promise<MeRecord> {
    const rows = await this.people.describe(userId);
    const [first] = rows;
    if (first === undefined) throw new DomainError('UNAUTHENTICATED');
    return {
      user_id: userId,
      email: first.email,
      name: first.name,
      email_verified: first.email_verified,
      is_platform_admin: first.is_platform_admin,
      has_password: first.has_password,
      identity_providers: first.providers,
      last_login_at: first.last_login_at,
      memberships: rows.flatMap(({ tenant_id, tenant_name, member_id, role, status }) =>
        tenant_id === null || tenant_name === null || member_id === null || role === null || status === null
          ? []
          : [{ tenant_id, tenant_name, member_id, role, status }],
      ),
      invitations: await this.people.invitationsOf(userId, this.clock.now()),
    };
  }
}
