import type { EntityManager } from 'typeorm';

/**
 * Holds the tenant until the transaction ends. Changes that do so go one after the other, so that what they count holds. They wait
 * for a password reset that takes the tenant back: whoever lost the tenant then learns nothing, and leaves nothing of theirs.
 * @returns false when there is no such tenant
 */
export async function lockTenant(manager: EntityManager, tenantId: string): Promise<boolean> {
  const rows = await manager.query<unknown[]>('select 1 from tenants where id = $1 for no key update', [tenantId]);
  return rows.length > 0;
}
