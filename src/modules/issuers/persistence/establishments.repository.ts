import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../../platform/audit/audit-trail.js';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { EstablishmentRecord } from '../issuers.responses.js';
import { refuseDuplicates } from '../../../platform/database/unique-violation.js';
import { lockUnusedPoints, refuseInUse, removePoints } from './removal.js';

const COLUMNS = 'id, tenant_id, issuer_id, code, name, address, is_active, created_at, updated_at';

export interface NewEstablishment {
  readonly id: string;
  readonly issuerId: string;
  readonly code: string;
  readonly name: string | null;
  readonly address: string;
}

/** Columns that a caller may change: the code stays, for it stands in access keys. */
const WRITABLE = ['name', 'address', 'is_active'] as const;

export type EstablishmentValues = Readonly<Partial<Record<(typeof WRITABLE)[number], string | boolean | null>>>;

@Injectable()
export class EstablishmentsRepository {
  constructor(
    private readonly database: TenantTransaction,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Null when the tenant has no such issuer, also when it is being deleted: a deletion under way is waited for.
   * @throws DomainError ALREADY_EXISTS when the issuer has an establishment of this code
   */
  async insert(tenant: TenantContext, establishment: NewEstablishment, now: Date): Promise<EstablishmentRecord | null> {
    const { tenantId } = tenant;
    const { id, issuerId, code, name, address } = establishment;
    return refuseDuplicates('code', () =>
      this.database.run(tenantId, async (manager) => {
        const [row] = await manager.query<EstablishmentRecord[]>(
          `insert into establishments (tenant_id, id, issuer_id, code, name, address, created_at, updated_at)
           select i.tenant_id, $2, i.id, $4, $5, $6, $7, $7 from issuers i where i.tenant_id = $1 and i.id = $3 for key share
           returning ${COLUMNS}`,
          [tenantId, id, issuerId, code, name, address, now],
        );
        if (row === undefined) return null;
        await this.audit.record(manager, tenant, { action: 'establishment.created', target: { kind: 'establishment', id }, detail: { issuer_id: issuerId, code } }, now);
        return row;
      }),
    );
  }

  /** Sets the given columns only; null when the issuer has no such establishment. */
  async update(tenant: TenantContext, issuerId: string, id: string, values: EstablishmentValues, now: Date): Promise<EstablishmentRecord | null> {
    const { tenantId } = tenant;
    const columns = WRITABLE.filter((column) => values[column] !== undefined);
    if (columns.length === 0) return this.find(tenantId, issuerId, id);
    return this.database.run(tenantId, async (manager) => {
      const [rows] = await manager.query<[EstablishmentRecord[], number]>(
        `update establishments set ${columns.map((column, index) => `${column} = $${index + 5}`).join(', ')}, updated_at = $4
         where tenant_id = $1 and issuer_id = $2 and id = $3 returning ${COLUMNS}`,
        [tenantId, issuerId, id, now, ...columns.map((column) => values[column])],
      );
      const [row] = rows;
      if (row === undefined) return null;
      await this.audit.record(manager, tenant, { action: 'establishment.changed', target: { kind: 'establishment', id }, detail: { issuer_id: issuerId, fields: columns } }, now);
      return row;
    });
  }

  /**
   * Removes an establishment with its emission points; false when the issuer has no such establishment.
   * @throws DomainError INVALID_STATE when it holds documents, or another request is using it
   */
  async remove(tenant: TenantContext, issuerId: string, id: string, now: Date): Promise<boolean> {
    const { tenantId } = tenant;
    const place = { issuerId, establishmentId: id };
    return refuseInUse(() =>
      this.database.run(tenantId, async (manager) => {
        await lockUnusedPoints(manager, tenantId, place);
        const [known] = await manager.query<{ code: string }[]>('select code from establishments where tenant_id = $1 and issuer_id = $2 and id = $3 for update', [tenantId, issuerId, id]);
        if (known === undefined) return false;
        await removePoints(manager, tenantId, place);
        await manager.query('delete from establishments where tenant_id = $1 and id = $2', [tenantId, id]);
        await this.audit.record(manager, tenant, { action: 'establishment.deleted', target: { kind: 'establishment', id }, detail: { issuer_id: issuerId, code: known.code } }, now);
        return true;
      }),
    );
  }

  async find(tenantId: string, issuerId: string, id: string): Promise<EstablishmentRecord | null> {
    return this.database.run(tenantId, async (manager) => {
      const [row] = await manager.query<EstablishmentRecord[]>(
        `select ${COLUMNS} from establishments where tenant_id = $1 and issuer_id = $2 and id = $3`,
        [tenantId, issuerId, id],
      );
      return row ?? null;
    });
  }

  /** A page, newest first; null when the tenant has no such issuer. */
  async list(
    tenantId: string,
    issuerId: string,
    isActive: boolean | null,
    limit: number,
    offset: number,
  ): Promise<{ rows: EstablishmentRecord[]; total: number } | null> {
    return this.database.run(tenantId, async (manager) => {
      const filter = 'e.tenant_id = i.tenant_id and e.issuer_id = i.id and ($3::boolean is null or e.is_active = $3)';
      const [counted] = await manager.query<{ total: number }[]>(
        `select (select count(*)::int from establishments e where ${filter}) as total from issuers i where i.tenant_id = $1 and i.id = $2`,
        [tenantId, issuerId, isActive],
      );
      if (counted === undefined) return null;
      const rows = await manager.query<EstablishmentRecord[]>(
        `select e.* from issuers i
         cross join lateral (select ${COLUMNS} from establishments e where ${filter} order by created_at desc, id desc limit $4 offset $5) e
         where i.tenant_id = $1 and i.id = $2`,
        [tenantId, issuerId, isActive, limit, offset],
      );
      return { rows, total: counted.total };
    });
  }
}
