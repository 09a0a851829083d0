import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { DomainError } from '../../shared/domain-error.js';
import type { Principal } from '../../shared/tenant-context.js';
import type { ServiceRequest } from '../http/service-request.js';
import { PERMISSION_KEY, PUBLIC_KEY } from './access.js';
import { isAllowed, type Permission, type Role } from './permissions.js';

/** Denies by default: a route is open only to a caller whose role holds the route's permission. */
@Injectable()
export class PermissionGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const where = [context.getHandler(), context.getClass()];
    if (this.reflector.getAllAndOverride<boolean | undefined>(PUBLIC_KEY, where) === true) return true;
    const permission = this.reflector.getAllAndOverride<Permission | undefined>(PERMISSION_KEY, where);
    const { tenant } = context.switchToHttp().getRequest<ServiceRequest>();
    if (permission === undefined || tenant === undefined || !isAllowed(roleOf(tenant.principal), permission)) {
      throw new DomainError('FORBIDDEN', permission === undefined ? null : { permission });
    }
    return true;
  }
}

function roleOf(principal: Principal): Role {
  return principal.kind === 'user' ? principal.role : principal.kind;
}
