import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { SLEEPER, type Sleeper } from '../../shared/ports.js';
import { ClockAgreement } from './clock-agreement.js';
import { HealthChecks } from './health-checks.js';
import { type Logger, LOGGER } from './logger.js';
import { ManagementServer } from './management-server.js';

const PAUSE_MS = 1_000;

/**
 * Keeps a worker from work before its migrations are applied and it knows what time it is. It takes work by itself, so no readiness probe stands before
 * it as before an API process: a rollout that starts it beside the migration would have it call what is not there yet.
 */
@Injectable()
export class MigrationsFirst implements OnModuleInit {
  constructor(
    private readonly health: HealthChecks,
    private readonly clocks: ClockAgreement,
    private readonly server: ManagementServer,
    @Inject(SLEEPER) private readonly sleeper: Sleeper,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Whatever works begins when all modules are initialised. */
  async onModuleInit(): Promise<void> {
    if (!(await this.health.isMigrated())) await this.untilMigrated();
    await this.clocks.begin();
  }

  private async untilMigrated(): Promise<void> {
    await this.server.open();
    this.logger.warn('work begins when PostgreSQL answers and has the migrations of this version (npm run migrate)');
    do await this.sleeper.sleep(PAUSE_MS);
    while (!(await this.health.isMigrated()));
    this.logger.info('the migrations are applied: work begins');
  }
}
