import type { TenantTransaction } from '../../../platform/database/tenant-transaction.js';

/** Far below what a statement has time for on a busy machine. */
const AT_ONCE = 2_000;

/** Makes due some of what is set aside for a webhook, if it is on; in a transaction of its own. @returns how many; 0: none is left */
export async function resumeDeliveries(database: TenantTransaction, tenantId: string, webhookId: string, now: Date): Promise<number> {
  const [row] = await database.call<{ resumed: number }>(tenantId, 'select resume_some_deliveries($1, $2, $3, $4) as resumed', [webhookId, now, AT_ONCE]);
  return row?.resumed ?? 0;
}
