import { type DynamicModule, Module } from '@nestjs/common';
import type { Settings } from './config/settings.js';
import { allMoves } from './modules/documents/domain/lifecycle.js';
import { DocumentsWorkerModule } from './modules/documents/documents.worker.module.js';
import { EventsWorkerModule } from './modules/events/events.worker.module.js';
import { NotificationsWorkerModule } from './modules/notifications/notifications.worker.module.js';
import { WebhooksWorkerModule } from './modules/webhooks/webhooks.worker.module.js';
import { HealthWorkerModule } from './platform/observability/health.worker.module.js';
import { TracingModule } from './platform/tracing/tracing.module.js';
import { platformModules } from './platform-modules.js';

/** The worker process. Loads nothing of HTTP, so that a further worker is at work soon. */
@Module({})
export class WorkerModule {
  static with(settings: Settings): DynamicModule {
    return { module: WorkerModule, imports: [...platformModules(settings, 'worker'), TracingModule.of('worker'), HealthWorkerModule.needing(allMoves()), DocumentsWorkerModule, EventsWorkerModule, WebhooksWorkerModule, NotificationsWorkerModule] };
  }
}
