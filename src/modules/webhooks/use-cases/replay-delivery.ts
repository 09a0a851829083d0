import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { found } from '../../../shared/found.js';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { DeliveriesRepository } from '../persistence/deliveries.repository.js';
import type { DeliveryRecord } from '../webhooks.responses.js';

/** Sends one delivery again, with the same id, from the beginning of the schedule. */
export class ReplayDelivery extends Command<DeliveryRecord> {
  constructor(
    readonly tenant: TenantContext,
    readonly webhookId: string,
    readonly deliveryId: string,
  ) {
    super();
  }
}

@CommandHandler(ReplayDelivery)
export class ReplayDeliveryHandler implements ICommandHandler<ReplayDelivery> {
  constructor(
    private readonly deliveries: DeliveriesRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ tenant, webhookId, deliveryId }: ReplayDelivery): Promise<DeliveryRecord> {
    return found(await this.deliveries.replay(tenant, webhookId, deliveryId, this.clock.now()));
  }
}
