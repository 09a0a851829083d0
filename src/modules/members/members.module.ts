import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { MembersController } from './members.controller.js';
import { MembersRepository } from './persistence/members.repository.js';
import { TenantRepository } from './persistence/tenant.repository.js';
import { TenantController } from './tenant.controller.js';
import { ChangeMemberRoleHandler } from './use-cases/change-member-role.js';
import { GetTenantHandler } from './use-cases/get-tenant.js';
import { INVITATION_POST, InvitationLetters, type InvitationPost } from './use-cases/invitation-letters.js';
import { InviteMemberHandler } from './use-cases/invite-member.js';
import { ListMembersHandler } from './use-cases/list-members.js';
import { ReinviteMemberHandler } from './use-cases/reinvite-member.js';
import { RemoveMemberHandler } from './use-cases/remove-member.js';
import { ResumeMemberHandler } from './use-cases/resume-member.js';
import { SuspendMemberHandler } from './use-cases/suspend-member.js';
import { UpdateTenantHandler } from './use-cases/update-tenant.js';

const HANDLERS = [
  GetTenantHandler,
  UpdateTenantHandler,
  ListMembersHandler,
  InviteMemberHandler,
  ReinviteMemberHandler,
  ChangeMemberRoleHandler,
  SuspendMemberHandler,
  ResumeMemberHandler,
  RemoveMemberHandler,
];

/** A deployment without mail: invitations are stored and wait to be sent anew. */
const NO_POST: InvitationPost = { deliver: () => Promise.reject(new Error('no mail is configured')) };

/** The tenant and the people in it. */
@Module({
  imports: [CqrsModule],
  controllers: [TenantController, MembersController],
  providers: [TenantRepository, MembersRepository, InvitationLetters, { provide: INVITATION_POST, useValue: NO_POST }, ...HANDLERS],
})
export class MembersModule {}
