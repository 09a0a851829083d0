import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiAcceptedResponse, ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { PageQuery } from '../../platform/http/paging.dto.js';
import { PathUuid } from '../../platform/http/path-uuid.js';
import { RequirePermission, Tenant } from '../../platform/security/access.js';
import type { TenantContext } from '../../shared/tenant-context.js';
import { CreateWebhook } from './use-cases/create-webhook.js';
import { DeleteWebhook } from './use-cases/delete-webhook.js';
import { GetWebhook } from './use-cases/get-webhook.js';
import { ListWebhooks } from './use-cases/list-webhooks.js';
import { ReplayEvents } from './use-cases/replay-events.js';
import { RotateWebhookSecret } from './use-cases/rotate-webhook-secret.js';
import { TestWebhook } from './use-cases/test-webhook.js';
import { UpdateWebhook } from './use-cases/update-webhook.js';
import { WebhookCreateDto, WebhookReplayDto, WebhookUpdateDto } from './webhooks.dto.js';
import { DeliveryRecord, ReplayAccepted, WebhookCreated, WebhookPage, WebhookRecord, WebhookSecretRotated } from './webhooks.responses.js';

/** Where events are sent to (Standard Webhooks). */
@ApiTags('webhooks')
@Controller('webhooks')
export class WebhooksController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @RequirePermission('webhooks:write')
  @ApiOperation({ operationId: 'createWebhook', summary: 'Name an address that events are sent to; answers its secret, once' })
  @ApiCreatedResponse({ type: WebhookCreated })
  create(@Tenant() tenant: TenantContext, @Body() body: WebhookCreateDto): Promise<WebhookCreated> {
    return this.commands.execute(new CreateWebhook(tenant, body));
  }

  @Get()
  @RequirePermission('webhooks:read')
  @ApiOperation({ operationId: 'listWebhooks', summary: 'Webhooks of the tenant, newest first' })
  @ApiOkResponse({ type: WebhookPage })
  list(@Tenant() tenant: TenantContext, @Query() query: PageQuery): Promise<WebhookPage> {
    return this.queries.execute(new ListWebhooks(tenant, query));
  }

  @Get(':webhook_id')
  @RequirePermission('webhooks:read')
  @ApiOperation({ operationId: 'getWebhook', summary: 'One webhook' })
  @ApiOkResponse({ type: WebhookRecord })
  get(@Tenant() tenant: TenantContext, @Param('webhook_id', PathUuid) webhookId: string): Promise<WebhookRecord> {
    return this.queries.execute(new GetWebhook(tenant, webhookId));
  }

  @Patch(':webhook_id')
  @RequirePermission('webhooks:write')
  @ApiOperation({ operationId: 'updateWebhook', summary: 'Change a webhook, or switch it off and on' })
  @ApiOkResponse({ type: WebhookRecord })
  update(@Tenant() tenant: TenantContext, @Param('webhook_id', PathUuid) webhookId: string, @Body() body: WebhookUpdateDto): Promise<WebhookRecord> {
    return this.commands.execute(new UpdateWebhook(tenant, webhookId, body));
  }

  @Delete(':webhook_id')
  @HttpCode(204)
  @RequirePermission('webhooks:write')
  @ApiOperation({ operationId: 'deleteWebhook', summary: 'Remove a webhook' })
  @ApiNoContentResponse()
  remove(@Tenant() tenant: TenantContext, @Param('webhook_id', PathUuid) webhookId: string): Promise<void> {
    return this.commands.execute(new DeleteWebhook(tenant, webhookId));
  }

  @Post(':webhook_id/rotate-secret')
  @HttpCode(200)
  @RequirePermission('webhooks:write')
  @ApiOperation({ operationId: 'rotateWebhookSecret', summary: 'A new secret; the former signs too for 24 hours' })
  @ApiOkResponse({ type: WebhookSecretRotated })
  rotate(@Tenant() tenant: TenantContext, @Param('webhook_id', PathUuid) webhookId: string): Promise<WebhookSecretRotated> {
    return this.commands.execute(new RotateWebhookSecret(tenant, webhookId));
  }

  @Post(':webhook_id/test')
  @HttpCode(202)
  @RequirePermission('webhooks:write')
  @ApiOperation({ operationId: 'testWebhook', summary: 'Send a ping to this webhook, once' })
  @ApiAcceptedResponse({ type: DeliveryRecord })
  test(@Tenant() tenant: TenantContext, @Param('webhook_id', PathUuid) webhookId: string): Promise<DeliveryRecord> {
    return this.commands.execute(new TestWebhook(tenant, webhookId));
  }

  @Post(':webhook_id/replay')
  @HttpCode(202)
  @RequirePermission('webhooks:write')
  @ApiOperation({ operationId: 'replayEvents', summary: 'Send the events of a time again, at most 5,000', description: 'One at a time: a second one meanwhile is refused with 429.' })
  @ApiAcceptedResponse({ type: ReplayAccepted })
  replay(@Tenant() tenant: TenantContext, @Param('webhook_id', PathUuid) webhookId: string, @Body() body: WebhookReplayDto): Promise<ReplayAccepted> {
    return this.commands.execute(new ReplayEvents(tenant, webhookId, body));
  }
}
