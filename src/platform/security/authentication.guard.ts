import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type Settings, SETTINGS, sriEnvironment } from '../../config/settings.js';
import { DomainError } from '../../shared/domain-error.js';
import type { TenantContext } from '../../shared/tenant-context.js';
import { AuditTrail } from '../audit/audit-trail.js';
import { Prepared, TenantTransaction } from '../database/tenant-transaction.js';
import { originOf, type ServiceRequest } from '../http/service-request.js';
import { PERMISSION_KEY, PUBLIC_KEY, SIGN_IN_HONOURED_KEY, SIGNED_IN_KEY } from './access.js';
import { parseApiKey } from './api-key.js';
import { ApiKeyUsage } from './api-key-usage.js';
import { presentedCredentials } from './credentials.js';
import { isOfTenant } from './permissions.js';
import { PersonAuthentication } from './person-authentication.js';
import { namedTenant } from './tenant-choice.js';

const KEY = new Prepared('key', 'select k.*, extract(epoch from clock_timestamp() - k.last_used_at)::float8 * 1000 as unused_ms from authenticate_api_key($1) k');

interface KeyRow {
  readonly api_key_id: string;
  readonly tenant_id: string;
  readonly environment: string;
  readonly revoked_at: Date | null;
  readonly unused_ms: number | null;
}

/**
 * Finds out who calls, by `X-API-Key`, bearer token or session cookie, and in which tenant. Keys, sessions and
 * memberships are looked up on every request: whatever ends one acts at once, on every process. All refusals look alike.
 */
@Injectable()
export class AuthenticationGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly database: TenantTransaction,
    private readonly people: PersonAuthentication,
    private readonly usage: ApiKeyUsage,
    private readonly audit: AuditTrail,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<ServiceRequest>();
    if (this.says(context, PUBLIC_KEY) === true) {
      if (this.says(context, SIGN_IN_HONOURED_KEY) === true) await this.recognise(context, request);
      return true;
    }
    const { apiKey } = presentedCredentials(request);
    if (apiKey !== null) {
      if (this.says(context, SIGNED_IN_KEY) === true) await this.refuseKey(request, apiKey);
      request.tenant = await this.authenticateKey(request, apiKey);
      return true;
    }
    const inTenant = isOfTenant(this.says(context, PERMISSION_KEY));
    request.person = await this.people.authenticate(context, request, inTenant);
    if (inTenant) request.tenant = await this.people.enterTenant(request, request.person);
    return true;
  }

  /**
   * On a public route a token that is presented must be good; a caller who presents nothing is a stranger. So is a browser with the
   * cookie of a session that has ended: it sends the cookie unasked, and no page can remove it.
   */
  private async recognise(context: ExecutionContext, request: ServiceRequest): Promise<void> {
    const { apiKey, bearer, cookie } = presentedCredentials(request);
    if (apiKey !== null) await this.refuseKey(request, apiKey);
    if ((bearer ?? cookie) === null) return;
    try {
      request.person = await this.people.authenticate(context, request, false);
    } catch (error) {
      if (bearer !== null || !(error instanceof DomainError) || error.code !== 'UNAUTHENTICATED') throw error;
    }
  }

  /** For routes that need a person: an API key stands for its tenant, not for a person. A bad key is refused as everywhere. */
  private async refuseKey(request: ServiceRequest, presented: string): Promise<never> {
    await this.authenticateKey(request, presented);
    throw new DomainError('FORBIDDEN', { reason: 'person_required' });
  }

  private says(context: ExecutionContext, name: string): unknown {
    return this.reflector.getAllAndOverride<unknown>(name, [context.getHandler(), context.getClass()]);
  }

  private async authenticateKey(request: ServiceRequest, presented: string): Promise<TenantContext> {
    const environment = sriEnvironment(this.settings);
    const key = parseApiKey(presented);
    if (key?.environment !== environment) throw new DomainError('UNAUTHENTICATED');
    const [row] = await this.database.withoutTenant<KeyRow>(KEY, [key.hash]);
    if (row === undefined || row.revoked_at !== null || row.environment !== environment) {
      throw new DomainError('UNAUTHENTICATED');
    }
    request.callerId = row.api_key_id;
    this.usage.note(row.tenant_id, row.api_key_id, row.unused_ms);
    const principal = { kind: 'api_key', id: row.api_key_id } as const;
    if (!namesNoOtherTenant(request, row.tenant_id)) {
      const named = String(request.headers['x-tenant-id']).slice(0, LONGEST_TENANT_KEPT);
      await this.audit.appendSparingly(row.tenant_id, { principal, origin: originOf(request) }, { action: 'access.foreign_tenant_refused', detail: { named } });
      throw new DomainError('FORBIDDEN', { reason: 'tenant_mismatch' });
    }
    return { tenantId: row.tenant_id, principal, environment };
  }
}

/** How much the log keeps of a header that names no tenant of ours. */
const LONGEST_TENANT_KEPT = 64;

/** A key belongs to one tenant; garbage in the header names another. */
function namesNoOtherTenant(request: ServiceRequest, tenantId: string): boolean {
  try {
    const named = namedTenant(request);
    return named === null || named === tenantId;
  } catch (error) {
    if (error instanceof DomainError) return false;
    throw error;
  }
}
