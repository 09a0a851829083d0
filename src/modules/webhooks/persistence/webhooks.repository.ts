import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../../../platform/audit/audit-trail.js';
import { lockTenant } from '../../../platform/database/lock-tenant.js';
import { requireCredential } from '../../../platform/database/standing-credential.js';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import type { EventKind } from '../../../shared/event-catalogue.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { bringDeliveriesForward } from './bring-deliveries-forward.js';
import { resumeDeliveries } from './resume-deliveries.js';
import type { WebhookCreated, WebhookRecord } from '../webhooks.responses.js';

export interface NewWebhook {
  readonly id: string;
  readonly url: string;
  readonly kinds: readonly EventKind[] | null;
  readonly description: string | null;
  readonly is_active: boolean;
}

export type WebhookChange = Partial<Omit<NewWebhook, 'id'>>;

export interface KeptSecret {
  readonly id: string;
  readonly sealed: Buffer;
}

const COLUMNS = 'id, tenant_id, url, description, kinds, is_active, failing_since, disabled_at, disabled_reason, created_at, updated_at';
const WRITABLE = ['url', 'kinds', 'description', 'is_active'] as const;
const STANDING = 'tenant_id = $1 and deleted_at is null';

/** Where a tenant wants events sent. One that was deleted stays with its deliveries and is shown no more. */
@Injectable()
export class WebhooksRepository {
  constructor(
    private readonly database: TenantTransaction,
    private readonly audit: AuditTrail,
  ) {}

  /** Null: the tenant has `most` of them already. */
  async insert(tenant: TenantContext, webhook: NewWebhook, secret: KeptSecret, most: number, now: Date): Promise<Omit<WebhookCreated, 'secret'> | null> {
    const { tenantId } = tenant;
    return this.database.run(tenantId, async (manager) => {
      await lockTenant(manager, tenantId);
      await requireCredential(manager, tenant, now);
      const [counted] = await manager.query<{ total: number }[]>(`select count(*)::int as total from webhooks where ${STANDING}`, [tenantId]);
      if ((counted?.total ?? 0) >= most) return null;
      const { id, url, kinds, description, is_active } = webhook;
      const [row] = await manager.query<WebhookRecord[]>(
        `insert into webhooks (tenant_id, id, url, kinds, description, is_active, created_at, updated_at) values ($1, $2, $3, $4, $5, $6, $7, $7) returning ${COLUMNS}`,
        [tenantId, id, url, kinds, description, is_active, now],
      );
      await keepSecret(manager, tenantId, id, secret, now);
      await this.audit.record(manager, tenant, { action: 'webhook.created', target: { kind: 'webhook', id }, detail: { host: new URL(url).host } }, now);
      return row ?? null;
    });
  }

  async find(tenantId: string, id: string): Promise<WebhookRecord | null> {
    return this.database.run(tenantId, async (manager) => {
      const [row] = await manager.query<WebhookRecord[]>(`select ${COLUMNS} from webhooks where ${STANDING} and id = $2`, [tenantId, id]);
      return row ?? null;
    });
  }

  /** A page, newest first. */
  async list(tenantId: string, limit: number, offset: number): Promise<{ rows: WebhookRecord[]; total: number }> {
    return this.database.run(tenantId, async (manager) => {
      const rows = await manager.query<WebhookRecord[]>(`select ${COLUMNS} from webhooks where ${STANDING} order by created_at desc, id desc limit $2 offset $3`, [tenantId, limit, offset]);
      const [counted] = await manager.query<{ total: number }[]>(`select count(*)::int as total from webhooks where ${STANDING}`, [tenantId]);
      return { rows, total: counted?.total ?? 0 };
    });
  }

  /**
   * Sets the given columns only; switched on or at another address, it is as if nothing had failed. Switched on, what waited
   * for that is due; at another address, what waits after failures at a former one. Null when the tenant has no such webhook.
   */
  async update(tenant: TenantContext, id: string, change: WebhookChange, now: Date): Promise<WebhookRecord | null> {
    const { tenantId } = tenant;
    const record = await this.write(tenant, id, change, now);
    if (record !== null && change.is_active === true) await this.resume(tenantId, id, now);
    if (record !== null && change.url !== undefined) await bringDeliveriesForward(this.database, tenantId, id, now);
    return record;
  }

