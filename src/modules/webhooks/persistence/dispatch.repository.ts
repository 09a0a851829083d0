import { Injectable } from '@nestjs/common';
import { Prepared, TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import type { Ids } from '../../../shared/ports.js';
import type { EventCard } from '../../events/public.js';
import { resumeDeliveries } from './resume-deliveries.js';

export interface ClaimLimits {
  /** Most deliveries that are taken, and most of those to addresses that fail. */
  readonly room: number;
  readonly roomForFailing: number;
  readonly perWebhook: number;
}

export interface ClaimedDelivery {
  readonly tenantId: string;
  readonly deliveryId: string;
  /** Its address fails at present. */
  readonly isFailing: boolean;
}

/** In base64, as it came out of JSON. */
export interface SealedWebhookSecret {
  readonly id: string;
  readonly sealed: string;
}

/** An attempt that is on record and may be made. */
export interface BegunAttempt {
  readonly webhook_id: string;
  readonly url: string;
  readonly secrets: readonly SealedWebhookSecret[];
  readonly event: EventCard;
  readonly number: number;
  readonly round: number;
}

export interface EndedAttempt {
  readonly number: number;
  readonly outcome: string;
  readonly statusCode: number | null;
  readonly durationMs: number;
  readonly nextAt: Date | null;
  /** Id for the event `webhook.disabled`, should this attempt switch the address off. */
  readonly eventId: string;
}

const CLAIM = new Prepared('claim-deliveries', `select * from claim_deliveries_going_round($1, $2, $3 * interval '1 millisecond', $4, $5, $6, $7)`);

/** What the dispatcher does with deliveries. */
@Injectable()
export class DispatchRepository {
  /** The address (tenant and id) after which the next claim goes on: with many, no claim looks at all of them. */
  private lookedUntil: readonly string[] | null = null;

  constructor(private readonly database: TenantTransaction) {}

  /** Leases due deliveries, tenants and their addresses taking turns; a lease that runs out makes its delivery due again. */
  async claim(token: string, now: Date, leaseMs: number, { room, roomForFailing, perWebhook }: ClaimLimits): Promise<ClaimedDelivery[]> {
    const [row] = await this.database.withoutTenant<{ taken: ClaimedDelivery[]; looked_until: string[] | null }>(
      CLAIM, [token, now, leaseMs, room, roomForFailing, perWebhook, this.lookedUntil],
    );
    this.lookedUntil = row?.looked_until ?? this.lookedUntil;
    return row?.taken ?? [];
  }

  /** Holds a claimed delivery for another lease; false when it was lost. */
  async renew(tenantId: string, deliveryId: string, token: string, now: Date, leaseMs: number): Promise<boolean> {
    const [, held] = await this.database.run(tenantId, (manager) =>
      manager.query<[unknown[], number]>(`update webhook_work set due_at = least($4::timestamptz, clock_timestamp()) + $5 * interval '1 millisecond' where tenant_id = $1 and delivery_id = $2 and lease_token = $3`, [
        tenantId, deliveryId, token, now, leaseMs,
      ]),
    );
    return held > 0;
  }

  /** Makes a claimed delivery due again; an attempt that was begun is on record as one that was interrupted once the next begins. */
  async giveBack(tenantId: string, deliveryId: string, token: string, now: Date): Promise<void> {
    await this.database.run(tenantId, (manager) =>
      manager.query('update webhook_work set due_at = least($4, clock_timestamp()), lease_token = null where tenant_id = $1 and delivery_id = $2 and lease_token = $3', [tenantId, deliveryId, token, now]),
    );
  }

  /** Puts an attempt on record before it is made; null: the lease was lost, or nobody listens any more. */
  async begin(tenantId: string, deliveryId: string, token: string, now: Date): Promise<BegunAttempt | null> {
    const [row] = await this.database.call<BegunAttempt>(tenantId, 'select * from begin_attempt($1, $2, $3, $4)', [deliveryId, token, now]);
    return row ?? null;
  }

  /** Puts on record what came of it, and when to try again; switches the address off when it is gone or failed for `patienceMs`. */
  async end(tenantId: string, deliveryId: string, token: string, now: Date, ended: EndedAttempt, patienceMs: number): Promise<void> {
    const { number, outcome, statusCode, durationMs, nextAt, eventId } = ended;
    await this.database.call(
      tenantId,
      `select end_attempt($1, $2, $3, $4, $5, $6, $7, $8, $9, $10 * interval '1 millisecond', $11)`,
      [deliveryId, token, now, number, outcome, statusCode, durationMs, nextAt, patienceMs, eventId],
    );
  }

  /** Switches off, of all tenants, up to so many addresses that failed for `patienceMs` and are not being tried. @returns how many it found */
  async switchOffFailing(limit: number, patienceMs: number, now: Date, ids: Ids): Promise<number> {
    const found = await this.database.withoutTenant<{ tenant_id: string; id: string }>(`select * from failing_webhooks($1 * interval '1 millisecond', $2, $3)`, [patienceMs, now, limit]);
    for (const { tenant_id: tenantId, id } of found) {
      await this.database.call(tenantId, `select switch_webhook_off($1, $2, null, false, true, $3 * interval '1 millisecond', $4, $5)`, [id, patienceMs, now, ids.uuid()]);
    }
    return found.length;
  }

  /** Makes due, of up to so many webhooks of all tenants that are on, the deliveries that are still set aside for them. */
  async resumeSetAside(limit: number, now: Date, stopping: AbortSignal): Promise<void> {
    const found = await this.database.withoutTenant<{ tenant_id: string; id: string }>('select * from webhooks_to_resume($1)', [limit]);
    for (const { tenant_id: tenantId, id } of found) {
      let resumed = 1;
      while (resumed > 0 && !stopping.aborted) resumed = await resumeDeliveries(this.database, tenantId, id, now);
    }
  }
}
