import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, StreamableFile } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import { PathUuid } from '../../platform/http/path-uuid.js';
import { RequirePermission, Tenant } from '../../platform/security/access.js';
import type { TenantContext } from '../../shared/tenant-context.js';
import { ActivePageQuery, IssuerCreateDto, IssuerUpdateDto } from './issuers.dto.js';
import { IssuerPage, IssuerRecord } from './issuers.responses.js';
import { CreateIssuer } from './use-cases/create-issuer.js';
import { DeleteIssuer } from './use-cases/delete-issuer.js';
import { GetIssuer } from './use-cases/get-issuer.js';
import { GetIssuerLogo } from './use-cases/get-issuer-logo.js';
import { ListIssuers } from './use-cases/list-issuers.js';
import { UpdateIssuer } from './use-cases/update-issuer.js';

const IMAGE = { type: 'string', format: 'binary' } as const;

@ApiTags('issuers')
@Controller('issuers')
export class IssuersController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @RequirePermission('issuers:write')
  @ApiOperation({ operationId: 'createIssuer', summary: 'Register an issuer' })
  @ApiCreatedResponse({ type: IssuerRecord })
  create(@Tenant() tenant: TenantContext, @Body() body: IssuerCreateDto): Promise<IssuerRecord> {
    return this.commands.execute(new CreateIssuer(tenant, body));
  }

  @Get()
  @RequirePermission('issuers:read')
  @ApiOperation({ operationId: 'listIssuers', summary: 'List the issuers of the tenant, newest first' })
  @ApiOkResponse({ type: IssuerPage })
  list(@Tenant() tenant: TenantContext, @Query() query: ActivePageQuery): Promise<IssuerPage> {
    return this.queries.execute(new ListIssuers(tenant, query));
  }

  @Get(':issuer_id')
  @RequirePermission('issuers:read')
  @ApiOperation({ operationId: 'getIssuer', summary: 'One issuer' })
  @ApiOkResponse({ type: IssuerRecord })
  get(@Tenant() tenant: TenantContext, @Param('issuer_id', PathUuid) issuerId: string): Promise<IssuerRecord> {
    return this.queries.execute(new GetIssuer(tenant, issuerId));
  }

  @Get(':issuer_id/logo')
  @RequirePermission('issuers:read')
  @ApiOperation({ operationId: 'getIssuerLogo', summary: 'Image that is printed on the documents of an issuer' })
  @ApiProduces('image/png', 'image/jpeg')
  @ApiOkResponse({ content: { 'image/png': { schema: IMAGE }, 'image/jpeg': { schema: IMAGE } } })
  async logo(@Tenant() tenant: TenantContext, @Param('issuer_id', PathUuid) issuerId: string): Promise<StreamableFile> {
    const { bytes, mediaType } = await this.queries.execute(new GetIssuerLogo(tenant, issuerId));
    return new StreamableFile(bytes, { type: mediaType });
  }

  @Patch(':issuer_id')
  @RequirePermission('issuers:write')
  @ApiOperation({ operationId: 'updateIssuer', summary: 'Change fields of an issuer; the RUC stays' })
  @ApiOkResponse({ type: IssuerRecord })
  update(@Tenant() tenant: TenantContext, @Param('issuer_id', PathUuid) issuerId: string, @Body() body: IssuerUpdateDto): Promise<IssuerRecord> {
    return this.commands.execute(new UpdateIssuer(tenant, issuerId, body));
  }

  @Delete(':issuer_id')
  @HttpCode(204)
  @RequirePermission('issuers:write')
  @ApiOperation({
    operationId: 'deleteIssuer',
    summary: 'Remove an issuer without documents, with its establishments and certificates',
    description: 'One that the platform has disabled (`disabled_at`) stays: 403 ISSUER_DISABLED.',
  })
  @ApiNoContentResponse()
  remove(@Tenant() tenant: TenantContext, @Param('issuer_id', PathUuid) issuerId: string): Promise<void> {
    return this.commands.execute(new DeleteIssuer(tenant, issuerId));
  }
}
