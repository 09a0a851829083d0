import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../../../platform/audit/audit-trail.js';
import { refuseHeld, waitShortly } from '../../../platform/database/held-lock.js';
import { TenantTransaction } from '../../../platform/database/tenant-transaction.js';
import { refuseDuplicates } from '../../../platform/database/unique-violation.js';
import { DomainError } from '../../../shared/domain-error.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { searchForm } from '../../../shared/text.js';
import { PRODUCT_FIELDS, type ProductValues, type StoredValues } from '../domain/product.js';
import type { ProductRecord } from '../products.responses.js';

export interface ProductFilter {
  /** Part of name or code. */
  readonly q: string | null;
  readonly isActive: boolean | null;
  readonly withDeleted: boolean;
}

const PRODUCT_COLUMNS = `id, tenant_id, main_code, aux_code, name, unit_price::text, default_discount::text, tax_code, iva_rate_code,
  applies_tourism_iva, applies_ice, ice_code, additional_fields, is_active, deleted_at, created_at, updated_at`;

/** The columns of a product as a record made of JSON. */
const RECORD = `p(id uuid, main_code text, aux_code text, name text, unit_price numeric, default_discount numeric, tax_code text, iva_rate_code text,
  applies_tourism_iva boolean, applies_ice boolean, ice_code text, is_active boolean, additional_fields jsonb, search_text text)`;

const WRITABLE = [...PRODUCT_FIELDS, 'search_text'];

const FILTER = `tenant_id = $1 and ($2::text is null or strpos(search_text, $2) > 0) and ($3::boolean is null or is_active = $3)
  and ($4::boolean or deleted_at is null)`;

const filterValues = (tenantId: string, { q, isActive, withDeleted }: ProductFilter): unknown[] => [tenantId, q === null ? null : searchForm(q), isActive, withDeleted];

@Injectable()
export class ProductsRepository {
  constructor(
    private readonly database: TenantTransaction,
    private readonly audit: AuditTrail,
  ) {}

  /** @throws DomainError ALREADY_EXISTS when the tenant has a product of this main code, INVALID_STATE while another request makes one */
  async insert(tenant: TenantContext, product: StoredValues, now: Date): Promise<ProductRecord> {
    const { tenantId } = tenant;
    return this.database.run(tenantId, async (manager) => {
      const inserted = await unlessHeld(manager, () => insertProducts(manager, tenantId, [product], now));
      if (inserted.length === 0) throw new DomainError('ALREADY_EXISTS', { field: 'main_code' });
      const { id, main_code } = product;
      await this.audit.record(manager, tenant, { action: 'product.created', target: { kind: 'product', id }, detail: { main_code } }, now);
      return required(await findProduct(manager, tenantId, id));
    });
  }

  /**
   * Changes the given fields of a product; with none it stays as it is.
   * @param judge throws for what the product may not become
   * @returns null when the tenant has no such product
   * @throws DomainError ALREADY_EXISTS, INVALID_STATE while another request changes it, and what `judge` throws
   */
  async change(tenant: TenantContext, id: string, given: Readonly<Partial<ProductValues>>, judge: (product: ProductValues) => void, now: Date): Promise<ProductRecord | null> {
    const { tenantId } = tenant;
    const fields = PRODUCT_FIELDS.filter((field) => given[field] !== undefined);
    return refuseDuplicates('main_code', () =>
      this.database.run(tenantId, async (manager) => {
        const product = await unlessHeld(manager, () => findProduct(manager, tenantId, id, 'for update'));
        if (product === null || fields.length === 0) return product;
        const changed = Object.assign({}, product, Object.fromEntries(fields.map((field) => [field, given[field]])));
        judge(changed);
        await unlessHeld(manager, () => updateProducts(manager, tenantId, [changed], now));
        await this.audit.record(manager, tenant, { action: 'product.changed', target: { kind: 'product', id }, detail: { fields } }, now);
        return findProduct(manager, tenantId, id);
      }),
    );
  }

  /**
   * False when the tenant has no such product.
   * @throws DomainError INVALID_STATE while another request changes it
   */
  async remove(tenant: TenantContext, id: string, now: Date): Promise<boolean> {
    const { tenantId } = tenant;
    return this.database.run(tenantId, async (manager) => {
      // For an update the driver returns the rows and their number.
      const [[row]] = await unlessHeld(manager, () =>
        manager.query<[{ main_code: string }[], number]>(
          'update products set is_active = false, deleted_at = $3, updated_at = $3 where tenant_id = $1 and id = $2 and deleted_at is null returning main_code',
          [tenantId, id, now],
        ),
      );
      if (row === undefined) return false;
      await this.audit.record(manager, tenant, { action: 'product.deleted', target: { kind: 'product', id }, detail: row }, now);
      return true;
    });
  }

  async find(tenantId: string, id: string): Promise<ProductRecord | null> {
    return this.database.run(tenantId, (manager) => findProduct(manager, tenantId, id));
  }

  /** A page, newest first. */
  async list(tenantId: string, filter: ProductFilter, limit: number, offset: number): Promise<{ rows: ProductRecord[]; total: number }> {
    return this.database.run(tenantId, async (manager) => {
      const values = filterValues(tenantId, filter);
      const rows = await manager.query<ProductRecord[]>(
        `select ${PRODUCT_COLUMNS} from products where ${FILTER} order by created_at desc, id desc limit $5 offset $6`,
        [...values, limit, offset],
      );
      const [counted] = await manager.query<{ total: number }[]>(`select count(*)::int as total from products where ${FILTER}`, values);
      return { rows, total: counted?.total ?? 0 };
    });
  }

