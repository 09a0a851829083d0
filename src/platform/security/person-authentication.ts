import { type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS, sriEnvironment } from '../../config/settings.js';
import { DomainError } from '../../shared/domain-error.js';
import { type Clock, CLOCK } from '../../shared/ports.js';
import type { MemberRole, TenantContext, UserPrincipal } from '../../shared/tenant-context.js';
import { Prepared, TenantTransaction } from '../database/tenant-transaction.js';
import { originOf, type ServiceRequest } from '../http/service-request.js';
import type { AccessClaims } from './access-tokens.js';
import { BearerGuard } from './bearer.guard.js';
import { presentedCredentials } from './credentials.js';
import type { SignedInPerson } from './person.js';
import { namedTenant, tenantIfNamed } from './tenant-choice.js';

const SESSION = new Prepared('session', 'select * from authenticate_session($1, $2, $3, $4, $5)');

interface SessionRow {
  readonly is_platform_admin: boolean;
  readonly email: string;
  readonly name: string;
  readonly tenant_id: string | null;
  readonly member_id: string | null;
  readonly role: MemberRole | null;
}

/** Recognises people by their access token, and finds the tenant they work in. */
@Injectable()
export class PersonAuthentication {
  constructor(
    private readonly tokens: BearerGuard,
    private readonly database: TenantTransaction,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * The person of the bearer token, or else of the cookie; both may be sent when they are of one session.
   * @param inTenant whether the route acts in a tenant: on others nobody looks at the one that is named
   */
  async authenticate(context: ExecutionContext, request: ServiceRequest, inTenant: boolean): Promise<SignedInPerson> {
    const claims = await this.claimsOf(context, request);
    const rows = await this.database.withoutTenant<SessionRow>(SESSION, [
      claims.sub, claims.sid, claims.tv, inTenant ? tenantIfNamed(request) : null, this.clock.now(),
    ]);
    const [first] = rows;
    if (first === undefined) {
      request.hasEndedSession = true;
      throw new DomainError('UNAUTHENTICATED');
    }
    // Not before: a token that somebody else may hold uses up nothing of the person's once its session has ended.
    request.callerId = claims.sub;
    return {
      userId: claims.sub,
      sessionId: claims.sid,
      email: first.email,
      name: first.name,
      isPlatformAdmin: first.is_platform_admin,
      memberships: rows.flatMap(({ tenant_id: tenantId, member_id: memberId, role }) =>
        tenantId === null || memberId === null || role === null ? [] : [{ tenantId, memberId, role }],
      ),
    };
  }

  /**
   * The tenant the person works in: the one they name, else their only one. A platform administrator who names one
   * enters it as such, member or not, and the tenant's audit log records it; without naming it they are the member they are.
   */
  async enterTenant(request: ServiceRequest, person: SignedInPerson): Promise<TenantContext> {
    const named = namedTenant(request);
    const [membership, another] = person.memberships;
    if (named === null && another !== undefined) throw new DomainError('FORBIDDEN', { reason: 'tenant_required' });
    const visited = person.isPlatformAdmin ? await this.visit(request, person, named) : null;
    if (visited !== null) return this.contextOf(person, visited, null, 'platform_admin');
    if (membership === undefined) {
      if (named !== null && (await this.isForeign(request, person, named))) throw new DomainError('FORBIDDEN', { reason: 'tenant_mismatch' });
      throw new DomainError('FORBIDDEN', { reason: named === null && person.isPlatformAdmin ? 'tenant_required' : 'no_active_membership' });
    }
    return this.contextOf(person, membership.tenantId, membership.memberId, membership.role);
  }

  private contextOf({ userId, sessionId }: SignedInPerson, tenantId: string, memberId: string | null, role: UserPrincipal['role']): TenantContext {
    return { tenantId, principal: { kind: 'user', id: userId, sessionId, memberId, role }, environment: sriEnvironment(this.settings) };
  }

  /** Whether the named tenant is none of the person's, not even one in which they are suspended: the tenants they belong to learn of it then. */
  private async isForeign(request: ServiceRequest, { userId }: SignedInPerson, named: string): Promise<boolean> {
    const { requestId, address } = originOf(request);
    const [attempt] = await this.database.withoutTenant<{ is_foreign: boolean }>('select note_foreign_attempt($1, $2, $3, $4, $5) as is_foreign', [
      userId, named, this.clock.now(), requestId, address,
    ]);
    return attempt?.is_foreign !== false;
  }

  private async visit(request: ServiceRequest, person: SignedInPerson, named: string | null): Promise<string | null> {
    if (named === null) return null;
    const { requestId, address } = originOf(request);
    const [entered] = await this.database.withoutTenant<{ is_known: boolean }>('select enter_tenant($1, $2, $3, $4, $5, $6) as is_known', [
      named, person.userId, person.sessionId, this.clock.now(), requestId, address,
    ]);
    return entered?.is_known === true ? named : null;
  }

  private async claimsOf(context: ExecutionContext, request: ServiceRequest): Promise<AccessClaims> {
    const { bearer, cookie } = presentedCredentials(request);
    const token = bearer ?? cookie;
    if (token === null) throw new DomainError('UNAUTHENTICATED');
    const claims = await this.tokens.claimsOf(context, token);
    if (bearer !== null && cookie !== null && cookie !== bearer) {
      const other = await this.tokens.claimsOf(context, cookie).catch((error: unknown) => {
        throw error instanceof DomainError ? new DomainError('UNAUTHENTICATED', { reason: 'conflicting_credentials' }) : error;
      });
      if (other.sub !== claims.sub || other.sid !== claims.sid) throw new DomainError('UNAUTHENTICATED', { reason: 'conflicting_credentials' });
    }
    return claims;
  }
}
