import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { stillThere } from '../answers/still-there.js';
import { requireMayTouch, requireNoOwnReturn, requireStatus } from '../domain/authority.js';
import type { MemberRecord } from '../members.responses.js';
import { MembersRepository } from '../persistence/members.repository.js';

/** Lets a suspended member in again, in the role it had. */
export class ResumeMember extends Command<MemberRecord> {
  constructor(
    readonly tenant: TenantContext,
    readonly memberId: string,
  ) {
    super();
  }
}

@CommandHandler(ResumeMember)
export class ResumeMemberHandler implements ICommandHandler<ResumeMember> {
  constructor(
    private readonly members: MembersRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ tenant, memberId }: ResumeMember): Promise<MemberRecord> {
    const changed = await this.members.change(
      tenant,
      memberId,
      ({ actor, member }) => {
        requireMayTouch(actor, member);
        requireStatus(member, 'suspended');
        requireNoOwnReturn(actor, member);
        return { set: { status: 'active' }, entry: { action: 'member.resumed' } };
      },
      this.clock.now(),
    );
    return stillThere(changed);
  }
}
