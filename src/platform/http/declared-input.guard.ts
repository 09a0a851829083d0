import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { Reflector } from '@nestjs/core';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { DomainError } from '../../shared/domain-error.js';
import { isObject } from '../../shared/is-object.js';
import { isSecretName } from '../observability/logger.js';
import type { ServiceRequest } from './service-request.js';
import { echo, type FieldFinding, ValidationFailure } from './validation-failure.js';

const TAKES_ANY_QUERY = 'sello:takes-any-query';

/** Marks a route into whose query others write what they like: a provider that sends a browser back, a monitor that outwits caches. */
export const TakesAnyQuery = (): MethodDecorator & ClassDecorator => SetMetadata(TAKES_ANY_QUERY, true);

/**
 * Refuses what a route would not read: a body or a query string where it declares none. Whoever sends one means something by it,
 * and it would be lost in silence. Declared input is judged by the validation pipe; of a query only whether it can be read at all.
 */
@Injectable()
export class DeclaredInputGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<ServiceRequest>();
    const body: unknown = request.body;
    const reads = declaredBy(context);
    const takesAnyQuery = this.reflector.getAllAndOverride<boolean | undefined>(TAKES_ANY_QUERY, [context.getHandler(), context.getClass()]) === true;
    if (!takesAnyQuery) requireReadableQuery(request.originalUrl);
    const readsQuery = takesAnyQuery || reads.has(RouteParamtypes.QUERY);
    const findings = [...(reads.has(RouteParamtypes.BODY) ? [] : undeclared('body', body)), ...(readsQuery ? [] : undeclared('query', request.query))];
    if (findings.length > 0) throw new ValidationFailure(findings);
    return true;
  }
}

/**
 * What is not UTF-8 would be read as other letters, and nothing found by them.
 * @throws DomainError MALFORMED_REQUEST
 */
function requireReadableQuery(url: string): void {
  const begin = url.indexOf('?');
  try {
    if (begin >= 0) decodeURIComponent(url.slice(begin));
  } catch {
    throw new DomainError('MALFORMED_REQUEST', { reason: 'query_encoding' });
  }
}

/** Which parts of the request the handler's parameters take: each is named by its kind and its place. */
function declaredBy(context: ExecutionContext): ReadonlySet<number> {
  const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), context.getHandler().name) ?? {}) as object;
  return new Set(Object.keys(parameters).map((name) => Number(name.split(':')[0])));
}

/** How many undeclared names an answer lists: no client means more of them. */
const MOST = 20;

function undeclared(source: 'body' | 'query', value: unknown): FieldFinding[] {
  if (value === undefined || value === null || (Buffer.isBuffer(value) && value.length === 0)) return [];
  if (!isObject(value)) return [{ loc: [source], type: 'extra_forbidden', input: echo(value), ctx: {} }];
  return Object.keys(value).slice(0, MOST).map((name) => ({
    loc: [source, echo(name) as string], type: 'extra_forbidden', input: isSecretName(name) ? null : echo(value[name]), ctx: {},
  }));
}
