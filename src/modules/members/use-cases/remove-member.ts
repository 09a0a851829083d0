import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { requireMayTouch, requireNotOfTheirs, requireOwnerLeft } from '../domain/authority.js';
import { MembersRepository } from '../persistence/members.repository.js';

/** Takes a member out of the tenant, or an invitation back; the person's account stays. Keys that the member made go on unless they are to be revoked. */
export class RemoveMember extends Command<void> {
  constructor(
    readonly tenant: TenantContext,
    readonly memberId: string,
    readonly revokesKeys: boolean,
  ) {
    super();
  }
}

@CommandHandler(RemoveMember)
export class RemoveMemberHandler implements ICommandHandler<RemoveMember> {
  constructor(
    private readonly members: MembersRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ tenant, memberId, revokesKeys }: RemoveMember): Promise<void> {
    await this.members.change(
      tenant,
      memberId,
      ({ actor, member, otherOwners }) => {
        requireMayTouch(actor, member);
        requireNotOfTheirs(actor, member);
        requireOwnerLeft(member, otherOwners);
        // No list knows the member any more.
        const detail = { email: member.email, role: member.role, status: member.status };
        return { set: revokesKeys ? 'remove_with_keys' : 'remove', entry: { action: 'member.removed', detail } };
      },
      this.clock.now(),
    );
  }
}
