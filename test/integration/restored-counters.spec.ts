import type { DataSource } from 'typeorm';
import { beginNewLife } from '../../src/platform/database/backup/new-life.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { issueBySql, type SeededTenant, seedTenant } from '../support/seed.js';
import { serviceConnections } from '../support/service-connections.js';

const NOW = new Date('2026-11-27T12:00:00Z');

describe('numbers that a restore leaves out', () => {
  let database: TestDatabase;
  let service: DataSource;
  let lives = 0;

  beforeAll(async () => {
    database = await createTestDatabase();
    service = await serviceConnections(database.url, 'api', 1);
    await database.query(`insert into deployment (environment) values ('TEST')`);
  });
  afterAll(async () => {
    await service.destroy();
    await database.drop();
  });
  beforeEach(() => database.query(`update documents set created_at = now() - interval '1 year', updated_at = now() - interval '1 year', first_sent_at = null`));

  /** A point that issued so many documents that long before the restored point. */
  async function pointWith(...issued: readonly [count: number, before: string][]): Promise<SeededTenant> {
    const seed = await seedTenant(database);
    await issueBySql(service, seed);
    await database.query(`update documents set created_at = now() - interval '1 year', updated_at = now() - interval '1 year' where tenant_id = $1`, [seed.tenantId]);
    let number = 2;
    for (const [count, before] of issued) {
      await database.query(
        `set local session_replication_role = replica;
         insert into documents select (jsonb_populate_record(one, jsonb_build_object('id', gen_random_uuid(), 'sequential', n, 'access_key', lpad(n::text, 49, '0'),
           'created_at', timestamptz '${NOW.toISOString()}' - interval '${before}'))).*
         from (select d as one from documents d where tenant_id = '${seed.tenantId}' limit 1) first, generate_series(${number}, ${number + count - 1}) n`);
      number += count;
    }
    return seed;
  }

  async function leftOut({ emissionPointId }: SeededTenant, hoursLost: number): Promise<number> {
    lives += 1;
    const { raised } = await beginNewLife(database.ownerUrl, {
      lineage: lives.toString(16).padStart(8, '0'), documentTypes: ['01'], skip: 1_000, reason: 'restored', now: new Date(NOW.getTime() + hoursLost * 3_600_000), whileServed: true, isFilled: true, webhooksHeld: null,
    });
    const one = raised.find(({ emission_point_id }) => emission_point_id === emissionPointId);
    return one === undefined ? 0 : one.to_number - one.from_number + 1;
  }

  it('are a thousand where little was issued', async () => {
    expect(await leftOut(await pointWith([10, '1 minute']), 12)).toBe(1_000);
  });

  it('are ten times what was issued in as long a time, at least a day', async () => {
    expect(await leftOut(await pointWith([200, '1 minute'], [50, '2 days']), 12)).toBe(2_000);
    expect(await leftOut(await pointWith([200, '1 minute'], [50, '2 days']), 72)).toBe(2_500);
  });

  it('are twice the month’s, however quiet the day before was: what was lost may be the day of the month on which all is issued', async () => {
    expect(await leftOut(await pointWith([3_000, '30 days'], [10, '1 minute']), 12)).toBe(6_020);
  });

  it.each(['first_sent_at', 'updated_at'])('count what was issued of drafts that were written long before (%s)', async (numbered) => {
    const { tenantId, ...seed } = await pointWith([300, '60 days'], [10, '1 minute']);
    await database.query(`update documents set ${numbered} = timestamptz '${NOW.toISOString()}' - interval '1 minute' where tenant_id = $1 and sequential between 2 and 301`, [tenantId]);
    expect(await leftOut({ tenantId, ...seed }, 12)).toBe(3_100);
  });
});
