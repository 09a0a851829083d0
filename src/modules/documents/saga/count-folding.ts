import { Inject, Injectable } from '@nestjs/common';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import { RecurringWork } from '../../../platform/schedule/recurring-work.js';
import { SLEEPER, type Sleeper } from '../../../shared/ports.js';

const INTERVAL_MS = 5_000;
const BATCH = 5_000;

/** Folds what documents left behind into the counts of the lists. Late, lists are as exact, only slower. */
@Injectable()
export class CountFolding extends RecurringWork {
  constructor(
    private readonly transaction: TenantTransaction,
    @Inject(SLEEPER) sleeper: Sleeper,
  ) {
    super(INTERVAL_MS, sleeper);
  }

  protected async work(stopping: AbortSignal): Promise<void> {
    let folded = BATCH;
    while (folded === BATCH && !stopping.aborted) {
      const [row] = await this.transaction.platform<{ folded: number }>('select fold_document_counts($1) as folded', [BATCH]);
      folded = row?.folded ?? 0;
    }
  }
}
