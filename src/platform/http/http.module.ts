import { Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { ApiKeyUsage } from '../security/api-key-usage.js';
import { AuthenticationGuard } from '../security/authentication.guard.js';
import { PermissionGuard } from '../security/permission.guard.js';
import { SecurityModule } from '../security/security.module.js';
import { BodyGuard } from './body.guard.js';
import { BodyRoom } from './body-room.js';
import { DeclaredInputGuard } from './declared-input.guard.js';
import { ErrorFilter } from './error.filter.js';
import { ExportSlots } from './export-slots.js';
import { HttpDrain } from './http-drain.js';
import { ListTurns } from './list-turns.js';
import { PublicAddress } from './public-address.js';
import { AccountLimitGuard, CountedAuthenticationGuard, RateLimitGuard, SignInLimitGuard } from './rate-limit.guard.js';
import { RateLimits } from './rate-limits.js';
import { FieldValidationPipe } from './validation.pipe.js';

/**
 * Guards of every route, in order: sign-in limit, authentication, rate limit, permission, body, account limit, declared input;
 * then the validation pipe and the error filter.
 */
@Module({
  imports: [SecurityModule],
  providers: [
    HttpDrain,
    RateLimits,
    BodyRoom,
    ApiKeyUsage,
    PublicAddress,
    ExportSlots,
    ListTurns,
    { provide: APP_GUARD, useClass: SignInLimitGuard },
    AuthenticationGuard,
    { provide: APP_GUARD, useClass: CountedAuthenticationGuard },
    { provide: APP_GUARD, useClass: RateLimitGuard },
    { provide: APP_GUARD, useClass: PermissionGuard },
    { provide: APP_GUARD, useClass: BodyGuard },
    { provide: APP_GUARD, useClass: AccountLimitGuard },
    { provide: APP_GUARD, useClass: DeclaredInputGuard },
    { provide: APP_PIPE, useClass: FieldValidationPipe },
    { provide: APP_FILTER, useClass: ErrorFilter },
  ],
  exports: [RateLimits, BodyRoom, PublicAddress, ExportSlots, ListTurns, SecurityModule],
})
export class HttpModule {}
