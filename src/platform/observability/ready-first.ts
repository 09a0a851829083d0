import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { SLEEPER, type Sleeper } from '../../shared/ports.js';
import { ClockAgreement } from './clock-agreement.js';
import { HealthChecks, type Obstacle } from './health-checks.js';
import { type Logger, LOGGER } from './logger.js';
import { ManagementServer } from './management-server.js';

/** What is waited for, and in milliseconds how long until the next look. */
const WAITS: Readonly<Record<Obstacle, { readonly what: string; readonly pauseMs: number }>> = {
  migrations: { what: 'PostgreSQL answers and has the migrations of this version (npm run migrate)', pauseMs: 1_000 },
  signing: { what: 'this host signs as the SRI demands, with a master key that opens signing keys; once that is mended, start this process anew', pauseMs: 10_000 },
};

/**
 * Keeps a worker from work before its migrations are applied, it can sign and it knows what time it is. It takes work by itself, so no
 * readiness probe stands before it as before an API process: a rollout that starts it beside the migration would have it call what is
 * not there yet, and one that cannot sign would take from others the documents that they can.
 */
@Injectable()
export class ReadyFirst implements OnModuleInit {
  constructor(
    private readonly health: HealthChecks,
    private readonly clocks: ClockAgreement,
    private readonly server: ManagementServer,
    @Inject(SLEEPER) private readonly sleeper: Sleeper,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Whatever works begins when all modules are initialised. */
  async onModuleInit(): Promise<void> {
    const obstacle = await this.health.obstacle();
    if (obstacle !== null) await this.untilReady(obstacle);
    await this.clocks.begin();
  }

  private async untilReady(first: Obstacle): Promise<void> {
    await this.server.open();
    let told: Obstacle | null = null;
    for (let obstacle: Obstacle | null = first; obstacle !== null; obstacle = await this.health.obstacle()) {
      const { what, pauseMs } = WAITS[obstacle];
      if (obstacle !== told) this.logger.warn(`work begins when ${what}`);
      told = obstacle;
      await this.sleeper.sleep(pauseMs);
    }
    this.logger.info('nothing is missing any more: work begins');
  }
}
