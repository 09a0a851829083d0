import { Controller, Delete, HttpCode, Param } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiNoContentResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { PathUuid } from '../../platform/http/path-uuid.js';
import type { RequestOrigin } from '../../platform/http/service-request.js';
import { Origin, Person, SignedIn } from '../../platform/security/access.js';
import type { SignedInPerson } from '../../platform/security/person.js';
import { LeaveTenant } from './use-cases/leave-tenant.js';

/** What people do with their own places in tenants. */
@ApiTags('auth')
@Controller('auth/me/tenants')
export class OwnMembershipsController {
  constructor(private readonly commands: CommandBus) {}

  @Delete(':tenant_id')
  @HttpCode(204)
  @SignedIn()
  @ApiOperation({
    operationId: 'leaveTenant',
    summary: 'Leave a tenant; to come back takes another invitation',
    description:
      'Whatever the role. The last owner is 409 with the `reason` `last_owner`: make another member `tenant_owner` first. Where there is no other member and no issuer, the last owner may leave, and the tenant is closed. API keys that the person made go on acting for the tenant; ' +
      '`DELETE /auth/api-keys/{api_key_id}` revokes them before. Who is suspended in the tenant is 403 with the `reason` `no_active_membership`, and who is no member 404.',
  })
  @ApiNoContentResponse()
  leave(@Person() person: SignedInPerson, @Origin() origin: RequestOrigin, @Param('tenant_id', PathUuid) tenantId: string): Promise<void> {
    return this.commands.execute(new LeaveTenant(person, tenantId, origin));
  }
}
