import { Inject, Injectable } from '@nestjs/common';
import { SLEEPER, type Sleeper } from '../../shared/ports.js';
import { ServiceClock } from '../adapters/service-clock.js';
import { answerWithin } from '../answer-time.js';
import { TenantTransaction } from '../database/tenant-transaction.js';
import { type Logger, LOGGER } from './logger.js';
import { Meters } from './meters.js';

const MS_PER_SECOND = 1_000;
/** Whoever looks at the metrics wants the others also while PostgreSQL is silent. */
const ANSWER_MS = 1_000;

/**
 * Tells how far the host's clock is ahead of PostgreSQL's. Leases, retries, the time in a signature and the fiscal day go by the
 * clock of whoever handles a document, so processes have to agree.
 */
@Injectable()
export class ClockOffset {
  private isSilent = false;

  constructor(
    private readonly database: TenantTransaction,
    private readonly clock: ServiceClock,
    @Inject(SLEEPER) private readonly sleeper: Sleeper,
    @Inject(LOGGER) private readonly logger: Logger,
    meters: Meters,
  ) {
    meters.gauge('clockOffset', async () => {
      const seconds = await this.seconds();
      return seconds === null ? [] : [{ labels: {}, value: seconds }];
    });
  }

  /**
   * Seconds that the host's clock is ahead of PostgreSQL's; negative if it is behind, 0 if the time that the question took may
   * explain the difference, so that a slow answer is no offset. Null while PostgreSQL does not answer within a second.
   */
  async seconds(): Promise<number | null> {
    const asked = this.clock.host();
    const told = await this.toldByPostgres();
    const answered = this.clock.host();
    if (told === null) return null;
    if (told < asked) return (asked - told) / MS_PER_SECOND;
    return told > answered ? (answered - told) / MS_PER_SECOND : 0;
  }

  private async toldByPostgres(): Promise<number | null> {
    let row: { at: Date } | undefined;
    try {
      [row] = await answerWithin(this.sleeper, ANSWER_MS, this.database.withoutTenant<{ at: Date }>('select clock_timestamp() as at'));
      this.isSilent = false;
    } catch (error) {
      if (!this.isSilent) this.logger.warn({ err: error }, 'PostgreSQL did not tell its time');
      this.isSilent = true;
      return null;
    }
    return row === undefined ? null : row.at.getTime();
  }
}
