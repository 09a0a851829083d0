import { Inject, Injectable, Logger } from '@nestjs/common';
import { RecurringWork } from '../../platform/schedule/recurring-work.js';
import { CLOCK, type Clock, SLEEPER, type Sleeper } from '../../shared/ports.js';
import { CertificatesRepository } from './persistence/certificates.repository.js';

const INTERVAL_MS = 60_000;

/** Writes events about signing certificates whose end draws near; PostgreSQL sees to it that each is written once. */
@Injectable()
export class CertificateNotices extends RecurringWork {
  private readonly log = new Logger(CertificateNotices.name);

  constructor(
    private readonly certificates: CertificatesRepository,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SLEEPER) sleeper: Sleeper,
  ) {
    super(INTERVAL_MS, sleeper);
  }

  protected async work(): Promise<void> {
    const written = await this.certificates.noticeExpiring(this.clock.now());
    if (written > 0) this.log.log(`${written} notices of certificates that expire`);
  }
}
