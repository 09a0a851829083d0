import { Inject, Injectable, Logger } from '@nestjs/common';
import { TenantTransaction } from '../../platform/database/tenant-transaction.js';
import { RecurringWork } from '../../platform/schedule/recurring-work.js';
import { CLOCK, type Clock, SLEEPER, type Sleeper } from '../../shared/ports.js';

const INTERVAL_MS = 60_000;

/** Writes events about signing certificates whose end draws near; PostgreSQL sees to it that each is written once. */
@Injectable()
export class CertificateNotices extends RecurringWork {
  private readonly log = new Logger(CertificateNotices.name);

  constructor(
    private readonly transaction: TenantTransaction,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SLEEPER) sleeper: Sleeper,
  ) {
    super(INTERVAL_MS, sleeper);
  }

  protected async work(): Promise<void> {
    const [row] = await this.transaction.platform<{ written: number }>('select notice_certificates($1) as written', [this.clock.now()]);
    if (row !== undefined && row.written > 0) this.log.log(`${row.written} notices of certificates that expire`);
  }
}
