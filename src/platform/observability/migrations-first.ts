import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { SLEEPER, type Sleeper } from '../../shared/ports.js';
import { ClockOffset } from './clock-offset.js';
import { HealthChecks } from './health-checks.js';
import { type Logger, LOGGER } from './logger.js';
import { OperatorsDoor } from './operators-door.js';

const PAUSE_MS = 1_000;

/**
 * Keeps a worker from work before its migrations are applied. It takes work by itself, so no readiness probe stands before
 * it as before an API process: a rollout that starts it beside the migration would have it call what is not there yet.
 */
@Injectable()
export class MigrationsFirst implements OnModuleInit {
  constructor(
    private readonly health: HealthChecks,
    private readonly clocks: ClockOffset,
    private readonly door: OperatorsDoor,
    @Inject(SLEEPER) private readonly sleeper: Sleeper,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Whatever works begins when all modules are initialised. */
  async onModuleInit(): Promise<void> {
    if (await this.health.isMigrated()) return;
    await this.door.open();
    this.logger.warn('work begins when PostgreSQL answers and has the migrations of this version (npm run migrate)');
    do await this.sleeper.sleep(PAUSE_MS);
    while (!(await this.health.isMigrated()));
    await this.clocks.work();
    this.logger.info('the migrations are applied: work begins');
  }
}
