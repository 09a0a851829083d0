import { Controller, Get, Param, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { RequirePermission } from '../../platform/security/access.js';
import { ReferencePath, ReferenceQuery } from './reference.dto.js';
import { ReferenceTable } from './reference.responses.js';
import { GetReferenceTable } from './use-cases/get-reference-table.js';

@ApiTags('reference')
@Controller('reference')
export class ReferenceController {
  constructor(private readonly queries: QueryBus) {}

  @Get(':table')
  @RequirePermission('tenant:read')
  @ApiOperation({ operationId: 'getReferenceTable', summary: 'A code table of the SRI as it stands on a day' })
  @ApiOkResponse({ type: ReferenceTable })
  get(@Param() { table }: ReferencePath, @Query() { as_of }: ReferenceQuery): Promise<ReferenceTable> {
    return this.queries.execute(new GetReferenceTable(table, as_of ?? null));
  }
}