  /** In transactions of their own, after that of the change: see the function. */
  private async resume(tenantId: string, id: string, now: Date): Promise<void> {
    while ((await resumeDeliveries(this.database, tenantId, id, now)) > 0);
  }

  private async write(tenant: TenantContext, id: string, change: WebhookChange, now: Date): Promise<WebhookRecord | null> {
    const { tenantId } = tenant;
    const columns = WRITABLE.filter((column) => change[column] !== undefined);
    if (columns.length === 0) return this.find(tenantId, id);
    const assignments = columns.map((column, index) => `${column} = $${index + 4}`);
    // `url` is always the first of the columns.
    if (change.url !== undefined) assignments.push('url_version = url_version + (url <> $4)::integer');
    if (change.is_active === true) assignments.push('failing_since = null', 'last_attempt_failed = false', 'disabled_at = null', 'disabled_reason = null');
    else if (change.url !== undefined) assignments.push('failing_since = case when url = $4 then failing_since end', 'last_attempt_failed = last_attempt_failed and url = $4');
    return this.database.run(tenantId, async (manager) => {
      const [rows] = await manager.query<[WebhookRecord[], number]>(
        `update webhooks set ${assignments.join(', ')}, updated_at = $3 where ${STANDING} and id = $2 returning ${COLUMNS}`,
        [tenantId, id, now, ...columns.map((column) => change[column])],
      );
      const [row] = rows;
      if (row === undefined) return null;
      await this.audit.record(manager, tenant, { action: 'webhook.changed', target: { kind: 'webhook', id }, detail: { fields: columns } }, now);
      return row;
    });
  }

  /** False when the tenant has no such webhook. Deliveries that are on their way end with the next look at them. */
  async remove(tenant: TenantContext, id: string, now: Date): Promise<boolean> {
    const { tenantId } = tenant;
    return this.database.run(tenantId, async (manager) => {
      const [rows] = await manager.query<[unknown[], number]>(
        `update webhooks set deleted_at = $3, is_active = false, updated_at = $3 where ${STANDING} and id = $2 returning 1`, [tenantId, id, now]);
      if (rows.length === 0) return false;
      await manager.query('delete from webhook_secrets where tenant_id = $1 and webhook_id = $2', [tenantId, id]);
      await this.audit.record(manager, tenant, { action: 'webhook.deleted', target: { kind: 'webhook', id } }, now);
      return true;
    });
  }

  /** Puts a new secret in force; the former signs too until `previousUntil`, one before it no longer. False when the tenant has no such webhook. */
  async rotateSecret(tenant: TenantContext, id: string, secret: KeptSecret, previousUntil: Date, now: Date): Promise<boolean> {
    const { tenantId } = tenant;
    return this.database.run(tenantId, async (manager) => {
      const [webhook] = await manager.query<unknown[]>(`select 1 from webhooks where ${STANDING} and id = $2 for no key update`, [tenantId, id]);
      if (webhook === undefined) return false;
      await manager.query('delete from webhook_secrets where tenant_id = $1 and webhook_id = $2 and expires_at is not null', [tenantId, id]);
      await manager.query('update webhook_secrets set expires_at = $3 where tenant_id = $1 and webhook_id = $2', [tenantId, id, previousUntil]);
      await keepSecret(manager, tenantId, id, secret, now);
      await this.audit.record(manager, tenant, { action: 'webhook.secret_rotated', target: { kind: 'webhook', id } }, now);
      return true;
    });
  }
}

async function keepSecret(manager: EntityManager, tenantId: string, webhookId: string, { id, sealed }: KeptSecret, now: Date): Promise<void> {
  await manager.query('insert into webhook_secrets (tenant_id, id, webhook_id, sealed_secret, created_at) values ($1, $2, $3, $4, $5)', [tenantId, id, webhookId, sealed, now]);
}