  /** The next products in the order of their main codes, after the given one; '' is before all. */
  async after(tenantId: string, filter: ProductFilter, mainCode: string, limit: number): Promise<ProductRecord[]> {
    return this.database.run(tenantId, (manager) =>
      manager.query<ProductRecord[]>(
        `select ${PRODUCT_COLUMNS} from products where ${FILTER} and main_code > $5 order by main_code limit $6`,
        [...filterValues(tenantId, filter), mainCode, limit],
      ),
    );
  }

  /** The active products of these main codes. */
  async findActive(tenantId: string, mainCodes: readonly string[]): Promise<ProductRecord[]> {
    return this.database.run(tenantId, (manager) =>
      manager.query<ProductRecord[]>(
        `select ${PRODUCT_COLUMNS} from products where tenant_id = $1 and main_code = any($2) and is_active and deleted_at is null`,
        [tenantId, mainCodes],
      ),
    );
  }

  /** The products of these main codes that are not deleted. */
  async findCoded(tenantId: string, mainCodes: readonly string[]): Promise<ProductRecord[]> {
    return this.database.run(tenantId, (manager) => findCoded(manager, tenantId, mainCodes));
  }

  /**
   * Runs an import in one transaction: what `work` throws undoes all of it. After a conflict `work` runs once more from
   * its beginning. One line of the audit log stands for all its products.
   * @throws DomainError INVALID_STATE while another import keeps products of this one for too long, and what `work` throws
   */
  async import<Result extends ImportCounts>(tenant: TenantContext, now: Date, work: (catalogue: OpenCatalogue) => Promise<Result>): Promise<Result> {
    const { tenantId } = tenant;
    return this.database.run(tenantId, async (manager) => {
      const result = await work({
        find: (mainCodes) => refuseHeld(() => findCoded(manager, tenantId, mainCodes, 'for update')),
        write: ({ added, changed }) =>
          refuseHeld(async () => {
            await updateProducts(manager, tenantId, changed, now);
            const done = new Set(await insertProducts(manager, tenantId, added, now));
            return new Set(added.flatMap(({ main_code }) => (done.has(main_code) ? [] : [main_code])));
          }),
      });
      const { created, updated: changed, unchanged } = result;
      await this.audit.record(manager, tenant, { action: 'products.imported', detail: { created, changed, unchanged } }, now);
      return result;
    });
  }
}

/** What became of the rows of an import. */
export interface ImportCounts {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
}

/** The catalogue while an import writes to it, some of its products at a time. */
export interface OpenCatalogue {
  /** The products of these main codes that are not deleted, which nobody else changes until the import ends. */
  find(mainCodes: readonly string[]): Promise<readonly ProductRecord[]>;
  /** @returns the main codes not added, because somebody else has added them meanwhile: they are found now */
  write(products: Upsert): Promise<ReadonlySet<string>>;
}

export interface Upsert {
  readonly added: readonly StoredValues[];
  readonly changed: readonly StoredValues[];
}

/**
 * Runs a statement on one product. An import keeps its products locked until its end, and whoever waited for it would hold a
 * connection that other tenants need. What the transaction does besides waits as long as any other.
 * @throws DomainError INVALID_STATE while another request changes the product
 */
async function unlessHeld<T>(manager: EntityManager, statement: () => Promise<T>): Promise<T> {
  await waitShortly(manager);
  const result = await refuseHeld(statement);
  await manager.query('set local lock_timeout to default');
  return result;
}

/** In the order in which an import goes, so that two wait for each other instead of locking each other out. */
function findCoded(manager: EntityManager, tenantId: string, mainCodes: readonly string[], lock: '' | 'for update' = ''): Promise<ProductRecord[]> {
  return manager.query<ProductRecord[]>(
    `select ${PRODUCT_COLUMNS} from products where tenant_id = $1 and main_code = any($2) and deleted_at is null order by main_code collate "C" ${lock}`,
    [tenantId, mainCodes],
  );
}

async function findProduct(manager: EntityManager, tenantId: string, id: string, lock: '' | 'for update' = ''): Promise<ProductRecord | null> {
  const [row] = await manager.query<ProductRecord[]>(
    `select ${PRODUCT_COLUMNS} from products where tenant_id = $1 and id = $2 and deleted_at is null ${lock}`,
    [tenantId, id],
  );
  return row ?? null;
}

/** @returns the main codes that were free */
async function insertProducts(manager: EntityManager, tenantId: string, products: readonly StoredValues[], now: Date): Promise<string[]> {
  if (products.length === 0) return [];
  const rows = await manager.query<{ main_code: string }[]>(
    `insert into products (tenant_id, id, ${WRITABLE.join(', ')}, created_at, updated_at)
     select $1, p.id, ${WRITABLE.map((column) => `p.${column}`).join(', ')}, $2, $2 from jsonb_to_recordset($3) as ${RECORD} order by p.main_code collate "C"
     on conflict (tenant_id, main_code) where deleted_at is null do nothing returning main_code`,
    [tenantId, now, asRecords(products)],
  );
  return rows.map(({ main_code }) => main_code);
}

async function updateProducts(manager: EntityManager, tenantId: string, products: readonly StoredValues[], now: Date): Promise<void> {
  if (products.length === 0) return;
  await manager.query(
    `update products set ${WRITABLE.map((column) => `${column} = p.${column}`).join(', ')}, updated_at = $2
     from jsonb_to_recordset($3) as ${RECORD} where products.tenant_id = $1 and products.id = p.id`,
    [tenantId, now, asRecords(products)],
  );
}

const asRecords = (products: readonly StoredValues[]): string =>
  JSON.stringify(products.map((product) => ({ ...product, search_text: searchForm([product.main_code, product.aux_code ?? '', product.name].join('\n')) })));

function required<Row>(row: Row | null): Row {
  if (row === null) throw new Error('an insert left no row');
  return row;
}
