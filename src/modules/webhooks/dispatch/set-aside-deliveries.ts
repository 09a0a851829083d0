import { Inject, Injectable } from '@nestjs/common';
import { RecurringWork } from '../../../platform/schedule/recurring-work.js';
import { CLOCK, type Clock, SLEEPER, type Sleeper } from '../../../shared/ports.js';
import { DispatchRepository } from '../persistence/dispatch.repository.js';

const INTERVAL_MS = 60_000;
const WEBHOOKS_AT_ONCE = 100;

/** Wakes what is still set aside for webhooks that are on: an API that ended while it switched one on again has left it there. */
@Injectable()
export class SetAsideDeliveries extends RecurringWork {
  constructor(
    private readonly webhooks: DispatchRepository,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SLEEPER) sleeper: Sleeper,
  ) {
    super(INTERVAL_MS, sleeper);
  }

  protected async work(stopping: AbortSignal): Promise<void> {
    await this.webhooks.resumeSetAside(WEBHOOKS_AT_ONCE, this.clock.now(), stopping);
  }
}
