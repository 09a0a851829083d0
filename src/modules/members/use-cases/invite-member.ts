import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Chance, CHANCE, type Clock, CLOCK, type Ids, IDS } from '../../../shared/ports.js';
import type { MemberRole, TenantContext } from '../../../shared/tenant-context.js';
import { type Actor, requireMayGive, requireNotTheirMaker } from '../domain/authority.js';
import { drawInvitation } from '../invitations/draw-invitation.js';
import { InvitationLetters } from '../invitations/invitation-letters.js';
import type { MemberRecord } from '../members.responses.js';
import { MembersRepository } from '../persistence/members.repository.js';
import { TenantRepository } from '../persistence/tenant.repository.js';

/** Invites a person by mail. Whether somebody has an account under the address makes no difference that could be seen. */
export class InviteMember extends Command<MemberRecord> {
  /** @param email lower case */
  constructor(
    readonly tenant: TenantContext,
    readonly email: string,
    readonly role: MemberRole,
  ) {
    super();
  }
}

@CommandHandler(InviteMember)
export class InviteMemberHandler implements ICommandHandler<InviteMember> {
  constructor(
    private readonly members: MembersRepository,
    private readonly tenants: TenantRepository,
    private readonly letters: InvitationLetters,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
    @Inject(CHANCE) private readonly chance: Chance,
  ) {}

  async execute({ tenant, email, role }: InviteMember): Promise<MemberRecord> {
    // Read first: an invitation that is stored is mailed, whatever fails then.
    const { name } = await this.tenants.find(tenant.tenantId);
    const now = this.clock.now();
    const invitation = drawInvitation(this.chance, now);
    const invited = { id: this.ids.uuid(), email, role, ...invitation };
    const judge = (actor: Actor): void => {
      requireMayGive(actor, role);
      requireNotTheirMaker(actor, email);
    };
    const member = await this.members.invite(tenant, invited, judge, now);
    this.letters.send({ email: member.email, tenantName: name, token: invitation.token });
    return member;
  }
}
