import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { PageQuery } from '../../platform/http/paging.dto.js';
import { PathUuid } from '../../platform/http/path-uuid.js';
import { RequirePermission, Tenant } from '../../platform/security/access.js';
import type { TenantContext } from '../../shared/tenant-context.js';
import { PauseList, PauseRecord } from './documents.actions.responses.js';
import { ListPauses } from './use-cases/list-pauses.js';
import { ResumePause } from './use-cases/resume-pause.js';

/** Submissions that wait because the SRI blocked the taxpayer, an establishment, a type or the numbers of an emission point. */
@ApiTags('issuers')
@Controller('issuers/:issuer_id/pauses')
export class PausesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @RequirePermission('issuers:read')
  @ApiOperation({ operationId: 'listPauses', summary: 'What of the issuer waits because the SRI blocked it, newest first' })
  @ApiOkResponse({ type: PauseList })
  list(@Tenant() tenant: TenantContext, @Param('issuer_id', PathUuid) issuerId: string, @Query() query: PageQuery): Promise<PauseList> {
    return this.queries.execute(new ListPauses(tenant, issuerId, query));
  }

  @Post(':pause_id/resume')
  @HttpCode(200)
  @RequirePermission('issuers:write')
  @ApiOperation({ operationId: 'resumePause', summary: 'Let the waiting documents go on' })
  @ApiOkResponse({ type: PauseRecord })
  resume(
    @Tenant() tenant: TenantContext,
    @Param('issuer_id', PathUuid) issuerId: string,
    @Param('pause_id', PathUuid) pauseId: string,
  ): Promise<PauseRecord> {
    return this.commands.execute(new ResumePause(tenant, issuerId, pauseId));
  }
}
