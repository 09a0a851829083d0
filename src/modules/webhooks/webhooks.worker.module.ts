import { Module } from '@nestjs/common';
import { EgressModule } from '../../platform/egress/egress.module.js';
import { DeliveryAttempts } from './dispatch/delivery-attempts.js';
import { FailingAddresses } from './dispatch/failing-addresses.js';
import { SigningSecrets } from './dispatch/signing-secrets.js';
import { WebhookDispatcher } from './dispatch/webhook-dispatcher.js';
import { DispatchRepository } from './persistence/dispatch.repository.js';

/** Webhooks, for the worker process: sends, and switches off what fails for days. */
@Module({ imports: [EgressModule], providers: [DispatchRepository, SigningSecrets, DeliveryAttempts, WebhookDispatcher, FailingAddresses] })
export class WebhooksWorkerModule {}
