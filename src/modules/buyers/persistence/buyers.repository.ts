import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../../platform/audit/audit-trail.js';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import { DomainError } from '../../../shared/domain-error.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { BuyerListItem, BuyerRecord } from '../buyers.responses.js';

/** Columns that a caller may set. */
const WRITABLE = ['legal_name', 'trade_name', 'address', 'email', 'notes', 'is_active'] as const;

export type BuyerValues = Readonly<Partial<Record<(typeof WRITABLE)[number], string | boolean | null>>>;

export interface Identification {
  readonly idType: string;
  readonly id: string;
}

const LISTED = `b.id, b.tenant_id, b.buyer_id, b.buyer_id_type, b.legal_name, b.trade_name, b.contributor_status, b.contributor_type, b.address,
  b.notes, b.is_active, b.created_at, b.updated_at, b.sri_last_verified_at`;

/** From this number of authorized documents on a buyer is frequent. */
const FREQUENT = 3;

const isFrequent = (tenant: string, idType: string, id: string): string =>
  `(select count(*) from (select from buyer_documents d where d.tenant_id = ${tenant} and d.buyer_id_type = ${idType} and d.buyer_id = ${id} limit ${FREQUENT}) dealings) = ${FREQUENT}`;

const RECORD = `select ${LISTED}, b.email, dealings.document_count, dealings.document_count >= ${FREQUENT} as is_frequent, dealings.last_document_at
  from buyers b
  cross join lateral (
    select count(*)::int as document_count, max(d.authorized_at) as last_document_at from buyer_documents d
    where d.tenant_id = b.tenant_id and d.buyer_id_type = b.buyer_id_type and d.buyer_id = b.buyer_id) dealings`;

/** Which profiles are listed; null: whatever it is. */
export interface BuyerFilter {
  /** Part of the legal or trade name. */
  readonly name: string | null;
  readonly buyerId: string | null;
  readonly isActive: boolean | null;
}

/** A profile as a look-up needs it. */
export interface FoundBuyer extends BuyerListItem {
  readonly is_frequent: boolean;
}

