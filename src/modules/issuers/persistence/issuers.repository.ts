import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../../platform/audit/audit-trail.js';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import { DomainError } from '../../../shared/domain-error.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { IssuerRecord } from '../issuers.responses.js';
import { refuseDuplicates } from '../../../platform/database/unique-violation.js';
import { lockUnusedPoints, refuseInUse, removePoints } from './removal.js';

export type IssuerRow = Omit<IssuerRecord, 'warnings'>;

/** Columns that a caller may set, in the order of the insert. */
const WRITABLE = [
  'razon_social',
  'nombre_comercial',
  'direccion_matriz',
  'obligado_contabilidad',
  'contribuyente_especial',
  'agente_retencion',
  'gran_contribuyente',
  'regimen_rimpe',
  'default_payment_method',
  'logo',
  'email_buyers',
  'is_active',
] as const;

export type IssuerValues = Readonly<Partial<Record<(typeof WRITABLE)[number], string | boolean | Buffer | null>>>;

/** Columns as they are shown: instead of the logo, the path where it lies. */
const SHOWN = WRITABLE.map((column) => (column === 'logo' ? `case when logo is not null then '/issuers/' || id || '/logo' end as logo` : column));

const COLUMNS = `id, tenant_id, ruc, ${SHOWN.join(', ')}, disabled_at, created_at, updated_at`;

@Injectable()
export class IssuersRepository {
  constructor(
    private readonly database: TenantTransaction,
    private readonly audit: AuditTrail,
  ) {}

  /** @throws DomainError ALREADY_EXISTS when the tenant has an issuer of this RUC; UNAUTHENTICATED when it was closed meanwhile */
  async insert(tenant: TenantContext, id: string, ruc: string, values: IssuerValues, now: Date): Promise<IssuerRow> {
    const { tenantId } = tenant;
    const given = WRITABLE.map((column) => values[column] ?? null);
    const places = given.map((_, index) => `$${index + 5}`).join(', ');
    return refuseDuplicates('ruc', () =>
      this.database.run(tenantId, async (manager) => {
        // Whose last owner leaves it is closed unless it has an issuer, so one of the two is first.
        await manager.query('select 1 from tenants where id = $1 for share', [tenantId]);
        const [row] = await manager.query<IssuerRow[]>(
          `insert into issuers (tenant_id, id, ruc, created_at, updated_at, ${WRITABLE.join(', ')})
           values ($1, $2, $3, $4, $4, ${places}) returning ${COLUMNS}`,
          [tenantId, id, ruc, now, ...given],
        );
        await this.audit.record(manager, tenant, { action: 'issuer.created', target: { kind: 'issuer', id }, detail: { ruc } }, now);
        return required(row);
      }),
    );
  }

  /** Sets the given columns only; null when the tenant has no such issuer. */
  async update(tenant: TenantContext, id: string, values: IssuerValues, now: Date): Promise<IssuerRow | null> {
    const { tenantId } = tenant;
    const columns = WRITABLE.filter((column) => values[column] !== undefined);
    if (columns.length === 0) return this.find(tenantId, id);
    const assignments = columns.map((column, index) => `${column} = $${index + 4}`).join(', ');
    return this.database.run(tenantId, async (manager) => {
      // For an update the driver returns the rows and their number.
      const [rows] = await manager.query<[IssuerRow[], number]>(
        `update issuers set ${assignments}, updated_at = $3 where tenant_id = $1 and id = $2 returning ${COLUMNS}`,
        [tenantId, id, now, ...columns.map((column) => values[column])],
      );
      const [row] = rows;
      if (row === undefined) return null;
      await this.audit.record(manager, tenant, { action: 'issuer.changed', target: { kind: 'issuer', id }, detail: { fields: columns } }, now);
      return row;
    });
  }

  /**
   * Removes an issuer with its establishments, emission points and certificates, and lets go of its RUC; false when the
   * tenant has no such issuer.
   * @throws DomainError INVALID_STATE when it holds documents, or another request is using it; ISSUER_DISABLED when the platform has disabled it
   */
  async remove(tenant: TenantContext, id: string, now: Date): Promise<boolean> {
    const { tenantId } = tenant;
    const place = { issuerId: id };
    return refuseInUse(() =>
      this.database.run(tenantId, async (manager) => {
        await lockUnusedPoints(manager, tenantId, place);
        const [known] = await manager.query<{ ruc: string; disabled_at: Date | null }[]>('select ruc, disabled_at from issuers where tenant_id = $1 and id = $2 for update', [tenantId, id]);
        if (known === undefined) return false;
        // Founded again under the same RUC it would be disabled no more.
        if (known.disabled_at !== null) throw new DomainError('ISSUER_DISABLED');
        await removePoints(manager, tenantId, place);
        // The claim before the certificates, as whoever takes it locks them.
        await manager.query('select release_ruc($1, $2)', [tenantId, id]);
        for (const table of ['establishments', 'certificates', 'idempotency_keys']) {
          await manager.query(`delete from ${table} where tenant_id = $1 and issuer_id = $2`, [tenantId, id]);
        }
        await manager.query('delete from issuers where tenant_id = $1 and id = $2', [tenantId, id]);
        await this.audit.record(manager, tenant, { action: 'issuer.deleted', target: { kind: 'issuer', id }, detail: { ruc: known.ruc } }, now);
        return true;
      }),
    );
  }

  async find(tenantId: string, id: string): Promise<IssuerRow | null> {
    return this.database.run(tenantId, async (manager) => {
      const [row] = await manager.query<IssuerRow[]>(`select ${COLUMNS} from issuers where tenant_id = $1 and id = $2`, [tenantId, id]);
      return row ?? null;
    });
  }

  /** The issuer's logo as it was sent; null for an issuer without one and for no issuer. */
  async findLogo(tenantId: string, id: string): Promise<Buffer | null> {
    return this.database.run(tenantId, async (manager) => {
      const [row] = await manager.query<{ logo: Buffer | null }[]>('select logo from issuers where tenant_id = $1 and id = $2', [tenantId, id]);
      return row?.logo ?? null;
    });
  }

  /** A page, newest first. */
  async list(tenantId: string, isActive: boolean | null, limit: number, offset: number): Promise<{ rows: IssuerRow[]; total: number }> {
    return this.database.run(tenantId, async (manager) => {
      const filter = 'tenant_id = $1 and ($2::boolean is null or is_active = $2)';
      const rows = await manager.query<IssuerRow[]>(
        `select ${COLUMNS} from issuers where ${filter} order by created_at desc, id desc limit $3 offset $4`,
        [tenantId, isActive, limit, offset],
      );
      const [counted] = await manager.query<{ total: number }[]>(`select count(*)::int as total from issuers where ${filter}`, [tenantId, isActive]);
      return { rows, total: counted?.total ?? 0 };
    });
  }
}

function required<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new Error('an insert returned no row');
  return row;
}
