import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../../platform/audit/audit-trail.js';
import { lockTenant } from '../../../platform/database/lock-tenant.js';
import { requireCredential } from '../../../platform/database/standing-credential.js';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { Language } from '../../../shared/language.js';

/** What a tenant chose for its mails; null: the service's own. */
export interface MailSettings {
  readonly language: Language;
  readonly sender_name: string | null;
  readonly reply_to: string | null;
  readonly subject: string | null;
  readonly message: string | null;
}

export type MailSettingsChange = { readonly [Name in keyof MailSettings]?: MailSettings[Name] | undefined };

export const DEFAULT_MAIL_SETTINGS: MailSettings = { language: 'es', sender_name: null, reply_to: null, subject: null, message: null };

const COLUMNS = ['language', 'sender_name', 'reply_to', 'subject', 'message'] as const satisfies readonly (keyof MailSettings)[];

/** Settings of a tenant's mails. */
@Injectable()
export class MailSettingsRepository {
  constructor(
    private readonly database: TenantTransaction,
    private readonly audit: AuditTrail,
  ) {}

  /** Null: the tenant chose nothing yet. */
  async find(tenantId: string): Promise<MailSettings | null> {
    return this.database.run(tenantId, async (manager) => {
      const [row] = await manager.query<MailSettings[]>(`select ${COLUMNS.join(', ')} from mail_settings where tenant_id = $1`, [tenantId]);
      return row ?? null;
    });
  }

  /** Sets the given fields; the others stay. */
  async change(tenant: TenantContext, change: MailSettingsChange, now: Date): Promise<MailSettings> {
    const { tenantId } = tenant;
    return this.database.run(tenantId, async (manager) => {
      await lockTenant(manager, tenantId);
      await requireCredential(manager, tenant, now);
      await manager.query('insert into mail_settings (tenant_id, updated_at) values ($1, $2) on conflict do nothing', [tenantId, now]);
      const [before] = await manager.query<MailSettings[]>(`select ${COLUMNS.join(', ')} from mail_settings where tenant_id = $1 for update`, [tenantId]);
      const after: MailSettings = { ...DEFAULT_MAIL_SETTINGS, ...before, ...namedFields(change) };
      const fields = COLUMNS.filter((name) => after[name] !== before?.[name]);
      if (fields.length === 0) return after;
      await manager.query(
        'update mail_settings set language = $2, sender_name = $3, reply_to = $4, subject = $5, message = $6, updated_at = $7 where tenant_id = $1',
        [tenantId, ...COLUMNS.map((name) => after[name]), now],
      );
      await this.audit.record(manager, tenant, { action: 'mail_settings.changed', target: { kind: 'tenant', id: tenantId }, detail: { fields } }, now);
      return after;
    });
  }
}

/** The fields that a change names. */
export const namedFields = (change: MailSettingsChange): Partial<MailSettings> =>
  Object.fromEntries(COLUMNS.map((name) => [name, change[name]] as const).filter(([, value]) => value !== undefined));
