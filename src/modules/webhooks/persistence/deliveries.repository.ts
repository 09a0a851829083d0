import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { MOST_COUNTED } from '../../../platform/database/counting.js';
import { OWN_SQL_STATE } from '../../../platform/database/own-sql-state.js';
import { requireCredential } from '../../../platform/database/standing-credential.js';
import { sqlDetail, sqlState } from '../../../platform/database/sql-error.js';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import { utcInstant } from '../../../platform/database/utc-instant.js';
import { DomainError } from '../../../shared/domain-error.js';
import type { EventKind } from '../../../shared/event-catalogue.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { type DeliveryStatus, MOST_ATTEMPTS } from '../domain/delivery.js';
import { replayUnderWay } from '../domain/replay-bounds.js';
import type { DeliveryRecord } from '../webhooks.responses.js';

/** The records of the deliveries that a statement finds: events and attempts are looked up for those alone, not for what a page skips. */
const recordsOf = (deliveries: string): string => `
  select d.id, d.tenant_id, d.webhook_id, d.event_id, e.type as event_type, d.status, d.next_attempt_at, d.created_at, d.finished_at,
    coalesce((
      select jsonb_agg(jsonb_build_object('number', a.number, 'started_at', ${utcInstant('a.started_at')}, 'finished_at', ${utcInstant('a.finished_at')},
        'outcome', a.outcome, 'status_code', a.status_code, 'duration_ms', a.duration_ms) order by a.number)
      from webhook_attempts a where a.tenant_id = d.tenant_id and a.delivery_id = d.id and a.number > d.attempts - ${MOST_ATTEMPTS}), '[]') as attempts,
    d.attempts as attempts_total
  from (${deliveries}) d join events e on e.tenant_id = d.tenant_id and e.id = d.event_id`;

export interface Range {
  readonly from: Date;
  readonly to: Date;
  /** Null: what the webhook listens to. */
  readonly kinds: readonly EventKind[] | null;
}

interface Webhook {
  readonly url: string;
  readonly kinds: EventKind[] | null;
  readonly is_active: boolean;
}

/** What was sent to a webhook, and what is to be sent again. */
@Injectable()
export class DeliveriesRepository {
  constructor(private readonly database: TenantTransaction) {}

  /** A page, newest first, and how many there are, counted to a bound; null when the tenant has no such webhook. */
  async page(tenantId: string, webhookId: string, status: DeliveryStatus | null, limit: number, offset: number): Promise<{ rows: DeliveryRecord[]; total: number } | null> {
    return this.database.run(tenantId, async (manager) => {
      if ((await standing(manager, tenantId, webhookId)) === null) return null;
      const filter = 'd.tenant_id = $1 and d.webhook_id = $2 and ($3::text is null or d.status = $3)';
      const rows = await manager.query<DeliveryRecord[]>(
        `${recordsOf(`select * from webhook_deliveries d where ${filter} order by d.created_at desc, d.id desc limit $4 offset $5`)} order by d.created_at desc, d.id desc`,
        [tenantId, webhookId, status, limit, offset],
      );
      const [counted] = await manager.query<{ total: number }[]>(`select count(*)::int as total from (select from webhook_deliveries d where ${filter} limit ${MOST_COUNTED}) counted`, [tenantId, webhookId, status]);
      return { rows, total: counted?.total ?? 0 };
    });
  }

  async find(tenantId: string, webhookId: string, deliveryId: string): Promise<DeliveryRecord | null> {
    return this.database.run(tenantId, async (manager) => {
      if ((await standing(manager, tenantId, webhookId)) === null) return null;
      return one(manager, tenantId, webhookId, deliveryId);
    });
  }

  /** Sends a ping to this webhook alone, whether or not it is active; null when the tenant has no such webhook. */
  async ping(tenant: TenantContext, webhookId: string, ids: { readonly event: string; readonly delivery: string }, now: Date): Promise<DeliveryRecord | null> {
    const { tenantId } = tenant;
    return this.database.run(tenantId, async (manager) => {
      const webhook = await standing(manager, tenantId, webhookId);
      if (webhook === null) return null;
      await manager.query(`insert into events (tenant_id, id, type, created_at, data) values ($1, $2, 'ping', $3, $4)`, [
        tenantId, ids.event, now,
        // Whoever reads events reads this too: the path of an address may be a secret.
        JSON.stringify({ webhook: { id: webhookId, url: new URL(webhook.url).origin } }),
      ]);
      await restart(manager, tenantId, { delivery: ids.delivery, webhook: webhookId, event: ids.event }, now);
      await requireCredential(manager, tenant, now);
      return one(manager, tenantId, webhookId, ids.delivery);
    });
  }

