import { type DynamicModule, Module } from '@nestjs/common';
import { IssuanceBell } from '../queue/issuance-bell.js';
import { PROCESS_NAME } from './build-info.js';
import { ClockAgreement } from './clock-agreement.js';
import { Figures } from './figures.js';
import { ManagementServer } from './management-server.js';
import { type NeededMove, needing } from './needed-moves.js';
import { ReadyFirst } from './ready-first.js';
import { REDIS_PROBE } from './redis-probe.js';
import { SELF_REPORTING } from './self-reporting.js';

/** How a worker process is, and what is due: to operators on METRICS_PORT. */
@Module({
  providers: [...SELF_REPORTING, ClockAgreement, ReadyFirst, Figures, { provide: PROCESS_NAME, useValue: 'worker' }, { provide: REDIS_PROBE, useExisting: IssuanceBell }],
  exports: [ManagementServer],
})
export class HealthWorkerModule {
  /** @param moves of documents that this version makes */
  static needing(moves: readonly NeededMove[]): DynamicModule {
    return { module: HealthWorkerModule, providers: [needing(moves)] };
  }
}
