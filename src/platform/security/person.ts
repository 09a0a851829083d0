import type { MemberRole } from '../../shared/tenant-context.js';

/** A person as their credential proves them, before any tenant is chosen. */
export interface SignedInPerson {
  readonly userId: string;
  readonly sessionId: string;
  readonly email: string;
  readonly name: string;
  readonly isPlatformAdmin: boolean;
  /** Active memberships of active tenants, oldest first; only that of the tenant the request names, when it names one. */
  readonly memberships: readonly Membership[];
}

export interface Membership {
  readonly tenantId: string;
  readonly memberId: string;
  readonly role: MemberRole;
}
