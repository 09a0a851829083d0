import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, UseInterceptors } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { LISTS_BOUND, TakesListTurn } from '../../platform/http/list-turns.js';
import { RequirePermission, Tenant } from '../../platform/security/access.js';
import type { TenantContext } from '../../shared/tenant-context.js';
import { BuyerCreateDto, BuyerListQuery, BuyerLookupQuery, BuyerPath, BuyerUpdateDto } from './buyers.dto.js';
import { BuyerLookup, BuyerPage, BuyerRecord } from './buyers.responses.js';
import { CreateBuyer } from './use-cases/create-buyer.js';
import { DeleteBuyer } from './use-cases/delete-buyer.js';
import { GetBuyer } from './use-cases/get-buyer.js';
import { ListBuyers } from './use-cases/list-buyers.js';
import { LookUpBuyer } from './use-cases/look-up-buyer.js';
import { UpdateBuyer } from './use-cases/update-buyer.js';

@ApiTags('buyers')
@Controller('buyers')
export class BuyersController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @RequirePermission('buyers:read')
  @UseInterceptors(TakesListTurn)
  @ApiOperation({ operationId: 'listBuyers', summary: 'Buyer profiles, newest first: kept by people and learned from authorized documents', description: LISTS_BOUND })
  @ApiOkResponse({ type: BuyerPage })
  list(@Tenant() tenant: TenantContext, @Query() query: BuyerListQuery): Promise<BuyerPage> {
    return this.queries.execute(new ListBuyers(tenant, query));
  }

  @Post()
  @RequirePermission('buyers:write')
  @ApiOperation({ operationId: 'createBuyer', summary: 'Keep a profile of a buyer, or of a supplier' })
  @ApiCreatedResponse({ type: BuyerRecord })
  create(@Tenant() tenant: TenantContext, @Body() body: BuyerCreateDto): Promise<BuyerRecord> {
    return this.commands.execute(new CreateBuyer(tenant, body));
  }

  @Get('lookup')
  @RequirePermission('buyers:read')
  @ApiOperation({ operationId: 'lookUpBuyer', summary: 'Who has this RUC or cedula: by the own profiles, then by what the SRI’s registry said, then by asking it' })
  @ApiOkResponse({ type: BuyerLookup })
  lookUp(@Tenant() tenant: TenantContext, @Query() query: BuyerLookupQuery): Promise<BuyerLookup> {
    return this.queries.execute(new LookUpBuyer(tenant, query));
  }

  @Get(':profile_id')
  @RequirePermission('buyers:read')
  @ApiOperation({ operationId: 'getBuyer', summary: 'One profile' })
  @ApiOkResponse({ type: BuyerRecord })
  get(@Tenant() tenant: TenantContext, @Param() { profile_id }: BuyerPath): Promise<BuyerRecord> {
    return this.queries.execute(new GetBuyer(tenant, profile_id));
  }

  @Patch(':profile_id')
  @RequirePermission('buyers:write')
  @ApiOperation({ operationId: 'updateBuyer', summary: 'Change a profile; documents never overwrite a field that was set here, also one set to null' })
  @ApiOkResponse({ type: BuyerRecord })
  update(@Tenant() tenant: TenantContext, @Param() { profile_id }: BuyerPath, @Body() body: BuyerUpdateDto): Promise<BuyerRecord> {
    return this.commands.execute(new UpdateBuyer(tenant, profile_id, body));
  }

  @Delete(':profile_id')
  @HttpCode(204)
  @RequirePermission('buyers:write')
  @ApiOperation({ operationId: 'deleteBuyer', summary: 'Delete a profile for good; documents keep their buyer, and a further authorized one is learned from anew' })
  @ApiNoContentResponse()
  delete(@Tenant() tenant: TenantContext, @Param() { profile_id }: BuyerPath): Promise<void> {
    return this.commands.execute(new DeleteBuyer(tenant, profile_id));
  }
}
