import type { Client } from 'pg';

const NOT_SENT = 'not sent: this database was restored for a drill';

/**
 * Has a restored copy send nothing to anybody of what the backup says: every webhook is switched off, and deliveries and mails
 * that wait end as failed, with an attempt that was under way as `interrupted`.
 *
 * @param client within the transaction that loads the copy, so that no process ever finds it otherwise
 */
export async function silence(client: Client, now: Date, report: (line: string) => void): Promise<void> {
  const { rowCount: webhooks } = await client.query('update webhooks set is_active = false, updated_at = $1 where is_active', [now]);
  await client.query(
    `update webhook_attempts a set finished_at = $1, outcome = 'interrupted' from webhook_deliveries d
     where d.tenant_id = a.tenant_id and d.id = a.delivery_id and d.status = 'pending' and a.finished_at is null`, [now]);
  const { rowCount: deliveries } = await client.query(`update webhook_deliveries set status = 'failed', finished_at = $1, next_attempt_at = null where status = 'pending'`, [now]);
  await client.query('delete from webhook_work');
  const { rowCount: mails } = await client.query(`update mails set status = 'failed', failure = $2, updated_at = $1 where status = 'queued'`, [now, NOT_SENT]);
  // Besides the mails those events that no mail tells of yet.
  await client.query('delete from mail_outbox');
  report(`for a drill: ${webhooks} webhooks were switched off; ${deliveries} deliveries and ${mails} mails that waited are not sent`);
}
