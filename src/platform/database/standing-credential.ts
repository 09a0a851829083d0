import type { EntityManager } from 'typeorm';
import { DomainError } from '../../shared/domain-error.js';
import { credentialOf, type TenantContext } from '../../shared/tenant-context.js';

/**
 * The caller's key or session once more, under the tenant's lock. A reset of a password that takes a tenant back takes that lock
 * too: what a session adds that ended meanwhile would outlive it. An administrator of the platform may act in a closed tenant, as
 * the way in lets them; in its name nobody issues.
 * @throws DomainError UNAUTHENTICATED
 */
export async function requireCredential(manager: EntityManager, { tenantId, principal }: TenantContext, now: Date): Promise<void> {
  const [row] = await manager.query<{ stands: boolean }[]>('select is_credential_valid($1, $2, $3) or administers_platform($2, $3) as stands', [tenantId, credentialOf(principal), now]);
  if (row?.stands !== true) throw new DomainError('UNAUTHENTICATED');
}
