import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../../config/settings.js';
import { RecurringWork } from '../../../platform/schedule/recurring-work.js';
import { CLOCK, type Clock, SLEEPER, type Sleeper } from '../../../shared/ports.js';
import { SequenceNoticesRepository } from '../persistence/sequence-notices.repository.js';

/** Thresholds of numbers left, each reported once. */
const THRESHOLDS = [1_000_000, 100_000, 10_000, 1_000] as const;

/** Looks every few minutes for counters that run low. Several workers may do so: each threshold is reported once. */
@Injectable()
export class SequenceNotices extends RecurringWork {
  constructor(
    private readonly notices: SequenceNoticesRepository,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SLEEPER) sleeper: Sleeper,
    @Inject(SETTINGS) settings: Settings,
  ) {
    super(settings.NOTICE_INTERVAL_SECONDS * 1_000, sleeper);
  }

  protected async work(): Promise<void> {
    await this.notices.noticeLow(THRESHOLDS, this.clock.now());
  }
}
