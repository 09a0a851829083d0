import { Body, Controller, Get, Patch } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { RequirePermission, Tenant } from '../../platform/security/access.js';
import type { TenantContext } from '../../shared/tenant-context.js';
import { TenantUpdateDto } from './members.dto.js';
import { TenantRecord } from './members.responses.js';
import { GetTenant } from './use-cases/get-tenant.js';
import { UpdateTenant } from './use-cases/update-tenant.js';

@ApiTags('tenant')
@Controller('tenant')
export class TenantController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @RequirePermission('tenant:read')
  @ApiOperation({ operationId: 'getTenant', summary: 'The tenant that the caller acts in' })
  @ApiOkResponse({ type: TenantRecord })
  get(@Tenant() tenant: TenantContext): Promise<TenantRecord> {
    return this.queries.execute(new GetTenant(tenant));
  }

  @Patch()
  @RequirePermission('tenant:write')
  @ApiOperation({ operationId: 'updateTenant', summary: 'Name the tenant anew' })
  @ApiOkResponse({ type: TenantRecord })
  update(@Tenant() tenant: TenantContext, @Body() { name }: TenantUpdateDto): Promise<TenantRecord> {
    return this.commands.execute(new UpdateTenant(tenant, name));
  }
}
