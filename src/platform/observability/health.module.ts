import { type DynamicModule, Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import { RateLimits } from '../http/rate-limits.js';
import { PROCESS_NAME } from './build-info.js';
import { HealthController } from './health.controller.js';
import { SELF_REPORTING } from './self-reporting.js';
import { ManagementServer } from './management-server.js';
import { type NeededMove, needing } from './needed-moves.js';
import { REDIS_PROBE } from './redis-probe.js';

/** How the API process is: to callers over the API, to operators on METRICS_PORT. */
@Module({
  imports: [HttpModule],
  controllers: [HealthController],
  providers: [...SELF_REPORTING, { provide: PROCESS_NAME, useValue: 'api' }, { provide: REDIS_PROBE, useExisting: RateLimits }],
  exports: [ManagementServer],
})
export class HealthModule {
  /** @param moves of documents that this version makes */
  static needing(moves: readonly NeededMove[]): DynamicModule {
    return { module: HealthModule, providers: [needing(moves)] };
  }
}
