import { Controller, Get, Query, UseInterceptors } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { LISTS_BOUND, TakesListTurn } from '../../platform/http/list-turns.js';
import { RequirePermission, Tenant } from '../../platform/security/access.js';
import type { TenantContext } from '../../shared/tenant-context.js';
import { AuditLogQuery } from './audit.dto.js';
import { AuditLogPage } from './audit.responses.js';
import { ListAuditLog } from './use-cases/list-audit-log.js';

@ApiTags('tenant')
@Controller('tenant/audit-log')
export class AuditController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @RequirePermission('audit:read')
  @UseInterceptors(TakesListTurn)
  @ApiOperation({ operationId: 'listAuditLog', summary: 'What people, keys and the platform did in the tenant, newest first', description: LISTS_BOUND })
  @ApiOkResponse({ type: AuditLogPage })
  list(@Tenant() tenant: TenantContext, @Query() query: AuditLogQuery): Promise<AuditLogPage> {
    return this.queries.execute(new ListAuditLog(tenant, query));
  }
}
