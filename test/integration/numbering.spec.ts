import { readFileSync } from 'node:fs';
import type { DataSource } from 'typeorm';
import { SequencesRepository } from '../../src/modules/issuers/persistence/sequences.repository.js';
import { SystemClock } from '../../src/platform/adapters/system-clock.js';
import { AuditTrail } from '../../src/platform/audit/audit-trail.js';
import { OWN_SQL_STATE } from '../../src/platform/database/own-sql-state.js';
import { sqlState } from '../../src/platform/database/sql-error.js';
import { TenantTransaction } from '../../src/platform/database/tenant-transaction.js';
import { buildAccessKey, checkDigit } from '../../src/sri/access-key.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { inTransaction } from '../support/held-transaction.js';
import { issueBySql, type SeededTenant, seedTenant } from '../support/seed.js';
import { serviceConnections } from '../support/service-connections.js';

describe('taking a number', () => {
  let database: TestDatabase;
  let service: DataSource;

  beforeAll(async () => {
    database = await createTestDatabase();
    service = await serviceConnections(database.url, 'api', 20);
  });
  afterAll(async () => {
    await service.destroy();
    await database.drop();
  });

  const countersOf = (seed: SeededTenant): Promise<{ last_value: number }[]> =>
    database.query('select last_value from sequence_counters where tenant_id = $1', [seed.tenantId]);
  const refusal = async (attempt: Promise<unknown>): Promise<string | null> =>
    attempt.then(() => 'accepted', (error: unknown) => sqlState(error));

  it('computes the same access key in SQL as in the kernel', async () => {
    const parts = { documentType: '01', ruc: '1790012345001', environment: '1', establishment: '001', emissionPoint: '002', numericCode: '00000000' } as const;
    for (let sequential = 1; sequential <= 300; sequential += 1) {
      const numericCode = String((sequential * 7_919_317) % 100_000_000).padStart(8, '0');
      const expected = buildAccessKey({ ...parts, issueDate: '2026-02-28', sequential, numericCode });
      const [row] = await service.query<{ key: string }[]>(
        `select build_access_key('2026-02-28', '01', '1790012345001', 'TEST', '001', '002', $1, $2) as key`,
        [sequential, numericCode],
      );
      expect(row?.key).toBe(expected);
    }
    const [digit] = await service.query<{ d: number }[]>('select access_key_check_digit($1) as d', ['41261533']);
    expect(digit?.d).toBe(checkDigit('41261533'));
  });

  it('gives 200 parallel calls on one emission point 200 consecutive numbers', async () => {
    const seed = await seedTenant(database, { initialSequential: 41 });
    const issued = await Promise.all(Array.from({ length: 200 }, () => issueBySql(service, seed)));
    const numbers = issued.map((row) => Number(row.response.access_key.slice(30, 39))).sort((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 200 }, (_, index) => 41 + index));
    expect(new Set(issued.map((row) => row.response.access_key)).size).toBe(200);
  });

  it('is explained without reading the documents that have one, and so is what waits for a person', async () => {
    const seed = await seedTenant(database);
    const { document_id: id } = (await issueBySql(service, seed)).response;
    const { document_id: others } = (await issueBySql(service, await seedTenant(database, { ruc: '0992345678001' }))).response;
    await inTransaction(database, async (owner) => {
      // Past the triggers that see to it that documents begin with a number. The first and every tenth number from 3,000 on are missing.
      await owner.query('set local session_replication_role = replica');
      // Or vacuum finds nothing that all may see yet, and an index alone does not do.
      await owner.query('set local synchronous_commit = on');
      await owner.query(
        `insert into documents select (jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid(), 'sequential', n, 'access_key', lpad(n::text, 49, '0'),
           'status', s, 'resting_status', s))).*
         from documents d cross join generate_series(2, 3100) n cross join lateral (select case n when 700 then 'REJECTED' when 800 then 'MANUAL_REVIEW_REQUIRED' else 'AUTHORIZED' end as s) made
         where d.id = $1 and (n < 3000 or n % 10 <> 0)`, [id]);
      await owner.query('delete from documents where id = $1', [id]);
      await owner.query(
        `insert into documents select (jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid(), 'sequential', n, 'access_key', lpad(n::text, 49, '0'),
           'status', 'AUTHORIZED', 'resting_status', 'AUTHORIZED'))).*
         from documents d cross join generate_series(2, 9000) n where d.id = $1`, [others]);
      await owner.query('update sequence_counters set last_value = 3100 where tenant_id = $1', [seed.tenantId]);
      await owner.query('commit');
    });
    await database.query('vacuum analyze documents');
    // What it reads is told by the connection that reads.
    const own = await serviceConnections(database.url, 'api', 1);
    const read = async (): Promise<number> => {
      await own.query('select pg_stat_force_next_flush()');
      const [row] = await own.query<{ read: string }[]>(`select seq_tup_read + idx_tup_fetch as read from pg_stat_user_tables where relid = 'sello.documents'::regclass`);
      return Number(row?.read);
    };
    await database.counted();
    const before = await read();
    const context = { tenantId: seed.tenantId, principal: { kind: 'api_key', id: seed.apiKeyId }, environment: 'TEST' } as const;
    const transaction = new TenantTransaction(own);
    const gaps = await new SequencesRepository(transaction, new AuditTrail(transaction, new SystemClock())).gaps(context, { emissionPointId: seed.emissionPointId, documentType: '01' }, 3, 0);
    expect(gaps?.total).toBe(13);
    expect((await read()) - before).toBeLessThan(200);
    expect(gaps?.rows.map(({ from_number, to_number, kind }) => [from_number, to_number, kind])).toEqual([[1, 1, 'unexplained'], [700, 700, 'not_authorized'], [3_000, 3_000, 'unexplained']]);
    await own.destroy();
    const waiting = /select tenant_id, id, [^;]*resting_status[^;]*;/.exec(readFileSync('docs/operating.md', 'utf8'))![0];
    expect(JSON.stringify(await database.query(`explain ${waiting}`))).toContain('documents_set_aside');
    expect(await database.query(waiting)).toMatchObject([{ resting_status: 'MANUAL_REVIEW_REQUIRED' }]);
  });

  it('counts per document type', async () => {
    const seed = await seedTenant(database);
    const first = await issueBySql(service, seed);
    const other = await issueBySql(service, seed, { documentType: '04' });
    expect([first, other].map((row) => row.response.access_key.slice(30, 39))).toEqual(['000000001', '000000001']);
  });

  it('creates one document for 50 parallel calls with one idempotency key and answers all alike', async () => {
    const seed = await seedTenant(database);
    const answers = await Promise.all(Array.from({ length: 50 }, () => issueBySql(service, seed, { idempotencyKey: 'order-1' })));
    expect(new Set(answers.map((row) => JSON.stringify(row.response))).size).toBe(1);
    expect(answers.filter((row) => row.outcome === 'accepted')).toHaveLength(1);
    expect(await database.query('select id from documents where tenant_id = $1', [seed.tenantId])).toHaveLength(1);
    expect(await countersOf(seed)).toEqual([{ last_value: 1 }]);
  });

  it('shows the first fingerprint to a caller that comes with other content', async () => {
    const seed = await seedTenant(database);
    await issueBySql(service, seed, { idempotencyKey: 'k', fingerprint: 'v1:first' });
    const second = await issueBySql(service, seed, { idempotencyKey: 'k', fingerprint: 'v1:second' });
    expect([second.outcome, second.fingerprint]).toEqual(['replayed', 'v1:first']);
  });

  it('lets exactly one of many take the last number, then refuses', async () => {
    const seed = await seedTenant(database, { initialSequential: 999_999_999 });
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => refusal(issueBySql(service, seed))));
    expect(outcomes.sort()).toEqual([...Array<string>(9).fill(OWN_SQL_STATE.sequenceExhausted), 'accepted']);
    expect(await countersOf(seed)).toEqual([{ last_value: 999_999_999 }]);
  });

  it.each([
    ['a revoked key', OWN_SQL_STATE.credentialEnded, 'update api_keys set revoked_at = now() where tenant_id = $1'],
    ['a switched-off issuer', OWN_SQL_STATE.issuerDisabled, 'update issuers set is_active = false where tenant_id = $1'],
    ['a disabled issuer', OWN_SQL_STATE.issuerDisabled, 'update issuers set disabled_at = now() where tenant_id = $1'],
    ['an expired certificate', OWN_SQL_STATE.certificateExpired, `update certificates set valid_to = now() - interval '1 second' where tenant_id = $1`],
    ['a revoked certificate', OWN_SQL_STATE.certificateMissing, 'update certificates set is_active = false, revoked_at = now() where tenant_id = $1'],
    ['an inactive emission point', OWN_SQL_STATE.emissionPointGone, 'update emission_points set is_active = false where tenant_id = $1'],
  ])('refuses %s at the last look and consumes neither number nor key', async (_name, state, change) => {
    const seed = await seedTenant(database);
    await database.query(change, [seed.tenantId]);
    expect(await refusal(issueBySql(service, seed, { idempotencyKey: 'k' }))).toBe(state);
    expect(await countersOf(seed)).toEqual([]);
    expect(await database.query('select key from idempotency_keys where tenant_id = $1', [seed.tenantId])).toEqual([]);
    expect(await database.query('select id from documents where tenant_id = $1', [seed.tenantId])).toEqual([]);
  });
});
