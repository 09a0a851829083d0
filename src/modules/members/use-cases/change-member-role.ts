import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import type { MemberRole, TenantContext } from '../../../shared/tenant-context.js';
import { stillThere } from '../answers/still-there.js';
import { requireMayGive, requireMayTouch, requireNoRise, requireOwnerLeft } from '../domain/authority.js';
import type { MemberRecord } from '../members.responses.js';
import { MembersRepository } from '../persistence/members.repository.js';

/** Gives a member another role; it acts from the member's next request on. */
export class ChangeMemberRole extends Command<MemberRecord> {
  constructor(
    readonly tenant: TenantContext,
    readonly memberId: string,
    readonly role: MemberRole,
  ) {
    super();
  }
}

@CommandHandler(ChangeMemberRole)
export class ChangeMemberRoleHandler implements ICommandHandler<ChangeMemberRole> {
  constructor(
    private readonly members: MembersRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ tenant, memberId, role }: ChangeMemberRole): Promise<MemberRecord> {
    const changed = await this.members.change(
      tenant,
      memberId,
      ({ actor, member, otherOwners }) => {
        requireNoRise(actor, member, role);
        requireMayTouch(actor, member);
        requireMayGive(actor, role);
        if (role === member.role) return null;
        requireOwnerLeft(member, otherOwners);
        return { set: { role }, entry: { action: 'member.role_changed', detail: { from: member.role, to: role } } };
      },
      this.clock.now(),
    );
    return stillThere(changed);
  }
}
