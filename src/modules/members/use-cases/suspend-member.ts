import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { stillThere } from '../answers/still-there.js';
import { requireMayTouch, requireOwnerLeft, requireStatus } from '../domain/authority.js';
import type { MemberRecord } from '../members.responses.js';
import { MembersRepository } from '../persistence/members.repository.js';

/** Shuts a member out of the tenant until it is resumed; the member's next request is refused. */
export class SuspendMember extends Command<MemberRecord> {
  constructor(
    readonly tenant: TenantContext,
    readonly memberId: string,
  ) {
    super();
  }
}

@CommandHandler(SuspendMember)
export class SuspendMemberHandler implements ICommandHandler<SuspendMember> {
  constructor(
    private readonly members: MembersRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ tenant, memberId }: SuspendMember): Promise<MemberRecord> {
    const changed = await this.members.change(
      tenant,
      memberId,
      ({ actor, member, otherOwners }) => {
        requireMayTouch(actor, member);
        requireStatus(member, 'active');
        requireOwnerLeft(member, otherOwners);
        return { set: { status: 'suspended' }, entry: { action: 'member.suspended' } };
      },
      this.clock.now(),
    );
    return stillThere(changed);
  }
}
