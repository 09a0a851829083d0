import { Inject, Injectable } from '@nestjs/common';
import { SLEEPER, type Sleeper } from '../../shared/ports.js';
import { ServiceClock } from '../adapters/service-clock.js';
import { endToStartAnew } from '../process.js';
import { RecurringWork } from '../schedule/recurring-work.js';
import { ClockOffset } from './clock-offset.js';
import { type Logger, LOGGER } from './logger.js';

const MS_PER_SECOND = 1_000;
const LOOK_MS = 5_000;
const PAUSE_MS = 1_000;
/** The time that an answer takes makes an offset less exact, so the quickest of several looks is the nearest. */
const FIRST_LOOKS = 3;
/** Clocks that are kept differ by less. */
const HELD_BACK_FROM_S = 0.25;
/** So far apart no clock is kept any more. */
const OFF_FROM_S = 5;

/**
 * Has a worker go by PostgreSQL's time where its host is ahead of that when it starts. One whose host leaps afterwards, ahead or back,
 * ends to be started anew. A host whose clock is behind is only logged, also when it is put right.
 */
@Injectable()
export class ClockAgreement extends RecurringWork {
  private heldBackS = 0;
  /** How far the host was ahead of PostgreSQL at the last look. */
  private lastS = 0;
  private isOver = false;
  private isBehindTold = false;

  constructor(
    private readonly offset: ClockOffset,
    private readonly clock: ServiceClock,
    @Inject(SLEEPER) private readonly pauses: Sleeper,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super(LOOK_MS, pauses);
  }

  /** Resolves when PostgreSQL has given its time: no work may begin before. */
  async begin(): Promise<void> {
    const looks: number[] = [];
    while (looks.length < FIRST_LOOKS) {
      const seconds = await this.offset.seconds();
      if (seconds === null) await this.pauses.sleep(PAUSE_MS);
      else looks.push(seconds);
    }
    const ahead = Math.max(...looks);
    this.lastS = ahead;
    if (ahead <= HELD_BACK_FROM_S) return;
    this.heldBackS = ahead;
    this.clock.holdBack(ahead * MS_PER_SECOND);
    if (ahead > OFF_FROM_S) this.logger.error({ ahead_seconds: ahead }, "the host's clock is ahead of PostgreSQL's, by whose time this worker goes: put right the one that is wrong");
  }

  async work(): Promise<void> {
    if (this.isOver) return;
    const seconds = await this.offset.seconds();
    if (seconds === null) return;
    const leaptS = seconds - this.heldBackS;
    // Time that went back makes every pause, wait and cache of this process last as much longer.
    const wentBack = this.lastS - seconds > OFF_FROM_S || (this.heldBackS > 0 && leaptS < -OFF_FROM_S);
    this.lastS = seconds;
    if (leaptS > OFF_FROM_S || wentBack) {
      this.isOver = true;
      this.logger.error({ ahead_seconds: seconds, held_back_seconds: this.heldBackS }, "the clock of the host or of PostgreSQL leapt: this worker ends, to be started anew");
      this.end();
      return;
    }
    const isBehind = seconds < -OFF_FROM_S;
    if (isBehind && !this.isBehindTold) this.logger.error({ behind_seconds: -seconds }, "the host's clock is behind PostgreSQL's: what this worker does comes late until it is put right");
    this.isBehindTold = isBehind;
  }

  /** Ends this process in good order. */
  protected end(): void {
    endToStartAnew();
  }
}
