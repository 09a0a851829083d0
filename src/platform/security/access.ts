import { applyDecorators, createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { ApiExtension, ApiSecurity } from '@nestjs/swagger';
import type { TenantContext } from '../../shared/tenant-context.js';
import { originOf, type RequestOrigin, type ServiceRequest } from '../http/service-request.js';
import { isAllowed, type Permission } from './permissions.js';
import type { SignedInPerson } from './person.js';

export const PERMISSION_KEY = 'permission';
export const PUBLIC_KEY = 'public';
export const SIGNED_IN_KEY = 'signed-in';
export const SIGN_IN_HONOURED_KEY = 'sign-in-honoured';

/** Names of the ways to prove oneself in the OpenAPI document. */
export const API_KEY_SCHEME = 'X-API-Key';
export const BEARER_SCHEME = 'bearer';
export const COOKIE_SCHEME = 'cookie';

export const SESSION_COOKIE = 'service_access_token';
export const REFRESH_COOKIE = 'service_refresh_token';

/** The permission a caller needs for a route. Every route declares one, or `@SignedIn()`, or `@Public()`. */
export const RequirePermission = (permission: Permission): MethodDecorator & ClassDecorator =>
  applyDecorators(
    SetMetadata(PERMISSION_KEY, permission),
    ...(isAllowed('api_key', permission) ? [ApiSecurity(API_KEY_SCHEME)] : []),
    ApiSecurity(BEARER_SCHEME),
    ApiSecurity(COOKIE_SCHEME),
    ApiExtension('x-permission', permission),
  );

/** A route for every signed-in person, whatever their tenant; an API key is no person. */
export const SignedIn = (): MethodDecorator & ClassDecorator =>
  applyDecorators(SetMetadata(SIGNED_IN_KEY, true), ApiSecurity(BEARER_SCHEME), ApiSecurity(COOKIE_SCHEME), ApiExtension('x-signed-in', true));

/** A route that needs no credential; with `signInHonoured`, one in a header must be good and says who calls; so does a cookie that is good. */
export const Public = (options: { readonly signInHonoured?: boolean } = {}): MethodDecorator & ClassDecorator =>
  applyDecorators(SetMetadata(PUBLIC_KEY, true), SetMetadata(SIGN_IN_HONOURED_KEY, options.signInHonoured ?? false));

/** The caller's tenant context, built by the authentication guard, with where the call came from. */
export const Tenant = createParamDecorator((_data: unknown, context: ExecutionContext): TenantContext => {
  const request = context.switchToHttp().getRequest<ServiceRequest>();
  if (request.tenant === undefined) throw new Error('a tenant context exists on authenticated routes only');
  return { ...request.tenant, origin: originOf(request) };
});

/** The person who calls a `@SignedIn()` route or one of the platform's. */
export const Person = createParamDecorator((_data: unknown, context: ExecutionContext): SignedInPerson => {
  const { person } = context.switchToHttp().getRequest<ServiceRequest>();
  if (person === undefined) throw new Error('a person is known on routes for signed-in people only');
  return person;
});

/** The person who calls, where a route honours a sign-in that it does not demand. */
export const PersonIfAny = createParamDecorator(
  (_data: unknown, context: ExecutionContext): SignedInPerson | null => context.switchToHttp().getRequest<ServiceRequest>().person ?? null,
);

/** Request id and address, for the audit log. */
export const Origin = createParamDecorator((_data: unknown, context: ExecutionContext): RequestOrigin => originOf(context.switchToHttp().getRequest<ServiceRequest>()));
