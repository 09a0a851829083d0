import type { DataSource } from 'typeorm';
import { TenantTransaction } from '../../src/platform/database/tenant-transaction.js';
import type { PlaceRow } from './memory-store.js';
import type { StoreSnapshot } from './snapshot.js';
import type { Call, Rows, Store } from './store.js';
import { type Ground, uuidAt } from './world.js';

/** Runs one statement as the owner of the schema, who sees every row. */
type OwnerQuery = <Row extends object>(sql: string, parameters?: unknown[]) => Promise<Row[]>;

/** The database's clock is months ahead of the history: a refusal is judged by when it was, not by how old it is. */
const withoutAge = (parameter: unknown): unknown => (typeof parameter === 'string' ? parameter.replace(/,"ageMs":\d+/, '') : parameter);

/** The real tables and functions, under the role and row security of the service. */
class PostgresStore implements Store {
  private readonly transaction: TenantTransaction;
  private readonly tenants: string[];

  constructor(
    dataSource: DataSource,
    private readonly owner: OwnerQuery,
    private readonly places: readonly PlaceRow[],
  ) {
    this.transaction = new TenantTransaction(dataSource);
    this.tenants = places.map(({ tenantId }) => tenantId);
  }

  execute({ kind, tenantId, sql, parameters: given }: Call): Promise<Rows> {
    const parameters = given.map(withoutAge);
    switch (kind) {
      case 'call': return this.transaction.call(tenantId ?? '', sql, parameters.slice(1));
      case 'without_tenant': return this.inOrder(this.transaction.withoutTenant(sql, parameters));
      case 'run': return this.transaction.run(tenantId ?? '', (manager) => manager.query<Record<string, unknown>[]>(sql, [...parameters]));
    }
  }

  /** PostgreSQL returns announced rows in any order; the history must not depend on it. */
  private async inOrder(rows: Promise<Rows>): Promise<Rows> {
    return [...(await rows)].sort((a, b) => String(a['document_id']).localeCompare(String(b['document_id'])));
  }

  async nextDue(now: number, patienceMs: number): Promise<number> {
    const [row] = await this.owner<{ later: Date | null; ready: boolean }>(
      `with work as (
         select greatest(o.due_at, o.announced_at + $2 * interval '1 millisecond' + interval '1 millisecond', o.lease_until + interval '1 millisecond') as at
         from outbox o where o.tenant_id = any ($3) and o.due_at < 'infinity')
       select min(at) filter (where at > $1) as later, coalesce(bool_or(at <= $1), false) as ready from work`,
      [new Date(now), patienceMs, this.tenants],
    );
    return Math.min(row?.later?.getTime() ?? Infinity, row?.ready ? now + 1_000 : Infinity);
  }

  async expireCertificate(tenantId: string, now: number): Promise<void> {
    await this.owner('update certificates set valid_to = $2 where tenant_id = $1 and is_active', [tenantId, new Date(now)]);
  }

  async uploadCertificate(tenantId: string, id: string, now: number): Promise<void> {
    const { issuerId, ruc } = this.places.find((place) => place.tenantId === tenantId)!;
    await this.owner('update certificates set is_active = false where tenant_id = $1', [tenantId]);
    await this.owner(
      `insert into certificates (tenant_id, id, issuer_id, subject, issuer_name, serial_number, ruc, valid_from, valid_to, fingerprint_sha256,
         certificate_der, sealed_key, is_active, created_at)
       values ($1, $2::uuid, $3, 'CN=Emisor', 'CN=CA', '1', $4, $5, $6, $2::text, '\\x00', '\\x00', true, $7)`,
      [tenantId, id, issuerId, ruc, new Date(now - 86_400_000), new Date(now + 365 * 86_400_000), new Date(now)],
    );
  }

