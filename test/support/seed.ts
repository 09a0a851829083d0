import { randomBytes, randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import type { TestDatabase } from './database.js';

/** Ids of a tenant that is able to issue, written straight into the tables. */
export interface SeededTenant {
  readonly tenantId: string;
  readonly apiKeyId: string;
  readonly issuerId: string;
  readonly establishmentId: string;
  readonly emissionPointId: string;
  readonly certificateId: string;
  readonly ruc: string;
}

export async function seedTenant(database: TestDatabase, options: { initialSequential?: number; ruc?: string } = {}): Promise<SeededTenant> {
  const ids = {
    tenantId: randomUUID(), apiKeyId: randomUUID(), issuerId: randomUUID(), establishmentId: randomUUID(),
    emissionPointId: randomUUID(), certificateId: randomUUID(), ruc: options.ruc ?? '1790012345001',
  };
  const { tenantId } = ids;
  await database.query('insert into tenants (id, name, created_at) values ($1, $2, now())', [tenantId, 'Tenant']);
  await database.query(
    `insert into api_keys (tenant_id, id, name, prefix, key_hash, environment, created_at) values ($1, $2, 'key', 'svc_test_', $3, 'TEST', now())`,
    [tenantId, ids.apiKeyId, randomBytes(32)],
  );
  await database.query(
    `insert into issuers (tenant_id, id, ruc, razon_social, direccion_matriz, obligado_contabilidad, created_at, updated_at)
     values ($1, $2, $3, 'Emisor', 'Quito', true, now(), now())`,
    [tenantId, ids.issuerId, ids.ruc],
  );
  await database.query(
    `insert into establishments (tenant_id, id, issuer_id, code, address, created_at, updated_at) values ($1, $2, $3, '001', 'Quito', now(), now())`,
    [tenantId, ids.establishmentId, ids.issuerId],
  );
  await database.query(
    `insert into emission_points (tenant_id, id, establishment_id, code, initial_sequential, created_at, updated_at)
     values ($1, $2, $3, '002', $4, now(), now())`,
    [tenantId, ids.emissionPointId, ids.establishmentId, options.initialSequential ?? 1],
  );
  await database.query(
    `insert into certificates (tenant_id, id, issuer_id, subject, issuer_name, serial_number, ruc, valid_from, valid_to, fingerprint_sha256,
       certificate_der, sealed_key, is_active, created_at)
     values ($1, $2, $3, 'CN=Emisor', 'CN=CA', '1', $4, now() - interval '1 day', now() + interval '1 year', $5, $6, $6, true, now())`,
    [tenantId, ids.certificateId, ids.issuerId, ids.ruc, randomUUID(), Buffer.from('x')],
  );
  return ids;
}

export interface IssueRow {
  outcome: string;
  fingerprint: string;
  operation: string;
  response: { document_id: string; status: string; access_key: string };
}

/** Calls the SQL function as the service does, with a minimal invoice. */
export async function issueBySql(
  dataSource: DataSource,
  seed: SeededTenant,
  options: { idempotencyKey?: string; fingerprint?: string; documentType?: string; total?: string } = {},
): Promise<IssueRow> {
  const header = {
    issuer_id: seed.issuerId, establishment_id: seed.establishmentId, emission_point_id: seed.emissionPointId, sri_environment: 'TEST',
    document_type: options.documentType ?? '01', issue_date: '2026-08-25', subtotal: options.total ?? '100.00', total_discount: '0.00',
    total_tax: '0.00', total: options.total ?? '100.00',
  };
  const snapshot = { ruc: seed.ruc, establishmentCode: '001', emissionPointCode: '002' };
  const rows = await dataSource.query<IssueRow[]>('select * from issue_document($1, $2, $3, now(), $4, $5, $6, $7, $8, $9)', [
    seed.tenantId, seed.apiKeyId, randomUUID(), JSON.stringify(header), JSON.stringify({ numericCode: '12345678' }),
    JSON.stringify(snapshot), '[]', options.idempotencyKey ?? null, options.fingerprint ?? 'v1:a',
  ]);
  return rows[0]!;
}
