import { createHash } from 'node:crypto';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import { DomainError } from '../../shared/domain-error.js';
import { isObject } from './fields.js';
import { RATE_BUCKET_KEY, type RateBucket, RateLimits, type RateVerdict, WINDOW_SECONDS } from './rate-limits.js';
import type { ServiceRequest } from './service-request.js';

/**
 * Counts every call and says in headers where the caller stands (specification, section 8). What proves who somebody is
 * counts twice: for the address it comes from and for the account it is about.
 */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly limits: RateLimits,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<ServiceRequest>();
    const isAuth = request.path.startsWith('/auth/');
    const caller = request.tenant?.principal.id ?? request.person?.userId;
    if (caller === undefined && !isAuth) return true; // public routes serve health and the API description
    const bucket = isAuth && request.method === 'POST' ? 'auth' : (this.reflector.get<RateBucket | undefined>(RATE_BUCKET_KEY, context.getHandler()) ?? 'other');
    const counted = bucket === 'auth' ? [addressOf(request), caller ?? accountOf(request)] : [caller ?? addressOf(request)];
    const response = http.getResponse<Response>();
    const verdict = await this.takeAll(bucket, counted.filter((who) => who !== null));
    response.set(headersOf(bucket, verdict));
    if (verdict.allowed) return true;
    response.set('Retry-After', String(verdict.resetSeconds));
    throw new DomainError('RATE_LIMITED', { limit: verdict.limit, window_seconds: WINDOW_SECONDS });
  }

  /** The strictest of the verdicts. */
  private async takeAll(bucket: RateBucket, counted: readonly string[]): Promise<RateVerdict> {
    const verdicts = await Promise.all(counted.map((who) => this.limits.take(bucket, who)));
    const [strictest] = verdicts.sort((one, other) => Number(one.allowed) - Number(other.allowed) || one.remaining - other.remaining);
    if (strictest === undefined) throw new Error('a call without anybody to count it for');
    return strictest;
  }
}

/** The client's address; of IPv6 the network that one customer is given. Proxies are believed as the settings say. */
function addressOf({ ip = 'unknown' }: ServiceRequest): string {
  const plain = ip.replace(/^::ffff:(?=\d+\.)/, '');
  return `address:${plain.includes(':') ? networkOf(plain) : plain}`;
}

function networkOf(address: string): string {
  const [head = '', tail] = address.split('::');
  const [first, last] = [head.split(':').filter(Boolean), (tail ?? '').split(':').filter(Boolean)];
  const groups = tail === undefined ? first : [...first, ...Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0'), ...last];
  return groups.slice(0, 4).map((group) => parseInt(group, 16).toString(16)).join(':');
}

/** The account that the body names, however it is written; the address itself is kept nowhere. */
function accountOf(request: ServiceRequest): string | null {
  const body: unknown = request.body;
  const email = isObject(body) ? body['email'] : null;
  if (typeof email !== 'string' || email.length > 1_024) return null;
  return `account:${createHash('sha256').update(email.normalize('NFC').trim().toLowerCase()).digest('base64url')}`;
}

function headersOf(bucket: RateBucket, { limit, remaining, resetSeconds }: RateVerdict): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    RateLimit: `"${bucket}";r=${remaining};t=${resetSeconds}`,
    'RateLimit-Policy': `"${bucket}";q=${limit};w=${WINDOW_SECONDS}`,
  };
}
