import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ValidationFailure } from '../../../platform/http/validation-failure.js';
import { found } from '../../../shared/found.js';
import { type Clock, CLOCK } from '../../../shared/ports.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { DeliveriesRepository } from '../persistence/deliveries.repository.js';
import { ReplaySlots } from '../replay-slots.js';
import type { WebhookReplayDto } from '../webhooks.dto.js';
import type { ReplayAccepted } from '../webhooks.responses.js';

/** Events of one replay; all of them are made due in one transaction. */
const MOST_EVENTS = 5_000;

/** Sends a webhook what happened in a time again, or for the first time: after its receiver lost messages, or while it was off. */
export class ReplayEvents extends Command<ReplayAccepted> {
  constructor(
    readonly tenant: TenantContext,
    readonly webhookId: string,
    readonly input: WebhookReplayDto,
  ) {
    super();
  }
}

@CommandHandler(ReplayEvents)
export class ReplayEventsHandler implements ICommandHandler<ReplayEvents> {
  constructor(
    private readonly deliveries: DeliveriesRepository,
    private readonly slots: ReplaySlots,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ tenant, webhookId, input }: ReplayEvents): Promise<ReplayAccepted> {
    const range = { from: new Date(input.from), to: new Date(input.to), kinds: input.kinds ?? null };
    const replay = () => this.deliveries.replayRange(tenant, webhookId, range, MOST_EVENTS, this.clock.now());
    const events = found(await this.slots.within(tenant.tenantId, replay));
    if (events === 'too_many') throw new ValidationFailure([{ loc: ['body', 'to'], type: 'range_too_large', input: input.to, ctx: { max: MOST_EVENTS } }]);
    return { events };
  }
}
