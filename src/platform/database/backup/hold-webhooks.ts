import type { Client } from 'pg';
import { seesEveryRow } from '../owner-client.js';

/**
 * Switches every webhook off until somebody who knows that it still stands switches it on: one that was removed since, or whose
 * secret was changed, is again as it was. What waits for them is set aside. The audit log of each tenant says why.
 *
 * @param client within the transaction that begins the new life, so that no process ever finds it otherwise
 * @param reason for people, in English
 * @returns how many were switched off
 * @throws Error when row security hides webhooks from the login
 */
export async function holdWebhooks(client: Client, reason: string, now: Date): Promise<number> {
  if (!(await seesEveryRow(client))) throw new Error('DATABASE_OWNER_URL: row security hides rows from this login, so that webhooks could not be held; give it BYPASSRLS');
  const { rowCount } = await client.query(
    `with held as (update webhooks set is_active = false, updated_at = $1 where is_active returning tenant_id, id)
     insert into audit_log (tenant_id, id, at, actor_kind, action, target_kind, target_id, detail)
     select tenant_id, gen_random_uuid(), $1, 'system', 'webhook.changed', 'webhook', id, jsonb_build_object('fields', array['is_active'], 'reason', $2::text) from held`, [now, reason]);
  return rowCount ?? 0;
}