@Injectable()
export class BuyersRepository {
  constructor(
    private readonly database: TenantTransaction,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Stores a profile; what the registry is known to have said about the taxpayer goes with it.
   * @throws DomainError ALREADY_EXISTS when the tenant has a profile of this identification
   */
  async insert(tenant: TenantContext, profileId: string, { idType, id }: Identification, values: BuyerValues, now: Date): Promise<BuyerRecord> {
    const { tenantId } = tenant;
    return this.database.run(tenantId, async (manager) => {
      const rows = await manager.query<unknown[]>(
        `insert into buyers (tenant_id, id, buyer_id_type, buyer_id, kept_fields, created_at, updated_at, ${WRITABLE.join(', ')})
         values ($1, $2, $3, $4, $5, $6, $6, ${WRITABLE.map((_, index) => `$${index + 7}`).join(', ')})
         on conflict (tenant_id, buyer_id_type, buyer_id) do nothing returning id`,
        [tenantId, profileId, idType, id, given(values), now, ...WRITABLE.map((column) => values[column] ?? null)],
      );
      if (rows.length === 0) throw new DomainError('ALREADY_EXISTS', { field: 'buyer_id' });
      await manager.query('select verify_buyers($1, ruc_of($2, $3))', [tenantId, idType, id]);
      await this.audit.record(manager, tenant, { action: 'buyer.created', target: { kind: 'buyer', id: profileId }, detail: { buyer_id_type: idType } }, now);
      const [record] = await manager.query<BuyerRecord[]>(`${RECORD} where b.tenant_id = $1 and b.id = $2`, [tenantId, profileId]);
      if (record === undefined) throw new Error('an inserted profile is not there');
      return record;
    });
  }

  /** Sets the given columns, which documents leave alone from now on; null when the tenant has no such profile. */
  async update(tenant: TenantContext, profileId: string, values: BuyerValues, now: Date): Promise<BuyerRecord | null> {
    const { tenantId } = tenant;
    const columns = given(values);
    return this.database.run(tenantId, async (manager) => {
      if (columns.length > 0) {
        // For an update the driver returns the rows and their number.
        const [, changed] = await manager.query<[unknown[], number]>(
          `update buyers set ${columns.map((column, index) => `${column} = $${index + 5}`).join(', ')}, updated_at = $3,
             kept_fields = array(select distinct unnest(kept_fields || $4::text[]) order by 1)
           where tenant_id = $1 and id = $2`,
          [tenantId, profileId, now, columns, ...columns.map((column) => values[column])],
        );
        if (changed === 0) return null;
        await this.audit.record(manager, tenant, { action: 'buyer.changed', target: { kind: 'buyer', id: profileId }, detail: { fields: columns } }, now);
      }
      const [record] = await manager.query<BuyerRecord[]>(`${RECORD} where b.tenant_id = $1 and b.id = $2`, [tenantId, profileId]);
      return record ?? null;
    });
  }

  /** False when the tenant has no such profile. */
  async delete(tenant: TenantContext, profileId: string, now: Date): Promise<boolean> {
    const { tenantId } = tenant;
    return this.database.run(tenantId, async (manager) => {
      const [, deleted] = await manager.query<[unknown[], number]>('delete from buyers where tenant_id = $1 and id = $2', [tenantId, profileId]);
      if (deleted === 0) return false;
      await this.audit.record(manager, tenant, { action: 'buyer.deleted', target: { kind: 'buyer', id: profileId } }, now);
      return true;
    });
  }

  async find(tenantId: string, profileId: string): Promise<BuyerRecord | null> {
    return this.database.run(tenantId, async (manager) => {
      const [record] = await manager.query<BuyerRecord[]>(`${RECORD} where b.tenant_id = $1 and b.id = $2`, [tenantId, profileId]);
      return record ?? null;
    });
  }

  /** The profile of an identification, with the newest that the registry is known to have said. */
  async findIdentified(tenantId: string, { idType, id }: Identification): Promise<FoundBuyer | null> {
    return this.database.run(tenantId, async (manager) => {
      await manager.query('select verify_buyers($1, ruc_of($2, $3))', [tenantId, idType, id]);
      const [buyer] = await manager.query<FoundBuyer[]>(
        `select ${LISTED}, ${isFrequent('$1', '$2', '$3')} as is_frequent from buyers b where b.tenant_id = $1 and b.buyer_id_type = $2 and b.buyer_id = $3`,
        [tenantId, idType, id],
      );
      return buyer ?? null;
    });
  }

  /** Brings what the registry is known to have said into the tenant's profiles of the same taxpayer; what people typed stays. */
  async verify(tenantId: string, { idType, id }: Identification): Promise<void> {
    await this.database.run(tenantId, (manager) => manager.query('select verify_buyers($1, ruc_of($2, $3))', [tenantId, idType, id]));
  }

  /** Whether the tenant has had enough documents with somebody, profile or not. */
  async isFrequent(tenantId: string, { idType, id }: Identification): Promise<boolean> {
    return this.database.run(tenantId, async (manager) => {
      const [row] = await manager.query<{ frequent: boolean }[]>(`select ${isFrequent('$1', '$2', '$3')} as frequent`, [tenantId, idType, id]);
      return row?.frequent ?? false;
    });
  }

  /** A page, newest first. */
  async list(tenantId: string, filter: BuyerFilter, limit: number, offset: number): Promise<{ rows: BuyerListItem[]; total: number }> {
    const values = [tenantId, filter.name, filter.buyerId, filter.isActive];
    return this.database.run(tenantId, async (manager) => {
      const where = `b.tenant_id = $1 and ($2::text is null or strpos(b.search_names, search_form($2)) > 0) and ($3::text is null or b.buyer_id = $3)
        and ($4::boolean is null or b.is_active = $4)`;
      const rows = await manager.query<BuyerListItem[]>(
        `select ${LISTED} from buyers b where ${where} order by b.created_at desc, b.id desc limit $5 offset $6`,
        [...values, limit, offset],
      );
      const [counted] = await manager.query<{ total: number }[]>(`select count(*)::int as total from buyers b where ${where}`, values);
      return { rows, total: counted?.total ?? 0 };
    });
  }
}

/** The columns that a caller set, to a value or to nothing. */
const given = (values: BuyerValues): (typeof WRITABLE)[number][] => WRITABLE.filter((column) => values[column] !== undefined);
