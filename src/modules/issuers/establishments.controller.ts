import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { PathUuid } from '../../platform/http/path-uuid.js';
import { RequirePermission, Tenant } from '../../platform/security/access.js';
import type { TenantContext } from '../../shared/tenant-context.js';
import { ActivePageQuery, EmissionPointCreateDto, EmissionPointUpdateDto, EstablishmentCreateDto, EstablishmentUpdateDto } from './issuers.dto.js';
import { EmissionPointPage, EmissionPointRecord, EstablishmentPage, EstablishmentRecord } from './issuers.responses.js';
import { CreateEmissionPoint } from './use-cases/create-emission-point.js';
import { CreateEstablishment } from './use-cases/create-establishment.js';
import { DeleteEmissionPoint } from './use-cases/delete-emission-point.js';
import { DeleteEstablishment } from './use-cases/delete-establishment.js';
import { GetEmissionPoint } from './use-cases/get-emission-point.js';
import { GetEstablishment } from './use-cases/get-establishment.js';
import { ListEmissionPoints } from './use-cases/list-emission-points.js';
import { ListEstablishments } from './use-cases/list-establishments.js';
import { UpdateEmissionPoint } from './use-cases/update-emission-point.js';
import { UpdateEstablishment } from './use-cases/update-establishment.js';

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

  @Patch(':establishment_id')
  @RequirePermission('issuers:write')
  @ApiOperation({ operationId: 'updateEstablishment', summary: 'Change fields of an establishment; the code stays' })
  @ApiOkResponse({ type: EstablishmentRecord })
  update(
    @Tenant() tenant: TenantContext,
    @Param('issuer_id', PathUuid) issuerId: string,
    @Param('establishment_id', PathUuid) establishmentId: string,
    @Body() body: EstablishmentUpdateDto,
  ): Promise<EstablishmentRecord> {
    return this.commands.execute(new UpdateEstablishment(tenant, issuerId, establishmentId, body));
  }

  @Delete(':establishment_id')
  @HttpCode(204)
  @RequirePermission('issuers:write')
  @ApiOperation({ operationId: 'deleteEstablishment', summary: 'Remove an establishment without documents, with its emission points' })
  @ApiNoContentResponse()
  remove(
    @Tenant() tenant: TenantContext,
    @Param('issuer_id', PathUuid) issuerId: string,
    @Param('establishment_id', PathUuid) establishmentId: string,
  ): Promise<void> {
    return this.commands.execute(new DeleteEstablishment(tenant, issuerId, establishmentId));
  }

  @Patch(`${POINTS}/:emission_point_id`)
  @RequirePermission('issuers:write')
  @ApiOperation({ operationId: 'updateEmissionPoint', summary: 'Open or close an emission point; the code stays' })
  @ApiOkResponse({ type: EmissionPointRecord })
  updatePoint(
    @Tenant() tenant: TenantContext,
    @Param('issuer_id', PathUuid) issuerId: string,
    @Param('establishment_id', PathUuid) establishmentId: string,
    @Param('emission_point_id', PathUuid) emissionPointId: string,
    @Body() body: EmissionPointUpdateDto,
  ): Promise<EmissionPointRecord> {
    return this.commands.execute(new UpdateEmissionPoint(tenant, { issuerId, establishmentId }, emissionPointId, body));
  }

  @Delete(`${POINTS}/:emission_point_id`)
  @HttpCode(204)
  @RequirePermission('issuers:write')
  @ApiOperation({ operationId: 'deleteEmissionPoint', summary: 'Remove an emission point without documents' })
  @ApiNoContentResponse()
  removePoint(
    @Tenant() tenant: TenantContext,
    @Param('issuer_id', PathUuid) issuerId: string,
    @Param('establishment_id', PathUuid) establishmentId: string,
    @Param('emission_point_id', PathUuid) emissionPointId: string,
  ): Promise<void> {
    return this.commands.execute(new DeleteEmissionPoint(tenant, { issuerId, establishmentId }, emissionPointId));
  }
}
