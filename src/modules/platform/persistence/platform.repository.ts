import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type Acting, auditLine } from '../../../platform/audit/audit-trail.js';
import { requireCredential } from '../../../platform/database/standing-credential.js';
import { OWN_SQL_STATE } from '../../../platform/database/own-sql-state.js';
import { sqlState } from '../../../platform/database/sql-error.js';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import { DomainError } from '../../../shared/domain-error.js';
import type { UserPrincipal } from '../../../shared/tenant-context.js';
import type { PlatformIssuerRecord, PlatformTenantRecord } from '../platform.responses.js';

export interface FoundedTenant {
  readonly tenantId: string;
  readonly name: string;
  readonly memberId: string;
  /** Lower case. */
  readonly ownerEmail: string;
  readonly invitation: { readonly hash: Buffer; readonly expiresAt: Date };
}

/** An administrator of the platform, and the session in which they act. */
export interface PlatformAdmin extends Acting {
  readonly principal: UserPrincipal;
}

/** What the platform does across tenants. Every statement asks the database whether the caller administers it, and every act whether their session still stands. */
@Injectable()
export class PlatformRepository {
  constructor(private readonly database: TenantTransaction) {}

  async found(admin: PlatformAdmin, tenant: FoundedTenant, now: Date): Promise<void> {
    const line = auditLine(
      admin, { action: 'tenant.founded', target: { kind: 'tenant', id: tenant.tenantId }, detail: { name: tenant.name, owner_email: tenant.ownerEmail } }, now,
    );
    await this.act(admin, tenant.tenantId, now, (manager) =>
      manager.query('select platform_create_tenant($1, $2, $3, $4, $5, $6, $7, $8, $9)', [
        admin.principal.id, tenant.tenantId, tenant.name, tenant.memberId, tenant.ownerEmail, tenant.invitation.hash, tenant.invitation.expiresAt, now, line,
      ]),
    );
  }

  /** A page, newest first. */
  async list(admin: Acting, limit: number, offset: number): Promise<{ rows: PlatformTenantRecord[]; total: number }> {
    const rows = await forAdmins(() =>
      this.database.withoutTenant<PlatformTenantRecord & { id: string | null; total: string }>('select * from platform_tenants($1, $2, $3)', [admin.principal.id, limit, offset]),
    );
    const shown = rows.filter(({ id }) => (id as string | null) !== null);
    return { rows: shown.map(({ total: _total, ...row }) => row), total: Number(rows[0]?.total ?? 0) };
  }

  /** Null when there is no such tenant. */
  async setActive(admin: PlatformAdmin, tenantId: string, isActive: boolean, now: Date): Promise<PlatformTenantRecord | null> {
    const line = auditLine(admin, { action: isActive ? 'tenant.activated' : 'tenant.deactivated', target: { kind: 'tenant', id: tenantId } }, now);
    const [row] = await this.act(admin, tenantId, now, (manager) =>
      manager.query<PlatformTenantRecord[]>('select * from platform_set_tenant_active($1, $2, $3, $4)', [admin.principal.id, tenantId, isActive, line]),
    );
    return row ?? null;
  }

  /** Null when the tenant has no such issuer. Again is the same and is not recorded again. */
  async setIssuerDisabled(admin: PlatformAdmin, tenantId: string, issuerId: string, disabled: boolean, now: Date): Promise<PlatformIssuerRecord | null> {
    const line = auditLine(admin, { action: disabled ? 'issuer.disabled' : 'issuer.enabled', target: { kind: 'issuer', id: issuerId } }, now);
    return this.act(admin, tenantId, now, async (manager) => {
      await manager.query('select require_platform_admin($1)', [admin.principal.id]);
      const [changed] = await manager.query<[unknown[], number]>(
        `update issuers set disabled_at = case when $3 then $4::timestamptz end, updated_at = $4
         where tenant_id = $1 and id = $2 and (disabled_at is not null) <> $3 returning 1`,
        [tenantId, issuerId, disabled, now],
      );
      if (changed.length > 0) await manager.query('select record_audit($1, $2)', [tenantId, line]);
      const [row] = await manager.query<PlatformIssuerRecord[]>(
        'select id, tenant_id, ruc, razon_social, disabled_at from issuers where tenant_id = $1 and id = $2', [tenantId, issuerId],
      );
      return row ?? null;
    });
  }

  /** The work, and as the last part of its transaction a look whether the session has ended meanwhile. */
  private act<T>(admin: PlatformAdmin, tenantId: string, now: Date, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return forAdmins(() =>
      this.database.run(tenantId, async (manager) => {
        const done = await work(manager);
        await requireCredential(manager, { tenantId, principal: admin.principal }, now);
        return done;
      }),
    );
  }
}

async function forAdmins<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (sqlState(error) === OWN_SQL_STATE.notPlatformAdmin) throw new DomainError('FORBIDDEN');
    throw error;
  }
}