  async resumePauses(now: number): Promise<void> {
    const open = await this.owner<{ tenant_id: string; issuer_id: string; id: string }>(
      'select tenant_id, issuer_id, id from issuing_pauses where tenant_id = any ($1) and resumed_at is null', [this.tenants],
    );
    for (const { tenant_id, issuer_id, id } of open) {
      await this.transaction.call(tenant_id, 'select from end_pause($1, $2, $3, $4)', [issuer_id, id, new Date(now)]);
      await this.transaction.call(tenant_id, 'select wake_resumed($1, $2, $3, 1000000)', [id, new Date(now)]);
      // A pause ends by the database's clock, which is months ahead of the history.
      await this.owner('update issuing_pauses set resumed_at = $2 where id = $1', [id, new Date(now)]);
    }
  }

  async snapshot(): Promise<StoreSnapshot> {
    const of = <Row extends object>(columns: string, table: string): Promise<Row[]> =>
      this.owner<Row>(`select ${columns} from ${table} where tenant_id = any ($1)`, [this.tenants]);
    return {
      documents: await of(
        'id, tenant_id, issuer_id, emission_point_id, document_type, sequential, access_key, status, version, idempotency_key, error_code, error_detail, total::text, authorization_number, signing_no, content_revision, buyer_name',
        'documents',
      ),
      counters: await of('emission_point_id, document_type, last_value', 'sequence_counters'),
      history: await of('document_id, version, from_status, trigger, to_status', 'document_history'),
      events: await of('document_id, document_version, type', 'events'),
      attempts: await of('document_id, service, finished_at', 'sri_attempts'),
      signed: await of('document_id, signing_no, digest, content_revision', 'signed_documents'),
      work: await of(`document_id, step, due_at = 'infinity' as parked`, 'outbox'),
      keys: await of('key, issuer_id, document_id', 'idempotency_keys'),
    };
  }
}

let grounds = 0;

/** Two new tenants in the database; due work of earlier histories is taken away, for it crosses tenants. */
export async function postgresGround(dataSource: DataSource, owner: OwnerQuery, start: number): Promise<Ground> {
  await owner('delete from outbox');
  const places: PlaceRow[] = [];
  grounds += 1;
  // The last eight digits are those of the places in memory.
  const idOf = (part: number): string => uuidAt(grounds * 2 ** 32 + part);
  for (const tenant of [1, 2]) {
    const id = (part: number): string => idOf(tenant * 100 + part);
    const place: PlaceRow = {
      tenantId: id(0), apiKeyId: id(1), issuerId: id(2), ruc: tenant === 1 ? '1790012345001' : '1790085783001', establishmentId: id(3),
      points: [{ id: id(4), code: '001', initialSequential: 1 }, { id: id(5), code: '002', initialSequential: 41 }],
    };
    const at = new Date(start);
    await owner('insert into tenants (id, name, created_at) values ($1, $2, $3)', [place.tenantId, 'Tenant', at]);
    await owner(
      `insert into api_keys (tenant_id, id, name, prefix, key_hash, environment, created_at) values ($1, $2, 'key', 'svc_test_', $3, 'TEST', $4)`,
      [place.tenantId, place.apiKeyId, Buffer.from(place.apiKeyId), at],
    );
    await owner(
      `insert into issuers (tenant_id, id, ruc, razon_social, direccion_matriz, obligado_contabilidad, default_payment_method, created_at, updated_at)
       values ($1, $2, $3, 'Emisor', 'Quito', true, '20', $4, $4)`,
      [place.tenantId, place.issuerId, place.ruc, at],
    );
    await owner(`insert into establishments (tenant_id, id, issuer_id, code, address, created_at, updated_at) values ($1, $2, $3, '001', 'Quito', $4, $4)`, [
      place.tenantId, place.establishmentId, place.issuerId, at,
    ]);
    for (const point of place.points) {
      await owner('insert into emission_points (tenant_id, id, establishment_id, code, initial_sequential, created_at, updated_at) values ($1, $2, $3, $4, $5, $6, $6)', [
        place.tenantId, point.id, place.establishmentId, point.code, point.initialSequential, at,
      ]);
    }
    places.push(place);
  }
  const store = new PostgresStore(dataSource, owner, places);
  for (const [index, { tenantId }] of places.entries()) await store.uploadCertificate(tenantId, idOf((index + 1) * 100 + 9), start);
  return { places, store };
}
