import { type ExecutionContext, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import { DomainError } from '../../shared/domain-error.js';
import type { ServiceRequest } from '../http/service-request.js';
import { ACCESS_TOKEN } from './access-token.strategy.js';
import type { AccessClaims } from './access-tokens.js';

/** Runs passport's strategy on one access token. Every refusal is the same. */
@Injectable()
export class BearerGuard extends AuthGuard(ACCESS_TOKEN) {
  /** The claims of a good token. */
  async claimsOf(context: ExecutionContext, token: string): Promise<AccessClaims> {
    const request = context.switchToHttp().getRequest<ServiceRequest>();
    request.presentedToken = token;
    await this.canActivate(context);
    return request.user as AccessClaims;
  }

  override handleRequest<T>(error: unknown, claims: T | false | null | undefined): T {
    if (error !== null && error !== undefined) throw error as Error;
    if (claims === false || claims === null || claims === undefined) throw new DomainError('UNAUTHENTICATED');
    return claims;
  }
}
