import { type DynamicModule, Module } from '@nestjs/common';
import { ConfigModule } from './config/config.module.js';
import type { Settings } from './config/settings.js';
import { ApiKeysModule } from './modules/api-keys/api-keys.module.js';
import { AuditModule } from './modules/audit/audit.module.js';
import { AuthModule } from './modules/auth/auth.module.js';
import { BuyersModule } from './modules/buyers/buyers.module.js';
import { CatalogueModule } from './modules/catalogue/catalogue.module.js';
import { DocumentsModule } from './modules/documents/documents.module.js';
import { EventsModule } from './modules/events/events.module.js';
import { IssuersModule } from './modules/issuers/issuers.module.js';
import { MembersModule } from './modules/members/members.module.js';
import { NotificationsModule } from './modules/notifications/notifications.module.js';
import { PlatformModule } from './modules/platform/platform.module.js';
import { ReferenceModule } from './modules/reference/reference.module.js';
import { WebhooksModule } from './modules/webhooks/webhooks.module.js';
import { AuditTrailModule } from './platform/audit/audit-trail.module.js';
import { AdaptersModule } from './platform/adapters/adapters.module.js';
import { DatabaseModule } from './platform/database/database.module.js';
import { FaultsModule } from './platform/faults/faults.module.js';
import { HttpModule } from './platform/http/http.module.js';
import { HealthModule } from './platform/observability/health.module.js';
import { ObservabilityModule } from './platform/observability/observability.module.js';
import { QueueModule } from './platform/queue/queue.module.js';
import { SecretsModule } from './platform/secrets/secrets.module.js';

const platform = (settings: Settings): DynamicModule['imports'] => [
  ConfigModule.with(settings),
  AdaptersModule,
  ObservabilityModule,
  FaultsModule,
  DatabaseModule,
  AuditTrailModule,
  QueueModule,
  SecretsModule,
];

/** The HTTP process. */
@Module({})
export class ApiModule {
  static with(settings: Settings): DynamicModule {
    return { module: ApiModule, imports: [...(platform(settings) ?? []), HttpModule, HealthModule, IssuersModule.http(), DocumentsModule.http(), BuyersModule, AuthModule, CatalogueModule, ReferenceModule, MembersModule, ApiKeysModule, AuditModule, PlatformModule, EventsModule.http(), WebhooksModule.http(), NotificationsModule.http()] };
  }
}

/** The worker process. */
@Module({})
export class WorkerModule {
  static with(settings: Settings): DynamicModule {
    return { module: WorkerModule, imports: [...(platform(settings) ?? []), DocumentsModule.worker(), EventsModule.worker(), WebhooksModule.worker(), NotificationsModule.worker()] };
  }
}
