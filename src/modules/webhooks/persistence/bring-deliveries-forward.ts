import type { TenantTransaction } from '../../../platform/database/tenant-transaction.js';

/** Far below what a statement has time for on a busy machine. */
const AT_ONCE = 2_000;

/** Makes due what waits for a webhook after failures at a former address; in transactions of its own, after that of the change. */
export async function bringDeliveriesForward(database: TenantTransaction, tenantId: string, webhookId: string, now: Date): Promise<void> {
  // As text: a Date would cut it to milliseconds, and the same would be looked at for ever.
  let lookedUntil: string | null = now.toISOString();
  while (lookedUntil !== null) {
    const [row]: { until: string | null }[] = await database.call<{ until: string | null }>(
      tenantId, 'select bring_some_deliveries_forward($1, $2, $3, $4, $5)::text as until', [webhookId, now, lookedUntil, AT_ONCE]);
    lookedUntil = row?.until ?? null;
  }
}
