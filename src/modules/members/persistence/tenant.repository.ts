import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../../platform/audit/audit-trail.js';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import { DomainError } from '../../../shared/domain-error.js';
import { found } from '../../../shared/found.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { TenantRecord } from '../members.responses.js';

export type TenantRow = Omit<TenantRecord, 'sri_environment'>;

const COLUMNS = 'id, name, is_active, created_at';

/** The current tenant's own record. */
@Injectable()
export class TenantRepository {
  constructor(
    private readonly database: TenantTransaction,
    private readonly audit: AuditTrail,
  ) {}

  async find(tenantId: string): Promise<TenantRow> {
    return this.database.run(tenantId, async (manager) => {
      const [row] = await manager.query<TenantRow[]>(`select ${COLUMNS} from tenants where id = $1`, [tenantId]);
      return found(row);
    });
  }

  async rename(tenant: TenantContext, name: string, now: Date): Promise<TenantRow> {
    return this.database.run(tenant.tenantId, async (manager) => {
      const [before] = await manager.query<{ name: string }[]>('select name from tenants where id = $1 for no key update', [tenant.tenantId]);
      const [rows] = await manager.query<[TenantRow[], number]>(`update tenants set name = $2 where id = $1 returning ${COLUMNS}`, [tenant.tenantId, name]);
      const [row] = rows;
      if (before === undefined || row === undefined) throw new DomainError('NOT_FOUND');
      if (before.name !== name) {
        const detail = { name: { from: before.name, to: name } };
        await this.audit.record(manager, tenant, { action: 'tenant.changed', target: { kind: 'tenant', id: tenant.tenantId }, detail }, now);
      }
      return row;
    });
  }
}
