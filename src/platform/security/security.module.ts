import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { type Settings, SETTINGS } from '../../config/settings.js';
import { AccessTokenStrategy } from './access-token.strategy.js';
import { AccessTokens } from './access-tokens.js';
import { BearerGuard } from './bearer.guard.js';
import { PersonAuthentication } from './person-authentication.js';
import { RouteDeclarations } from './route-declarations.js';
import { readTokenKeys, TokenKeys } from './token-keys.js';

/**
 * Deny by default: the boot check of routes, and who presents which token. The guards themselves are bound, in order, by
 * the HTTP module.
 */
@Module({
  imports: [DiscoveryModule],
  providers: [
    RouteDeclarations,
    { provide: TokenKeys, inject: [SETTINGS], useFactory: (settings: Settings) => readTokenKeys(settings) },
    AccessTokens,
    AccessTokenStrategy,
    BearerGuard,
    PersonAuthentication,
  ],
  exports: [AccessTokens, PersonAuthentication],
})
export class SecurityModule {}
