import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { PageQuery } from '../../platform/http/paging.dto.js';
import { PathUuid } from '../../platform/http/path-uuid.js';
import { RequirePermission, Tenant } from '../../platform/security/access.js';
import type { TenantContext } from '../../shared/tenant-context.js';
import { ApiKeyCreateDto } from './api-keys.dto.js';
import { ApiKeyCreated, ApiKeyPage } from './api-keys.responses.js';
import { CreateApiKey } from './use-cases/create-api-key.js';
import { ListApiKeys } from './use-cases/list-api-keys.js';
import { RevokeApiKey } from './use-cases/revoke-api-key.js';

@ApiTags('auth')
@Controller('auth/api-keys')
export class ApiKeysController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @RequirePermission('api_keys:write')
  @ApiOperation({ operationId: 'createApiKey', summary: 'Make an API key; the answer shows it once' })
  @ApiCreatedResponse({ type: ApiKeyCreated })
  create(@Tenant() tenant: TenantContext, @Body() { name }: ApiKeyCreateDto): Promise<ApiKeyCreated> {
    return this.commands.execute(new CreateApiKey(tenant, name));
  }

  @Get()
  @RequirePermission('tenant:read')
  @ApiOperation({ operationId: 'listApiKeys', summary: 'List the API keys of the tenant, newest first' })
  @ApiOkResponse({ type: ApiKeyPage })
  list(@Tenant() tenant: TenantContext, @Query() query: PageQuery): Promise<ApiKeyPage> {
    return this.queries.execute(new ListApiKeys(tenant, query));
  }

  @Delete(':api_key_id')
  @HttpCode(204)
  @RequirePermission('api_keys:write')
  @ApiOperation({ operationId: 'revokeApiKey', summary: 'Revoke an API key; it fails from the next request on' })
  @ApiNoContentResponse()
  revoke(@Tenant() tenant: TenantContext, @Param('api_key_id', PathUuid) apiKeyId: string): Promise<void> {
    return this.commands.execute(new RevokeApiKey(tenant, apiKeyId));
  }
}