  /**
   * Sends a delivery again, at once and by the whole schedule; null when there is none.
   * @throws DomainError INVALID_STATE while the webhook is switched off; RATE_LIMITED while a time is replayed, or too often
   */
  async replay(tenant: TenantContext, webhookId: string, deliveryId: string, now: Date): Promise<DeliveryRecord | null> {
    const { tenantId } = tenant;
    return this.database.run(tenantId, async (manager) => {
      const webhook = await standing(manager, tenantId, webhookId);
      const delivery = webhook === null ? null : await one(manager, tenantId, webhookId, deliveryId);
      if (webhook === null || delivery === null) return null;
      requireActive(webhook);
      await requireFree(manager, 'pg_try_advisory_xact_lock_shared', webhookId);
      await refusingFlood(() => restart(manager, tenantId, { delivery: deliveryId, webhook: webhookId, event: delivery.event_id }, now));
      await requireCredential(manager, tenant, now);
      return one(manager, tenantId, webhookId, deliveryId);
    });
  }

  /**
   * Sends the events of a time again. Null when the tenant has no such webhook; `'too_many'` when there are more than
   * `most`, and then none is sent.
   * @throws DomainError INVALID_STATE while the webhook is switched off; RATE_LIMITED while another replay is under way, or when one of them is sent too often
   */
  async replayRange(tenant: TenantContext, webhookId: string, { from, to, kinds }: Range, most: number, now: Date): Promise<number | 'too_many' | null> {
    const { tenantId } = tenant;
    return this.database.run(tenantId, async (manager) => {
      const webhook = await standing(manager, tenantId, webhookId);
      if (webhook === null) return null;
      requireActive(webhook);
      await requireFree(manager, 'pg_try_advisory_xact_lock', webhookId);
      const [row] = await refusingFlood(() => manager.query<{ replayed: number }[]>('select replay_events($1, $2, $3, $4, $5, $6, $7) as replayed', [
        tenantId, webhookId, from, to, kinds ?? webhook.kinds, now, most,
      ]));
      const replayed = row?.replayed ?? 0;
      await requireCredential(manager, tenant, now);
      return replayed > most ? 'too_many' : replayed;
    });
  }
}

/** What somebody asks for goes before all that waits for the same address, which may be hours of work to one that hangs. */
async function restart(manager: EntityManager, tenantId: string, { delivery, webhook, event }: { readonly delivery: string; readonly webhook: string; readonly event: string }, now: Date): Promise<void> {
  await manager.query('select restart_delivery($1, $2, $3, $4, $5)', [tenantId, delivery, webhook, event, now]);
  await manager.query('update webhook_work set due_at = least(due_at, before_all_waiting($1, $3, $2)) where tenant_id = $1 and delivery_id = $2 and lease_token is null', [tenantId, delivery, webhook]);
}

async function standing(manager: EntityManager, tenantId: string, webhookId: string): Promise<Webhook | null> {
  const [row] = await manager.query<Webhook[]>('select url, kinds, is_active from webhooks where tenant_id = $1 and id = $2 and deleted_at is null', [tenantId, webhookId]);
  return row ?? null;
}

async function one(manager: EntityManager, tenantId: string, webhookId: string, deliveryId: string): Promise<DeliveryRecord | null> {
  const [row] = await manager.query<DeliveryRecord[]>(recordsOf('select * from webhook_deliveries d where d.tenant_id = $1 and d.webhook_id = $2 and d.id = $3'), [tenantId, webhookId, deliveryId]);
  return row ?? null;
}

/**
 * A webhook has one replay at a time, and nothing beside it: two would send an event twice over, and one delivery would
 * wait for the work of all. Not by the webhook's row: who ends an attempt holds its work and waits for that.
 * @throws DomainError RATE_LIMITED
 */
async function requireFree(manager: EntityManager, lock: 'pg_try_advisory_xact_lock' | 'pg_try_advisory_xact_lock_shared', webhookId: string): Promise<void> {
  const [row] = await manager.query<{ is_free: boolean }[]>(`select ${lock}(hashtextextended($1, 0)) as is_free`, [webhookId]);
  if (row?.is_free !== true) throw replayUnderWay();
}

/** @throws DomainError RATE_LIMITED when a delivery was sent again too often, with what the database says of it */
async function refusingFlood<T>(replay: () => Promise<T>): Promise<T> {
  try {
    return await replay();
  } catch (error) {
    if (sqlState(error) !== OWN_SQL_STATE.replayedTooOften) throw error;
    throw new DomainError('RATE_LIMITED', { limits: 'replays_of_delivery', ...(JSON.parse(sqlDetail(error) ?? '{}') as object) });
  }
}

function requireActive({ is_active }: Webhook): void {
  if (!is_active) throw new DomainError('INVALID_STATE', { reason: 'inactive', allowed_actions: ['activate'] });
}
