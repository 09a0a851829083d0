import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { PathUuid } from '../../platform/http/path-uuid.js';
import { RequirePermission, Tenant } from '../../platform/security/access.js';
import type { TenantContext } from '../../shared/tenant-context.js';
import { GetDelivery } from './use-cases/get-delivery.js';
import { ListDeliveries } from './use-cases/list-deliveries.js';
import { ReplayDelivery } from './use-cases/replay-delivery.js';
import { DeliveryListQuery } from './webhooks.dto.js';
import { DeliveryPage, DeliveryRecord } from './webhooks.responses.js';

/** What was sent, attempt by attempt. */
@ApiTags('webhooks')
@Controller('webhooks/:webhook_id/deliveries')
export class WebhookDeliveriesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @RequirePermission('webhooks:read')
  @ApiOperation({ operationId: 'listWebhookDeliveries', summary: 'Deliveries with their attempts, newest first' })
  @ApiOkResponse({ type: DeliveryPage })
  list(@Tenant() tenant: TenantContext, @Param('webhook_id', PathUuid) webhookId: string, @Query() query: DeliveryListQuery): Promise<DeliveryPage> {
    return this.queries.execute(new ListDeliveries(tenant, webhookId, query));
  }

  @Get(':delivery_id')
  @RequirePermission('webhooks:read')
  @ApiOperation({ operationId: 'getWebhookDelivery', summary: 'One delivery with its attempts' })
  @ApiOkResponse({ type: DeliveryRecord })
  get(@Tenant() tenant: TenantContext, @Param('webhook_id', PathUuid) webhookId: string, @Param('delivery_id', PathUuid) deliveryId: string): Promise<DeliveryRecord> {
    return this.queries.execute(new GetDelivery(tenant, webhookId, deliveryId));
  }

  @Post(':delivery_id/replay')
  @HttpCode(202)
  @RequirePermission('webhooks:write')
  @ApiOperation({ operationId: 'replayWebhookDelivery', summary: 'Send a delivery again, with the same id, by the whole schedule', description: 'Twenty times an hour at most; refused with 429 also while the events of a time are sent again.' })
  @ApiAcceptedResponse({ type: DeliveryRecord })
  replay(@Tenant() tenant: TenantContext, @Param('webhook_id', PathUuid) webhookId: string, @Param('delivery_id', PathUuid) deliveryId: string): Promise<DeliveryRecord> {
    return this.commands.execute(new ReplayDelivery(tenant, webhookId, deliveryId));
  }
}
