import { Module } from '@nestjs/common';
import { EgressModule } from '../../platform/egress/egress.module.js';
import { DeliveryAttempts } from './dispatch/delivery-attempts.js';
import { FailingAddresses } from './dispatch/failing-addresses.js';
import { SetAsideDeliveries } from './dispatch/set-aside-deliveries.js';
import { SigningSecrets } from './dispatch/signing-secrets.js';
import { WebhookDispatcher } from './dispatch/webhook-dispatcher.js';
import { DispatchRepository } from './persistence/dispatch.repository.js';

/** Webhooks, for the worker process: sends, switches off what fails for days, and goes on with what was switched on again. */
@Module({ imports: [EgressModule], providers: [DispatchRepository, SigningSecrets, DeliveryAttempts, WebhookDispatcher, FailingAddresses, SetAsideDeliveries] })
export class WebhooksWorkerModule {}
