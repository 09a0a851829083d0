import { Inject, Injectable } from '@nestjs/common';
import { RecurringWork } from '../../../platform/schedule/recurring-work.js';
import { CLOCK, type Clock, SLEEPER, type Sleeper } from '../../../shared/ports.js';
import { ParkedDocumentsRepository } from '../persistence/parked-documents.repository.js';

const INTERVAL_MS = 5_000;
const WOKEN_AT_ONCE = 5_000;

/** Wakes the parked documents that a new certificate left parked because they are many: it wakes a thousand by itself. */
@Injectable()
export class ParkedWaking extends RecurringWork {
  constructor(
    private readonly parked: ParkedDocumentsRepository,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SLEEPER) sleeper: Sleeper,
  ) {
    super(INTERVAL_MS, sleeper);
  }

  protected work(stopping: AbortSignal): Promise<void> {
    return this.inParts(WOKEN_AT_ONCE, stopping, (limit) => this.parked.wake(this.clock.now(), limit));
  }
}
