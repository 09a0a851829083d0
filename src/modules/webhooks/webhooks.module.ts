import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { EgressModule } from '../../platform/egress/egress.module.js';
import { DeliveriesRepository } from './persistence/deliveries.repository.js';
import { WebhooksRepository } from './persistence/webhooks.repository.js';
import { ReplaySlots } from './replay-slots.js';
import { CreateWebhookHandler } from './use-cases/create-webhook.js';
import { DeleteWebhookHandler } from './use-cases/delete-webhook.js';
import { GetDeliveryHandler } from './use-cases/get-delivery.js';
import { GetWebhookHandler } from './use-cases/get-webhook.js';
import { ListDeliveriesHandler } from './use-cases/list-deliveries.js';
import { ListWebhooksHandler } from './use-cases/list-webhooks.js';
import { ReplayDeliveryHandler } from './use-cases/replay-delivery.js';
import { ReplayEventsHandler } from './use-cases/replay-events.js';
import { RotateWebhookSecretHandler } from './use-cases/rotate-webhook-secret.js';
import { TestWebhookHandler } from './use-cases/test-webhook.js';
import { UpdateWebhookHandler } from './use-cases/update-webhook.js';
import { WebhookAddresses } from './webhook-addresses.js';
import { WebhookDeliveriesController } from './webhook-deliveries.controller.js';
import { WebhookSecrets } from './webhook-secret.js';
import { WebhooksController } from './webhooks.controller.js';

const HANDLERS = [
  CreateWebhookHandler,
  ListWebhooksHandler,
  GetWebhookHandler,
  UpdateWebhookHandler,
  DeleteWebhookHandler,
  RotateWebhookSecretHandler,
  TestWebhookHandler,
  ReplayEventsHandler,
  ListDeliveriesHandler,
  GetDeliveryHandler,
  ReplayDeliveryHandler,
];

/** Webhooks, for the API process: keeps the addresses and shows what was sent. */
@Module({
  imports: [CqrsModule, EgressModule],
  controllers: [WebhooksController, WebhookDeliveriesController],
  providers: [WebhooksRepository, DeliveriesRepository, ReplaySlots, WebhookAddresses, WebhookSecrets, ...HANDLERS],
})
export class WebhooksModule {}
