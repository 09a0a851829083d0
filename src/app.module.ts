import { type DynamicModule, Module } from '@nestjs/common';
import type { Settings } from './config/settings.js';
import { ApiKeysModule } from './modules/api-keys/api-keys.module.js';
import { AuditModule } from './modules/audit/audit.module.js';
import { AuthModule } from './modules/auth/auth.module.js';
import { BuyersModule } from './modules/buyers/buyers.module.js';
import { CatalogueModule } from './modules/catalogue/catalogue.module.js';
import { allMoves } from './modules/documents/domain/lifecycle.js';
import { DocumentsModule } from './modules/documents/documents.module.js';
import { EventsModule } from './modules/events/events.module.js';
import { IssuersModule } from './modules/issuers/issuers.module.js';
import { MembersModule } from './modules/members/members.module.js';
import { NotificationsModule } from './modules/notifications/notifications.module.js';
import { PlatformModule } from './modules/platform/platform.module.js';
import { ReferenceModule } from './modules/reference/reference.module.js';
import { WebhooksModule } from './modules/webhooks/webhooks.module.js';
import { HttpModule } from './platform/http/http.module.js';
import { HealthModule } from './platform/observability/health.module.js';
import { TracingModule } from './platform/tracing/tracing.module.js';
import { platformModules } from './platform-modules.js';

/** The HTTP process. */
@Module({})
export class ApiModule {
  static with(settings: Settings): DynamicModule {
    const features = [IssuersModule, DocumentsModule, BuyersModule, AuthModule, CatalogueModule, ReferenceModule, MembersModule, ApiKeysModule, AuditModule, PlatformModule, EventsModule, WebhooksModule, NotificationsModule];
    return { module: ApiModule, imports: [...platformModules(settings, 'api'), TracingModule.of('api'), HttpModule, HealthModule.needing(allMoves()), ...features] };
  }
}
