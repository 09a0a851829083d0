import { DataSource } from 'typeorm';
import { serviceDataSourceOptions } from '../../src/platform/database/connection.js';
import { TenantTransaction } from '../../src/platform/database/tenant-transaction.js';
import { DueWork } from '../../src/platform/outbox/due-work.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { issueBySql, type SeededTenant, seedTenant } from '../support/seed.js';

const PATIENCE_MS = 5_000;

describe('turns between tenants', () => {
  let database: TestDatabase;
  let service: DataSource;
  let work: DueWork;
  let hoarder: SeededTenant;
  let others: SeededTenant[];
  const later = (seconds: number): Date => new Date(Date.now() + seconds * 1_000);

  beforeAll(async () => {
    database = await createTestDatabase();
    service = await new DataSource(serviceDataSourceOptions(database.url, 5)).initialize();
    work = new DueWork(new TenantTransaction(service));
    hoarder = await seedTenant(database);
    others = [await seedTenant(database), await seedTenant(database)];
    for (let i = 0; i < 60; i += 1) await issueBySql(service, hoarder);
    for (const other of others) for (let i = 0; i < 5; i += 1) await issueBySql(service, other);
  });
  afterAll(async () => {
    await service.destroy();
    await database.drop();
  });

  it('a backlog of one tenant leaves the others their share, although it is older', async () => {
    const announced = await work.announce(later(60), PATIENCE_MS, 20);
    const shares = [hoarder, ...others].map(({ tenantId }) => announced.filter((row) => row.tenantId === tenantId).length);
    expect(shares).toEqual([10, 5, 5]);
  });

  it('a row is announced once until patience ends, also to relays that look at the same time', async () => {
    const at = later(120);
    const [one, two] = await Promise.all([work.announce(at, PATIENCE_MS, 15), work.announce(at, PATIENCE_MS, 15)]);
    const ids = [...one, ...two].map((row) => row.documentId);
    expect(new Set(ids).size).toBe(ids.length);
    const rest = await work.announce(at, PATIENCE_MS, 1_000);
    expect(rest.filter((row) => ids.includes(row.documentId))).toEqual([]);
    expect(ids.length + rest.length).toBe(70);
    expect(await work.announce(at, PATIENCE_MS, 1_000)).toEqual([]);
  });

  it('submissions of a paused scope are neither announced nor claimed until it is resumed; other work goes on', async () => {
    const [tenant] = others;
    if (!tenant) throw new Error('no tenant');
    const at = later(300);
    await database.query(`update outbox set step = 'submit', unsent = false, announced_at = null where tenant_id = $1`, [tenant.tenantId]);
    const [row] = await database.query<{ document_id: string; issuer_id: string; establishment_id: string; emission_point_id: string }>('select * from outbox where tenant_id = $1 limit 1', [tenant.tenantId]);
    if (!row) throw new Error('no row');
    const waitingOf = async (): Promise<number> => {
      await database.query('update outbox set announced_at = null');
      return (await work.announce(at, PATIENCE_MS, 1_000)).filter(({ tenantId }) => tenantId === tenant.tenantId).length;
    };
    const scopes: [string, string | null, string | null, string | null, number][] = [
      ['issuer', null, null, null, 0],
      ['establishment', row.establishment_id, null, null, 0],
      ['document_type', null, null, '01', 0],
      ['document_type', null, null, '07', 5],
      ['emission_point', row.establishment_id, row.emission_point_id, '01', 0],
    ];
    for (const [scope, establishment, point, type, expected] of scopes) {
      await database.query(
        `insert into issuing_pauses (tenant_id, id, scope, issuer_id, establishment_id, emission_point_id, document_type, code, document_id, created_at)
         values ($1, gen_random_uuid(), $2, $3, $4, $5, $6, '57', $7, now())`,
        [tenant.tenantId, scope, row.issuer_id, establishment, point, type, row.document_id]);
      expect([scope, type, await waitingOf()]).toEqual([scope, type, expected]);
      const claim = await work.claim(tenant.tenantId, row.document_id, '00000000-0000-4000-8000-000000000001', at, 1);
      expect(claim === null).toBe(expected === 0);
      await database.query('update issuing_pauses set resumed_at = now()');
    }
    expect(await waitingOf()).toBeGreaterThanOrEqual(4);
  });
});
