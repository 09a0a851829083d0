import { Body, Controller, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { PageQuery } from '../../platform/http/paging.dto.js';
import { PathUuid } from '../../platform/http/path-uuid.js';
import type { RequestOrigin } from '../../platform/http/service-request.js';
import { Origin, Person, RequirePermission } from '../../platform/security/access.js';
import type { SignedInPerson } from '../../platform/security/person.js';
import type { PlatformAdmin } from './persistence/platform.repository.js';
import { PlatformTenantCreateDto, PlatformTenantUpdateDto } from './platform.dto.js';
import { PlatformIssuerRecord, PlatformTenantPage, PlatformTenantRecord } from './platform.responses.js';
import { FoundTenant } from './use-cases/found-tenant.js';
import { ListTenants } from './use-cases/list-tenants.js';
import { SetIssuerDisabled } from './use-cases/set-issuer-disabled.js';
import { SetTenantActive } from './use-cases/set-tenant-active.js';

/** For the people who run the platform; no API key may. Each act shows in the audit log of the tenant it touches. */
@ApiTags('platform')
@Controller('platform/tenants')
export class PlatformController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @RequirePermission('platform:write')
  @ApiOperation({ operationId: 'foundTenant', summary: 'Make a tenant and invite its owner by mail' })
  @ApiCreatedResponse({ type: PlatformTenantRecord })
  found(@Person() person: SignedInPerson, @Origin() origin: RequestOrigin, @Body() { name, owner_email }: PlatformTenantCreateDto): Promise<PlatformTenantRecord> {
    return this.commands.execute(new FoundTenant(admin(person, origin), name, owner_email));
  }

  @Get()
  @RequirePermission('platform:read')
  @ApiOperation({ operationId: 'listTenants', summary: 'All tenants, newest first' })
  @ApiOkResponse({ type: PlatformTenantPage })
  list(@Person() person: SignedInPerson, @Origin() origin: RequestOrigin, @Query() query: PageQuery): Promise<PlatformTenantPage> {
    return this.queries.execute(new ListTenants(admin(person, origin), query));
  }

  @Patch(':tenant_id')
  @RequirePermission('platform:write')
  @ApiOperation({ operationId: 'setTenantActive', summary: 'Close a tenant, or open it again' })
  @ApiOkResponse({ type: PlatformTenantRecord })
  setActive(
    @Person() person: SignedInPerson,
    @Origin() origin: RequestOrigin,
    @Param('tenant_id', PathUuid) tenantId: string,
    @Body() { is_active }: PlatformTenantUpdateDto,
  ): Promise<PlatformTenantRecord> {
    return this.commands.execute(new SetTenantActive(admin(person, origin), tenantId, is_active));
  }

  @Post(':tenant_id/issuers/:issuer_id/disable')
  @HttpCode(200)
  @RequirePermission('platform:write')
  @ApiOperation({
    operationId: 'disableIssuer',
    summary: 'Let an issuer issue nothing more',
    description:
      'What it has issued goes on. Its tenant cannot end this: the issuer is not deleted, and the RUC that it holds passes to no other issuer, whatever becomes of its certificates, until it is enabled or an operator takes the RUC from it. An issuer that does not hold its RUC cannot claim it while it is disabled; others can.',
  })
  @ApiOkResponse({ type: PlatformIssuerRecord })
  disable(
    @Person() person: SignedInPerson,
    @Origin() origin: RequestOrigin,
    @Param('tenant_id', PathUuid) tenantId: string,
    @Param('issuer_id', PathUuid) issuerId: string,
  ): Promise<PlatformIssuerRecord> {
    return this.commands.execute(new SetIssuerDisabled(admin(person, origin), tenantId, issuerId, true));
  }

  @Post(':tenant_id/issuers/:issuer_id/enable')
  @HttpCode(200)
  @RequirePermission('platform:write')
  @ApiOperation({
    operationId: 'enableIssuer',
    summary: 'Let a disabled issuer issue again',
    description: 'It needs a certificate and the RUC, as ever: one that lost them meanwhile uploads or activates a certificate first.',
  })
  @ApiOkResponse({ type: PlatformIssuerRecord })
  enable(
    @Person() person: SignedInPerson,
    @Origin() origin: RequestOrigin,
    @Param('tenant_id', PathUuid) tenantId: string,
    @Param('issuer_id', PathUuid) issuerId: string,
  ): Promise<PlatformIssuerRecord> {
    return this.commands.execute(new SetIssuerDisabled(admin(person, origin), tenantId, issuerId, false));
  }
}

/** The permission guard has let platform administrators only come this far. */
const admin = ({ userId, sessionId }: SignedInPerson, origin: RequestOrigin): PlatformAdmin => ({
  principal: { kind: 'user', id: userId, sessionId, memberId: null, role: 'platform_admin' }, origin,
});
