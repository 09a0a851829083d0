import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { PARAMTYPES_METADATA } from '@nestjs/common/constants.js';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import { DomainError } from '../../shared/domain-error.js';
import { isObject } from '../../shared/is-object.js';
import { AuthenticationGuard } from '../security/authentication.guard.js';
import { addressOf } from './caller-address.js';
import { type DtoClass, fieldsOf } from './field-spec.js';
import { accountCounted, bucketOf, type Counted, provesSomebody, RATE_BUCKET_KEY, type RateBucket, RateLimits, type RateVerdict, windowOf } from './rate-limits.js';
import type { ServiceRequest } from './service-request.js';

/** Counts calls against a bucket and says in headers where the caller stands (specification, section 8). */
@Injectable()
abstract class CountingGuard implements CanActivate {
  constructor(private readonly limits: RateLimits) {}

  abstract canActivate(context: ExecutionContext): Promise<boolean>;

  /** @throws DomainError RATE_LIMITED when who is counted has used up the bucket */
  protected async count(response: Response, bucket: Counted, who: string): Promise<true> {
    const verdict = await this.limits.take(bucket, who);
    const told = response.get('X-RateLimit-Remaining');
    // The headers show the strictest of several limits.
    if (told === undefined || verdict.remaining < Number(told) || !verdict.allowed) response.set(headersOf(bucket, verdict));
    if (verdict.allowed) return true;
    response.set('Retry-After', String(verdict.resetSeconds));
    throw new DomainError('RATE_LIMITED', { limit: verdict.limit, window_seconds: windowOf(bucket) });
  }
}

/** Runs before anybody is looked up: a call that proves who somebody is counts for the address it comes from, also when it is then refused. */
@Injectable()
export class SignInLimitGuard extends CountingGuard {
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<ServiceRequest>();
    return !provesSomebody(request.method, request.path) || this.count(http.getResponse<Response>(), 'auth', addressOf(request));
  }
}

/**
 * Runs once the body is read: a call that tries an account counts for it, also when it is then refused. A call that was refused
 * for its address takes nothing from the account, and an account may be tried more often than one address may try: else one
 * stranger could use up its owner's tries.
 */
@Injectable()
export class AccountLimitGuard extends CountingGuard {
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<ServiceRequest>();
    if (!provesSomebody(request.method, request.path) || !triesAccount(context)) return true;
    const account = accountOf(request);
    return account === null || this.count(http.getResponse<Response>(), 'account', account);
  }
}

/**
 * Authenticates, and counts the calls that are refused: a known caller's like its others, so that no wrong tenant in a header gets
 * round a limit, those with an API key that is none or a session that has ended for their address. Only failures are counted and
 * refused there: behind one address others have good keys.
 */
@Injectable()
export class CountedAuthenticationGuard extends CountingGuard {
  constructor(
    private readonly authentication: AuthenticationGuard,
    private readonly reflector: Reflector,
    limits: RateLimits,
  ) {
    super(limits);
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    try {
      return await this.authentication.canActivate(context);
    } catch (error) {
      if (error instanceof DomainError && REFUSALS.has(error.code)) await this.countRefused(context);
      throw error;
    }
  }

  private async countRefused(context: ExecutionContext): Promise<void> {
    const http = context.switchToHttp();
    const request = http.getRequest<ServiceRequest>();
    if (request.callerId !== undefined) await this.count(http.getResponse<Response>(), bucketFor(this.reflector, context), request.callerId);
    // A token that is none, or has run out, costs no look: its 401 tells the caller to sign in anew. Those of signing in were counted before.
    else if ((request.headers['x-api-key'] !== undefined || request.hasEndedSession === true) && !provesSomebody(request.method, request.path)) {
      await this.count(http.getResponse<Response>(), 'refused', addressOf(request));
    }
  }
}

const REFUSALS: ReadonlySet<string> = new Set(['UNAUTHENTICATED', 'FORBIDDEN']);

/** Counts every call for its caller, whatever the caller may. */
@Injectable()
export class RateLimitGuard extends CountingGuard {
  constructor(
    private readonly reflector: Reflector,
    limits: RateLimits,
  ) {
    super(limits);
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<ServiceRequest>();
    const caller = request.tenant?.principal.id ?? request.person?.userId ?? (isAuth(request) && !provesSomebody(request.method, request.path) ? addressOf(request) : undefined);
    // Public routes serve health and the API description; those of signing in were counted before.
    if (caller === undefined) return true;
    return this.count(http.getResponse<Response>(), bucketFor(this.reflector, context), caller);
  }
}

function bucketFor(reflector: Reflector, context: ExecutionContext): RateBucket {
  const { method, path } = context.switchToHttp().getRequest<ServiceRequest>();
  return bucketOf(method, path, reflector.get<RateBucket | undefined>(RATE_BUCKET_KEY, context.getHandler()));
}

const isAuth = ({ path }: ServiceRequest): boolean => path.startsWith('/auth/');

/**
 * Whether the route's body has an `email` and a password for it: in other bodies a field of that name is no account. Who forgot
 * the password is answered alike whatever happens, and the database bounds the mails.
 */
function triesAccount(context: ExecutionContext): boolean {
  const types = (Reflect.getMetadata(PARAMTYPES_METADATA, context.getClass().prototype as object, context.getHandler().name) ?? []) as unknown[];
  return types.some((type) => typeof type === 'function' && ['email', 'password'].every((name) => fieldsOf(type as DtoClass).has(name)));
}

/** The account that the body names, as it is counted. */
function accountOf(request: ServiceRequest): string | null {
  const body: unknown = request.body;
  const email = isObject(body) ? body['email'] : null;
  if (typeof email !== 'string' || email.length > 1_024) return null;
  return accountCounted(email);
}

function headersOf(bucket: Counted, { limit, remaining, resetSeconds }: RateVerdict): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    RateLimit: `"${bucket}";r=${remaining};t=${resetSeconds}`,
    'RateLimit-Policy': `"${bucket}";q=${limit};w=${windowOf(bucket)}`,
  };
}
