import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import { DomainError } from '../../shared/domain-error.js';
import { RATE_BUCKET_KEY, type RateBucket, RateLimits, type RateVerdict, WINDOW_SECONDS } from './rate-limits.js';
import type { ServiceRequest } from './service-request.js';

/** Counts every authenticated call and says in headers where the caller stands (specification, section 8). */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly limits: RateLimits,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const { tenant } = http.getRequest<ServiceRequest>();
    if (tenant === undefined) return true; // public routes serve health and the API description only
    const bucket = this.reflector.get<RateBucket | undefined>(RATE_BUCKET_KEY, context.getHandler()) ?? 'other';
    const verdict = await this.limits.take(bucket, tenant.principal.id);
    const response = http.getResponse<Response>();
    response.set(headersOf(bucket, verdict));
    if (verdict.allowed) return true;
    response.set('Retry-After', String(verdict.resetSeconds));
    throw new DomainError('RATE_LIMITED', { limit: verdict.limit, window_seconds: WINDOW_SECONDS });
  }
}

function headersOf(bucket: RateBucket, { limit, remaining, resetSeconds }: RateVerdict): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    RateLimit: `"${bucket}";r=${remaining};t=${resetSeconds}`,
    'RateLimit-Policy': `"${bucket}";q=${limit};w=${WINDOW_SECONDS}`,
  };
}
