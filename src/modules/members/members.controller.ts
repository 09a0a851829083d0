import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { PageQuery } from '../../platform/http/paging.dto.js';
import { PathUuid } from '../../platform/http/path-uuid.js';
import { RequirePermission, Tenant } from '../../platform/security/access.js';
import type { TenantContext } from '../../shared/tenant-context.js';
import { MemberInviteDto, MemberRemovalQuery, MemberUpdateDto } from './members.dto.js';
import { MemberPage, MemberRecord } from './members.responses.js';
import { ChangeMemberRole } from './use-cases/change-member-role.js';
import { InviteMember } from './use-cases/invite-member.js';
import { ListMembers } from './use-cases/list-members.js';
import { ReinviteMember } from './use-cases/reinvite-member.js';
import { RemoveMember } from './use-cases/remove-member.js';
import { ResumeMember } from './use-cases/resume-member.js';
import { SuspendMember } from './use-cases/suspend-member.js';

const OWN_KEY = 'A key does not invite whoever made it: 403 with the `reason` `own_key`.';
const KEYS_GO_ON = 'API keys that the member made go on acting for the tenant as before; `created_by` in `GET /auth/api-keys` says whose they are.';

/** Only owners touch owners; a tenant keeps at least one. */
@ApiTags('tenant')
@Controller('tenant/members')
export class MembersController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @RequirePermission('members:read')
  @ApiOperation({ operationId: 'listMembers', summary: 'Members and open invitations, newest first' })
  @ApiOkResponse({ type: MemberPage })
  list(@Tenant() tenant: TenantContext, @Query() query: PageQuery): Promise<MemberPage> {
    return this.queries.execute(new ListMembers(tenant, query));
  }

  @Post('invite')
  @RequirePermission('members:write')
  @ApiOperation({ operationId: 'inviteMember', summary: 'Invite a person by mail; the link works for seven days', description: OWN_KEY })
  @ApiCreatedResponse({ type: MemberRecord })
  invite(@Tenant() tenant: TenantContext, @Body() { email, role }: MemberInviteDto): Promise<MemberRecord> {
    return this.commands.execute(new InviteMember(tenant, email, role));
  }

  @Patch(':member_id')
  @RequirePermission('members:write')
  @ApiOperation({ operationId: 'changeMemberRole', summary: 'Give a member another role', description: `Works on the next call. ${KEYS_GO_ON}` })
  @ApiOkResponse({ type: MemberRecord })
  change(@Tenant() tenant: TenantContext, @Param('member_id', PathUuid) memberId: string, @Body() { role }: MemberUpdateDto): Promise<MemberRecord> {
    return this.commands.execute(new ChangeMemberRole(tenant, memberId, role));
  }

  @Post(':member_id/suspend')
  @HttpCode(200)
  @RequirePermission('members:write')
  @ApiOperation({ operationId: 'suspendMember', summary: 'Shut a member out until resumed', description: `Works on the next call. ${KEYS_GO_ON}` })
  @ApiOkResponse({ type: MemberRecord })
  suspend(@Tenant() tenant: TenantContext, @Param('member_id', PathUuid) memberId: string): Promise<MemberRecord> {
    return this.commands.execute(new SuspendMember(tenant, memberId));
  }

  @Post(':member_id/resume')
  @HttpCode(200)
  @RequirePermission('members:write')
  @ApiOperation({ operationId: 'resumeMember', summary: 'Let a suspended member in again' })
  @ApiOkResponse({ type: MemberRecord })
  resume(@Tenant() tenant: TenantContext, @Param('member_id', PathUuid) memberId: string): Promise<MemberRecord> {
    return this.commands.execute(new ResumeMember(tenant, memberId));
  }

  @Post(':member_id/reinvite')
  @HttpCode(200)
  @RequirePermission('members:write')
  @ApiOperation({ operationId: 'reinviteMember', summary: 'Send an invitation anew; the earlier link ends', description: OWN_KEY })
  @ApiOkResponse({ type: MemberRecord })
  reinvite(@Tenant() tenant: TenantContext, @Param('member_id', PathUuid) memberId: string): Promise<MemberRecord> {
    return this.commands.execute(new ReinviteMember(tenant, memberId));
  }

  @Delete(':member_id')
  @HttpCode(204)
  @RequirePermission('members:write')
  @ApiOperation({ operationId: 'removeMember', summary: 'Remove a member, or take an invitation back', description: 'API keys that the member made go on acting for the tenant unless `revoke_keys` is true; `created_by` of a key says whose it is. A key does not remove whoever made it: 403 with the `reason` `own_key`.' })
  @ApiNoContentResponse()
  remove(@Tenant() tenant: TenantContext, @Param('member_id', PathUuid) memberId: string, @Query() query: MemberRemovalQuery): Promise<void> {
    return this.commands.execute(new RemoveMember(tenant, memberId, query.revoke_keys));
  }
}
