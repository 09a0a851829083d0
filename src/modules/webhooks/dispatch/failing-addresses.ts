import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../../config/settings.js';
import { RecurringWork } from '../../../platform/schedule/recurring-work.js';
import { CLOCK, type Clock, IDS, type Ids, SLEEPER, type Sleeper } from '../../../shared/ports.js';
import { DispatchRepository } from '../persistence/dispatch.repository.js';

const AT_ONCE = 100;

/**
 * Switches off what has failed for days although no attempt says so any more: the schedule of a delivery is over before, and
 * a tenant with few events would hear late or never.
 */
@Injectable()
export class FailingAddresses extends RecurringWork {
  constructor(
    private readonly webhooks: DispatchRepository,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(IDS) private readonly ids: Ids,
    @Inject(SLEEPER) sleeper: Sleeper,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    super(settings.NOTICE_INTERVAL_SECONDS * 1_000, sleeper);
  }

  protected async work(stopping: AbortSignal): Promise<void> {
    await this.inParts(AT_ONCE, stopping, (limit) => this.webhooks.switchOffFailing(limit, this.settings.WEBHOOK_DISABLE_AFTER_SECONDS * 1_000, this.clock.now(), this.ids));
  }
}
