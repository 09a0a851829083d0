import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { PathUuid } from '../../platform/http/path-uuid.js';
import { RequirePermission, Tenant } from '../../platform/security/access.js';
import type { TenantContext } from '../../shared/tenant-context.js';
import { ActivePageQuery, EmissionPointCreateDto, EstablishmentCreateDto } from './issuers.dto.js';
import { EmissionPointPage, EmissionPointRecord, EstablishmentPage, EstablishmentRecord } from './issuers.responses.js';
import { CreateEmissionPoint } from './use-cases/create-emission-point.js';
import { CreateEstablishment } from './use-cases/create-establishment.js';
import { GetEmissionPoint } from './use-cases/get-emission-point.js';
import { GetEstablishment } from './use-cases/get-establishment.js';
import { ListEmissionPoints } from './use-cases/list-emission-points.js';
import { ListEstablishments } from './use-cases/list-establishments.js';

const POINTS = ':establishment_id/emission-points';

@ApiTags('issuers')
@Controller('issuers/:issuer_id/establishments')
export class EstablishmentsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @RequirePermission('issuers:write')
  @ApiOperation({ operationId: 'createEstablishment', summary: 'Add an establishment' })
  @ApiCreatedResponse({ type: EstablishmentRecord })
  create(
    @Tenant() tenant: TenantContext,
    @Param('issuer_id', PathUuid) issuerId: string,
    @Body() body: EstablishmentCreateDto,
  ): Promise<EstablishmentRecord> {
    return this.commands.execute(new CreateEstablishment(tenant, issuerId, body));
  }

  @Get()
  @RequirePermission('issuers:read')
  @ApiOperation({ operationId: 'listEstablishments', summary: 'List the establishments of an issuer, newest first' })
  @ApiOkResponse({ type: EstablishmentPage })
  list(
    @Tenant() tenant: TenantContext,
    @Param('issuer_id', PathUuid) issuerId: string,
    @Query() query: ActivePageQuery,
  ): Promise<EstablishmentPage> {
    return this.queries.execute(new ListEstablishments(tenant, issuerId, query));
  }

  @Get(':establishment_id')
  @RequirePermission('issuers:read')
  @ApiOperation({ operationId: 'getEstablishment', summary: 'One establishment' })
  @ApiOkResponse({ type: EstablishmentRecord })
  get(
    @Tenant() tenant: TenantContext,
    @Param('issuer_id', PathUuid) issuerId: string,
    @Param('establishment_id', PathUuid) establishmentId: string,
  ): Promise<EstablishmentRecord> {
    return this.queries.execute(new GetEstablishment(tenant, issuerId, establishmentId));
  }

  @Post(POINTS)
  @RequirePermission('issuers:write')
  @ApiOperation({ operationId: 'createEmissionPoint', summary: 'Add an emission point' })
  @ApiCreatedResponse({ type: EmissionPointRecord })
  createPoint(
    @Tenant() tenant: TenantContext,
    @Param('issuer_id', PathUuid) issuerId: string,
    @Param('establishment_id', PathUuid) establishmentId: string,
    @Body() body: EmissionPointCreateDto,
  ): Promise<EmissionPointRecord> {
    return this.commands.execute(new CreateEmissionPoint(tenant, { issuerId, establishmentId }, body));
  }

  @Get(POINTS)
  @RequirePermission('issuers:read')
  @ApiOperation({ operationId: 'listEmissionPoints', summary: 'List the emission points of an establishment, newest first' })
  @ApiOkResponse({ type: EmissionPointPage })
  listPoints(
    @Tenant() tenant: TenantContext,
    @Param('issuer_id', PathUuid) issuerId: string,
    @Param('establishment_id', PathUuid) establishmentId: string,
    @Query() query: ActivePageQuery,
  ): Promise<EmissionPointPage> {
    return this.queries.execute(new ListEmissionPoints(tenant, { issuerId, establishmentId }, query));
  }

  @Get(`${POINTS}/:emission_point_id`)
  @RequirePermission('issuers:read')
  @ApiOperation({ operationId: 'getEmissionPoint', summary: 'One emission point' })
  @ApiOkResponse({ type: EmissionPointRecord })
  getPoint(
    @Tenant() tenant: TenantContext,
    @Param('issuer_id', PathUuid) issuerId: string,
    @Param('establishment_id', PathUuid) establishmentId: string,
    @Param('emission_point_id', PathUuid) emissionPointId: string,
  ): Promise<EmissionPointRecord> {
    return this.queries.execute(new GetEmissionPoint(tenant, { issuerId, establishmentId }, emissionPointId));
  }
}
