import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { MembersModule } from '../members/public.js';
import { PlatformRepository } from './persistence/platform.repository.js';
import { PlatformController } from './platform.controller.js';
import { FoundTenantHandler } from './use-cases/found-tenant.js';
import { ListTenantsHandler } from './use-cases/list-tenants.js';
import { SetIssuerDisabledHandler } from './use-cases/set-issuer-disabled.js';
import { SetTenantActiveHandler } from './use-cases/set-tenant-active.js';

/** Running the platform: tenants, and which issuers may issue. */
@Module({
  imports: [CqrsModule, MembersModule],
  controllers: [PlatformController],
  providers: [PlatformRepository, FoundTenantHandler, ListTenantsHandler, SetTenantActiveHandler, SetIssuerDisabledHandler],
})
export class PlatformModule {}
