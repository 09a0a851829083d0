import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type Settings, SETTINGS, sriEnvironment } from '../../config/settings.js';
import { DomainError } from '../../shared/domain-error.js';
import type { TenantContext } from '../../shared/tenant-context.js';
import { TenantTransaction } from '../database/tenant-transaction.js';
import type { ServiceRequest } from '../http/service-request.js';
import { PUBLIC_KEY } from './access.js';
import { parseApiKey } from './api-key.js';

interface KeyRow {
  readonly api_key_id: string;
  readonly tenant_id: string;
  readonly environment: string;
  readonly revoked_at: Date | null;
}

/**
 * Builds the tenant context from `X-API-Key`. The key is looked up on every
 * request: a revocation acts at once, on every process. All refusals look alike.
 */
@Injectable()
export class AuthenticationGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly database: TenantTransaction,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const isPublic = this.reflector.getAllAndOverride<boolean | undefined>(PUBLIC_KEY, [context.getHandler(), context.getClass()]);
    if (isPublic === true) return true;
    const request = context.switchToHttp().getRequest<ServiceRequest>();
    request.tenant = await this.authenticate(request);
    return true;
  }

  private async authenticate(request: ServiceRequest): Promise<TenantContext> {
    const environment = sriEnvironment(this.settings);
    const presented = request.headers['x-api-key'];
    // No bearer token or session of this service exists yet: one that is presented names nobody we know.
    if (typeof presented !== 'string' || hasOtherCredential(request)) throw new DomainError('UNAUTHENTICATED');
    const key = parseApiKey(presented);
    if (key?.environment !== environment) throw new DomainError('UNAUTHENTICATED');
    const [row] = await this.database.platform<KeyRow>('select * from authenticate_api_key($1)', [key.hash]);
    if (row === undefined || row.revoked_at !== null || row.environment !== environment) {
      throw new DomainError('UNAUTHENTICATED');
    }
    requireSameTenant(request, row.tenant_id);
    return { tenantId: row.tenant_id, principal: { kind: 'api_key', id: row.api_key_id }, environment };
  }
}

const SESSION_COOKIE = /(?:^|;)\s*service_access_token\s*=/;

function hasOtherCredential(request: ServiceRequest): boolean {
  return request.headers.authorization !== undefined || SESSION_COOKIE.test(request.headers.cookie ?? '');
}

function requireSameTenant(request: ServiceRequest, tenantId: string): void {
  const named = request.headers['x-tenant-id'];
  if (named !== undefined && String(named).toLowerCase() !== tenantId) {
    throw new DomainError('FORBIDDEN', { reason: 'tenant_mismatch' });
  }
}
