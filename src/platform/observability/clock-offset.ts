import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../../shared/ports.js';
import { TenantTransaction } from '../database/tenant-transaction.js';
import { Meters } from './meters.js';

const MS_PER_SECOND = 1_000;

/**
 * Tells how far this process's clock is ahead of PostgreSQL's. Leases, retries, the time in a signature and the fiscal day go by
 * the clock of whoever handles a document, so processes have to agree.
 */
@Injectable()
export class ClockOffset {
  constructor(
    private readonly database: TenantTransaction,
    @Inject(CLOCK) private readonly clock: Clock,
    meters: Meters,
  ) {
    meters.gauge('clockOffset', async () => {
      const seconds = await this.seconds();
      return seconds === null ? [] : [{ labels: {}, value: seconds }];
    });
  }

  /**
   * Seconds that this process's clock is ahead of PostgreSQL's, negative behind it, 0 where what the question took may explain the
   * difference: so a slow answer is no offset. Null while PostgreSQL does not tell.
   */
  async seconds(): Promise<number | null> {
    const asked = this.clock.now().getTime();
    let told: number | undefined;
    try {
      const [row] = await this.database.platform<{ at: Date }>('select clock_timestamp() as at');
      told = row?.at.getTime();
    } catch {
      // Readiness tells that PostgreSQL is away.
      return null;
    }
    const answered = this.clock.now().getTime();
    if (told === undefined) return null;
    if (told < asked) return (asked - told) / MS_PER_SECOND;
    return told > answered ? (answered - told) / MS_PER_SECOND : 0;
  }
}
