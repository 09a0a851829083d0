import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { PageQuery } from '../../platform/http/paging.dto.js';
import { RequirePermission, Tenant } from '../../platform/security/access.js';
import type { TenantContext } from '../../shared/tenant-context.js';
import { EmissionPointPath, SequencePath, SequenceRaiseDto } from './issuers.dto.js';
import { SequenceGapPage, SequenceList, SequenceRecord } from './issuers.responses.js';
import { ListSequenceGaps } from './use-cases/list-sequence-gaps.js';
import { ListSequences } from './use-cases/list-sequences.js';
import { RaiseSequence } from './use-cases/raise-sequence.js';

@ApiTags('issuers')
@Controller('emission-points/:emission_point_id/sequences')
export class SequencesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @RequirePermission('issuers:read')
  @ApiOperation({ operationId: 'listSequences', summary: 'The next number of each document type' })
  @ApiOkResponse({ type: SequenceList })
  list(@Tenant() tenant: TenantContext, @Param() { emission_point_id }: EmissionPointPath): Promise<SequenceList> {
    return this.queries.execute(new ListSequences(tenant, emission_point_id));
  }

  @Post(':document_type/raise')
  @HttpCode(200)
  @RequirePermission('issuers:write')
  @ApiOperation({ operationId: 'raiseSequence', summary: 'Go on from a later number, e.g. when the SRI holds the next ones already; never from an earlier one' })
  @ApiOkResponse({ type: SequenceRecord })
  raise(@Tenant() tenant: TenantContext, @Param() { emission_point_id, document_type }: SequencePath, @Body() body: SequenceRaiseDto): Promise<SequenceRecord> {
    return this.commands.execute(new RaiseSequence(tenant, { emissionPointId: emission_point_id, documentType: document_type }, body));
  }

  @Get(':document_type/gaps')
  @RequirePermission('issuers:read')
  @ApiOperation({ operationId: 'listSequenceGaps', summary: 'Numbers that no authorized document carries, and why' })
  @ApiOkResponse({ type: SequenceGapPage })
  gaps(@Tenant() tenant: TenantContext, @Param() { emission_point_id, document_type }: SequencePath, @Query() query: PageQuery): Promise<SequenceGapPage> {
    return this.queries.execute(new ListSequenceGaps(tenant, { emissionPointId: emission_point_id, documentType: document_type }, query));
  }
}
