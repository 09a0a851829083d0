import { Inject, Injectable } from '@nestjs/common';
import { RecurringWork } from '../../../platform/schedule/recurring-work.js';
import { CLOCK, type Clock, SLEEPER, type Sleeper } from '../../../shared/ports.js';
import { ParkedDocumentsRepository } from '../persistence/parked-documents.repository.js';

const INTERVAL_MS = 5_000;
/** How many documents are woken in one transaction, far below what a statement has time for. */
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

  protected async work(stopping: AbortSignal): Promise<void> {
    let woken = WOKEN_AT_ONCE;
    while (woken === WOKEN_AT_ONCE && !stopping.aborted) woken = await this.parked.wake(this.clock.now(), WOKEN_AT_ONCE);
  }
}
