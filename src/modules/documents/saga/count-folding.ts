import { Inject, Injectable } from '@nestjs/common';
import { RecurringWork } from '../../../platform/schedule/recurring-work.js';
import { SLEEPER, type Sleeper } from '../../../shared/ports.js';
import { DocumentCountsRepository } from '../persistence/document-counts.repository.js';

const INTERVAL_MS = 5_000;
const FOLDED_AT_ONCE = 5_000;

/** Folds the changes that documents recorded into the counts of the lists. If it is late, lists are as exact, only slower. */
@Injectable()
export class CountFolding extends RecurringWork {
  constructor(
    private readonly counts: DocumentCountsRepository,
    @Inject(SLEEPER) sleeper: Sleeper,
  ) {
    super(INTERVAL_MS, sleeper);
  }

  protected work(stopping: AbortSignal): Promise<void> {
    return this.inParts(FOLDED_AT_ONCE, stopping, (limit) => this.counts.fold(limit));
  }
}
