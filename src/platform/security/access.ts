import { applyDecorators, createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { ApiExtension, ApiSecurity } from '@nestjs/swagger';
import type { CallOrigin, TenantContext } from '../../shared/tenant-context.js';
import type { ServiceRequest } from '../http/service-request.js';
import type { Permission } from './permissions.js';

export const PERMISSION_KEY = 'permission';
export const PUBLIC_KEY = 'public';

/** Name of the API key scheme in the OpenAPI document. */
export const API_KEY_SCHEME = 'X-API-Key';

/** The permission a caller needs for a route. Every route declares one, or says `@Public()`. */
export const RequirePermission = (permission: Permission): MethodDecorator & ClassDecorator =>
  applyDecorators(
    SetMetadata(PERMISSION_KEY, permission),
    ApiSecurity(API_KEY_SCHEME),
    ApiExtension('x-permission', permission),
  );

/** A route that needs no credential. */
export const Public = (): MethodDecorator & ClassDecorator => SetMetadata(PUBLIC_KEY, true);

/** The caller's tenant context, built by the authentication guard. */
export const Tenant = createParamDecorator((_data: unknown, context: ExecutionContext): TenantContext => {
  const request = context.switchToHttp().getRequest<ServiceRequest>();
  if (request.tenant === undefined) throw new Error('a tenant context exists on authenticated routes only');
  return { ...request.tenant, origin: originOf(request) };
});

/** Where a request came from, for the audit log. */
export const originOf = (request: ServiceRequest): CallOrigin => ({ requestId: request.requestId ?? null, address: request.socket.remoteAddress ?? null });
