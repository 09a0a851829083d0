/**
 * Who acts, and in which tenant. Required by type on every command and query:
 * nothing tenant-owned can be reached without it.
 */
export interface TenantContext {
  readonly tenantId: string;
  readonly principal: Principal;
  /** Environment of this deployment; the credential's must equal it. */
  readonly environment: SriEnvironment;
  /** The call that acts; absent where none does. */
  readonly origin?: CallOrigin;
}

/** Where a call came from, for the audit log. */
export interface CallOrigin {
  readonly requestId: string | null;
  /** Network address of the caller, as the connection shows it. */
  readonly address: string | null;
}

export type Principal = KeyPrincipal | UserPrincipal;

export interface KeyPrincipal {
  readonly kind: 'api_key';
  readonly id: string;
}

/** A signed-in person, in the role the chosen tenant gives them. */
export interface UserPrincipal {
  readonly kind: 'user';
  /** The user's id. */
  readonly id: string;
  readonly sessionId: string;
  /** Null for a platform administrator who is no member of the tenant. */
  readonly memberId: string | null;
  readonly role: MemberRole | 'platform_admin';
}

/** What a caller acts by: the id of the key or of the session. Every act looks at it once more before it commits. */
export const credentialOf = (principal: Principal): string => (principal.kind === 'user' ? principal.sessionId : principal.id);

/** The role in which a person acts, which every act looks at once more too; null for a key. */
export const roleOf = (principal: Principal): UserPrincipal['role'] | null => (principal.kind === 'user' ? principal.role : null);

export const MEMBER_ROLES = ['tenant_owner', 'tenant_admin', 'billing_operator', 'accountant', 'viewer'] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

export type SriEnvironment = 'TEST' | 'PRODUCTION';
