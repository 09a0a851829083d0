import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { HttpModule } from '../../platform/http/http.module.js';
import { MailModule } from '../../platform/mail/mail.module.js';
import { InvitationLetters } from './invitations/invitation-letters.js';
import { MembersController } from './members.controller.js';
import { OwnMembershipsController } from './own-memberships.controller.js';
import { MembersRepository } from './persistence/members.repository.js';
import { TenantRepository } from './persistence/tenant.repository.js';
import { TenantController } from './tenant.controller.js';
import { ChangeMemberRoleHandler } from './use-cases/change-member-role.js';
import { GetTenantHandler } from './use-cases/get-tenant.js';
import { InviteMemberHandler } from './use-cases/invite-member.js';
import { LeaveTenantHandler } from './use-cases/leave-tenant.js';
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
  LeaveTenantHandler,
];

/** The tenant and the people in it. */
@Module({
  imports: [CqrsModule, HttpModule, MailModule],
  controllers: [TenantController, MembersController, OwnMembershipsController],
  providers: [TenantRepository, MembersRepository, InvitationLetters, ...HANDLERS],
  exports: [InvitationLetters],
})
export class MembersModule {}
