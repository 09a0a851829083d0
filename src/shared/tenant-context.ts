/**
 * Who acts, and in which tenant. Required by type on every command and query:
 * nothing tenant-owned can be reached without it.
 */
export interface TenantContext {
  readonly tenantId: string;
  readonly principal: Principal;
  /** Environment of this deployment; the credential's must equal it. */
  readonly environment: SriEnvironment;
}

export interface Principal {
  readonly kind: 'api_key';
  readonly id: string;
}

export type SriEnvironment = 'TEST' | 'PRODUCTION';
