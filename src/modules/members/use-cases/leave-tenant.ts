import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Settings, SETTINGS, sriEnvironment } from '../../../config/settings.js';
import type { RequestOrigin } from '../../../platform/http/service-request.js';
import type { SignedInPerson } from '../../../platform/security/person.js';
import { DomainError } from '../../../shared/domain-error.js';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { requireOwnerLeft } from '../domain/authority.js';
import { MembersRepository } from '../persistence/members.repository.js';

/** Takes a person out of a tenant of theirs, of their own will, whatever their role there. Keys that they made go on, unless nobody and nothing is left: the tenant is closed then. */
export class LeaveTenant extends Command<void> {
  constructor(
    readonly person: SignedInPerson,
    readonly tenantId: string,
    readonly origin: RequestOrigin,
  ) {
    super();
  }
}

@CommandHandler(LeaveTenant)
export class LeaveTenantHandler implements ICommandHandler<LeaveTenant> {
  constructor(
    private readonly members: MembersRepository,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError NOT_FOUND for who is no member, FORBIDDEN for who is suspended, INVALID_STATE for the last owner of a tenant that has other members or an issuer */
  async execute({ person, tenantId, origin }: LeaveTenant): Promise<void> {
    const tenant = await this.tenantOf(person, tenantId, origin);
    await this.members.change(
      tenant.context,
      tenant.memberId,
      ({ member, otherOwners, isAlone }) => {
        const closes = isAlone && member.role === 'tenant_owner';
        if (!closes) requireOwnerLeft(member, otherOwners);
        // No list knows the member any more.
        return { set: closes ? 'remove_and_close' : 'remove', entry: { action: 'member.left', detail: { email: member.email, role: member.role } } };
      },
      this.clock.now(),
      null,
    );
  }

  /** The tenant as one in which the person acts as the member they are, an administrator of the platform too. */
  private async tenantOf({ userId, sessionId, memberships }: SignedInPerson, tenantId: string, origin: RequestOrigin): Promise<{ context: TenantContext; memberId: string }> {
    const place = memberships.find((one) => one.tenantId === tenantId);
    if (place === undefined) {
      if (await this.members.isSuspended(userId, tenantId)) throw new DomainError('FORBIDDEN', { reason: 'no_active_membership' });
      throw new DomainError('NOT_FOUND');
    }
    const { memberId, role } = place;
    return { context: { tenantId, principal: { kind: 'user', id: userId, sessionId, memberId, role }, environment: sriEnvironment(this.settings), origin }, memberId };
  }
}
