import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { SLEEPER, type Sleeper } from '../../shared/ports.js';
import { ServiceClock } from '../adapters/service-clock.js';
import { answerWithin } from '../answer-time.js';
import { TenantTransaction } from '../database/tenant-transaction.js';
import { RecurringWork } from '../schedule/recurring-work.js';
import { type Logger, LOGGER } from './logger.js';
import { Meters } from './meters.js';

const MS_PER_SECOND = 1_000;
/** Whoever looks at the metrics wants the others also while PostgreSQL is silent. */
const ANSWER_MS = 1_000;
const LOOK_MS = 5_000;
/** Clocks that are kept differ by less, and a clock that is not held back never goes back. */
const HELD_BACK_FROM_S = 0.25;
/** So far apart no clock is kept any more: the log says so. */
const TOLD_FROM_S = 5;

/**
 * Tells how far the host's clock is ahead of PostgreSQL's, and holds that of this process back by as much. Leases, retries, the time
 * in a signature and the fiscal day go by the clock of whoever handles a document, so processes have to agree.
 */
@Injectable()
export class ClockOffset extends RecurringWork implements OnModuleInit {
  private isTold = false;

  constructor(
    private readonly database: TenantTransaction,
    private readonly clock: ServiceClock,
    @Inject(SLEEPER) private readonly answerTimes: Sleeper,
    @Inject(LOGGER) private readonly logger: Logger,
    meters: Meters,
  ) {
    super(LOOK_MS, answerTimes);
    meters.gauge('clockOffset', async () => {
      const seconds = await this.seconds();
      return seconds === null ? [] : [{ labels: {}, value: seconds }];
    });
  }

  /** Whatever works begins when all modules are initialised. */
  async onModuleInit(): Promise<void> {
    await this.work();
  }

  /** Goes by PostgreSQL's clock where that is behind; while PostgreSQL is silent, as before. */
  async work(): Promise<void> {
    const seconds = await this.seconds();
    if (seconds === null) return;
    this.clock.holdBack(seconds > HELD_BACK_FROM_S ? seconds * MS_PER_SECOND : 0);
    const isOff = Math.abs(seconds) > TOLD_FROM_S;
    if (isOff === this.isTold) return;
    this.isTold = isOff;
    if (!isOff) this.logger.info("the host's clock agrees with PostgreSQL's again");
    else if (seconds > 0) this.logger.error({ ahead_seconds: seconds }, "the host's clock is ahead of PostgreSQL's, by whose time this process goes until it is put right");
    else this.logger.error({ behind_seconds: -seconds }, "the host's clock is behind PostgreSQL's: what this process does comes late until it is put right");
  }

  /**
   * Seconds that the host's clock is ahead of PostgreSQL's, negative behind it, 0 where the time that the question took may
   * explain the difference: so a slow answer is no offset. Null while PostgreSQL does not tell within a second.
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
      [row] = await answerWithin(this.answerTimes, ANSWER_MS, this.database.platform<{ at: Date }>('select clock_timestamp() as at'));
    } catch (error) {
      this.logger.warn({ err: error }, 'PostgreSQL did not tell its time');
      return null;
    }
    return row === undefined ? null : row.at.getTime();
  }
}
