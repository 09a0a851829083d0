import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { DomainError } from '../../shared/domain-error.js';
import type { ServiceRequest } from '../http/service-request.js';
import { PERMISSION_KEY, PUBLIC_KEY, SIGNED_IN_KEY } from './access.js';
import { isAllowed, type Permission, type Role } from './permissions.js';

/** Denies by default: a route is open only to a caller whose role holds the route's permission. */
@Injectable()
export class PermissionGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const where = [context.getHandler(), context.getClass()];
    const request = context.switchToHttp().getRequest<ServiceRequest>();
    if (this.reflector.getAllAndOverride<boolean | undefined>(PUBLIC_KEY, where) === true) return true;
    if (this.reflector.getAllAndOverride<boolean | undefined>(SIGNED_IN_KEY, where) === true) {
      if (request.person === undefined) throw new DomainError('FORBIDDEN');
      return true;
    }
    const permission = this.reflector.getAllAndOverride<Permission | undefined>(PERMISSION_KEY, where);
    const role = roleOf(request);
    if (permission === undefined || role === null || !isAllowed(role, permission)) {
      throw new DomainError('FORBIDDEN', permission === undefined ? null : { permission });
    }
    return true;
  }
}

/** The caller's role in the tenant; on the platform's own routes, which have none, whether they administer it. */
function roleOf({ tenant, person }: ServiceRequest): Role | null {
  if (tenant === undefined) return person?.isPlatformAdmin === true ? 'platform_admin' : null;
  return tenant.principal.kind === 'user' ? tenant.principal.role : tenant.principal.kind;
}
