import type { DynamicModule } from '@nestjs/common';
import { ConfigModule } from './config/config.module.js';
import type { Settings } from './config/settings.js';
import { AuditTrailModule } from './platform/audit/audit-trail.module.js';
import { AdaptersModule } from './platform/adapters/adapters.module.js';
import { DatabaseModule } from './platform/database/database.module.js';
import { FaultsModule } from './platform/faults/faults.module.js';
import { ObservabilityModule } from './platform/observability/observability.module.js';
import { QueueModule } from './platform/queue/queue.module.js';
import { SecretsModule } from './platform/secrets/secrets.module.js';
import { ShutdownModule } from './platform/shutdown/shutdown.module.js';

/** What every process stands on. */
export const platformModules = (settings: Settings, process: 'api' | 'worker'): NonNullable<DynamicModule['imports']> => [
  ConfigModule.with(settings),
  AdaptersModule,
  ShutdownModule,
  ObservabilityModule,
  FaultsModule,
  DatabaseModule.of(process),
  AuditTrailModule,
  QueueModule,
  SecretsModule,
];
