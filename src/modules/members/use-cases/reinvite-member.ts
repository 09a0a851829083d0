import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Chance, CHANCE, type Clock, CLOCK } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { stillThere } from '../answers/still-there.js';
import { requireMayTouch, requireNotTheirMaker, requireStatus } from '../domain/authority.js';
import { drawInvitation } from '../invitations/draw-invitation.js';
import { InvitationLetters } from '../invitations/invitation-letters.js';
import type { MemberRecord } from '../members.responses.js';
import { MembersRepository } from '../persistence/members.repository.js';
import { TenantRepository } from '../persistence/tenant.repository.js';

/** Sends an invitation anew; the link of the earlier mail ends. */
export class ReinviteMember extends Command<MemberRecord> {
  constructor(
    readonly tenant: TenantContext,
    readonly memberId: string,
  ) {
    super();
  }
}

@CommandHandler(ReinviteMember)
export class ReinviteMemberHandler implements ICommandHandler<ReinviteMember> {
  constructor(
    private readonly members: MembersRepository,
    private readonly tenants: TenantRepository,
    private readonly letters: InvitationLetters,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CHANCE) private readonly chance: Chance,
  ) {}

  async execute({ tenant, memberId }: ReinviteMember): Promise<MemberRecord> {
    // Read first: an invitation that is stored is mailed, whatever fails then.
    const { name } = await this.tenants.find(tenant.tenantId);
    const now = this.clock.now();
    const invitation = drawInvitation(this.chance, now);
    const changed = await this.members.change(
      tenant,
      memberId,
      ({ actor, member }) => {
        requireMayTouch(actor, member);
        requireNotTheirMaker(actor, member.email);
        requireStatus(member, 'invited');
        return { set: { invitation }, entry: { action: 'member.reinvited', detail: { email: member.email } } };
      },
      now,
    );
    const member = stillThere(changed);
    this.letters.send({ email: member.email, tenantName: name, token: invitation.token });
    return member;
  }
}
