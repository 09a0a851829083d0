import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { found } from '../../../shared/found.js';
import { type Clock, CLOCK, type Ids, IDS } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { DeliveriesRepository } from '../persistence/deliveries.repository.js';
import type { DeliveryRecord } from '../webhooks.responses.js';

/** Sends a ping to one webhook, once; its delivery shows what came of it. */
export class TestWebhook extends Command<DeliveryRecord> {
  constructor(
    readonly tenant: TenantContext,
    readonly webhookId: string,
  ) {
    super();
  }
}

@CommandHandler(TestWebhook)
export class TestWebhookHandler implements ICommandHandler<TestWebhook> {
  constructor(
    private readonly deliveries: DeliveriesRepository,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  async execute({ tenant, webhookId }: TestWebhook): Promise<DeliveryRecord> {
    const ids = { event: this.ids.uuid(), delivery: this.ids.uuid() };
    return found(await this.deliveries.ping(tenant, webhookId, ids, this.clock.now()));
  }
}
