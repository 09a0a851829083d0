import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { RequestOrigin } from '../../../platform/http/service-request.js';
import type { SignedInPerson } from '../../../platform/security/person.js';
import { DomainError } from '../../../shared/domain-error.js';
import { type Clock, CLOCK, type Ids, IDS } from '../../../shared/ports.js';
import type { FoundedTenantRecord } from '../auth.responses.js';
import { PeopleRepository } from '../persistence/people.repository.js';

/** A signed-in person founds a (further) tenant, and owns it. */
export class FoundOwnTenant extends Command<FoundedTenantRecord> {
  constructor(
    readonly person: SignedInPerson,
    readonly name: string,
    readonly origin: RequestOrigin,
  ) {
    super();
  }
}

const MOST_OWNED = 20;

@CommandHandler(FoundOwnTenant)
export class FoundOwnTenantHandler implements ICommandHandler<FoundOwnTenant> {
  constructor(
    private readonly people: PeopleRepository,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  /** @throws DomainError FORBIDDEN while the address is not confirmed, INVALID_STATE for who owns enough of them, UNAUTHENTICATED when the session has ended meanwhile */
  async execute({ person, name, origin }: FoundOwnTenant): Promise<FoundedTenantRecord> {
    const [tenantId, memberId] = [this.ids.uuid(), this.ids.uuid()];
    const outcome = await this.people.foundTenant(person, { tenantId, name, memberId }, MOST_OWNED, this.clock.now(), origin);
    if (outcome === null) throw new DomainError('UNAUTHENTICATED');
    if (outcome === 'unconfirmed') throw new DomainError('FORBIDDEN', { reason: 'email_unconfirmed' });
    if (outcome === 'too_many') throw new DomainError('INVALID_STATE', { reason: 'too_many_tenants', limit: MOST_OWNED });
    return { tenant_id: tenantId, tenant_name: name, member_id: memberId };
  }
}
