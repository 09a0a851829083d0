import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { issueBySql, type SeededTenant, seedTenant } from '../support/seed.js';
import { serviceConnections } from '../support/service-connections.js';

const BACKLOG = 25_000;
/** Pages of tables and indexes that may be looked at for one row of a part, to find it and to change it, past what was changed before. */
const PAGES_OF_ONE = 100;

/**
 * PostgreSQL plans by what it found in its tables when it last looked at them: on a day
 * on which nothing waited. Who sets a backlog going later works through it in parts,
 * and for each row of a part looks at a few pages all the same.
 */
describe('with statistics of a day on which nothing waits', () => {
  let database: TestDatabase;
  let service: DataSource;
  let tenant: SeededTenant;

  beforeAll(async () => {
    database = await createTestDatabase();
    service = await serviceConnections(database.url, 'api', 1);
    for (let others = 0; others < 6; others += 1) {
      const other = await withWebhook();
      await issueBySql(service, other);
      await addEvents(other, 5);
      await pause(other);
    }
    await database.query(`update webhook_deliveries set status = 'delivered', finished_at = now(), next_attempt_at = null`);
    await database.query('delete from webhook_work');
    const tables = await database.query<{ name: string }>('select tablename as name from pg_tables where schemaname = $1', ['sello']);
    // By itself the server would look again meanwhile.
    for (const { name } of tables) await database.query(`alter table ${name} set (autovacuum_enabled = false)`);
    await database.query('vacuum analyze');
    tenant = await withWebhook();
  });
  afterAll(async () => {
    await service.destroy();
    await database.drop();
  });

  async function withWebhook(): Promise<SeededTenant> {
    const seed = await seedTenant(database);
    await database.query(`insert into webhooks (tenant_id, id, url, is_active, created_at, updated_at) values ($1, $1, 'https://receiver.example/', true, now(), now())`, [seed.tenantId]);
    return seed;
  }
  const addEvents = ({ tenantId }: SeededTenant, count: number): Promise<unknown> =>
    database.query(`insert into events (tenant_id, id, type, created_at, data) select $1, gen_random_uuid(), 'sequence.low', now(), '{"sequence": {}}' from generate_series(1, $2::integer)`, [tenantId, count]);
  /** One that has ended. */
  async function pause({ tenantId, issuerId }: SeededTenant): Promise<string> {
    const id = randomUUID();
    await database.query(`insert into issuing_pauses (tenant_id, id, scope, issuer_id, code, document_id, created_at, resumed_at) values ($1, $2, 'issuer', $3, '57', $2, now(), now())`, [tenantId, id, issuerId]);
    return id;
  }
  /** Documents of which nothing but their work is there. */
  const addWork = (step: string, dueAt: string, isAhead: boolean): Promise<unknown> =>
    database.query(
      `insert into outbox (tenant_id, document_id, step, due_at, announcements, issuer_id, establishment_id, emission_point_id, document_type, sequential, unsent, ahead)
       select $1, gen_random_uuid(), $5, ${dueAt}, 1, $2, $3, $4, '01', n, true, $6 from generate_series(1, $7::integer) n`,
      [tenant.tenantId, tenant.issuerId, tenant.establishmentId, tenant.emissionPointId, step, isAhead, BACKLOG],
    );

  async function pagesLookedAt(): Promise<number> {
    await database.counted();
    await service.query('select pg_stat_force_next_flush()');
    const [row] = await service.query<{ pages: number }[]>(
      'select sum(coalesce(heap_blks_hit, 0) + coalesce(heap_blks_read, 0) + coalesce(idx_blks_hit, 0) + coalesce(idx_blks_read, 0))::integer as pages from pg_statio_user_tables');
    return row!.pages;
  }

  /** Works through the backlog, a part a call, until none is left. @returns what each call did, and the pages it looked at for each row */
  async function inParts(sql: string, parameters: readonly unknown[]): Promise<{ done: number[]; most: number }> {
    const done: number[] = [];
    let most = 0;
    do {
      const before = await pagesLookedAt();
      const [row] = await service.query<{ done: number }[]>(sql, [...parameters]);
      done.push(row!.done);
      if (row!.done > 0) most = Math.max(most, ((await pagesLookedAt()) - before) / row!.done);
    } while (done.at(-1)! > 0);
    return { done, most };
  }
  const parts = (size: number, count = BACKLOG): number[] => [...Array.from({ length: Math.floor(count / size) }, () => size), ...(count % size === 0 ? [] : [count % size]), 0];

  it('who resumes a pause wakes what waits', async () => {
    await addWork('submit', `now() + interval '9 minutes'`, true);
    const { done, most } = await inParts('select wake_resumed($1, $2, now(), 10000) as done', [tenant.tenantId, await pause(tenant)]);
    expect(done).toEqual(parts(10_000));
    expect(most).toBeLessThan(PAGES_OF_ONE);
    await database.query('delete from outbox');
  });

  it('the worker wakes what a certificate was missing for', async () => {
    await addWork('prepare', `'infinity'`, false);
    const { done, most } = await inParts('select wake_parked_going_round(now(), 5000) as done', []);
    expect(done).toEqual(parts(5_000));
    expect(most).toBeLessThan(PAGES_OF_ONE);
    await database.query('delete from outbox');
  });

  it('the worker adds up what an outage of ours left to count, within the time that a statement may take', async () => {
    // Planned for good while there is nothing.
    for (let time = 1; time <= 8; time += 1) await service.query('select fold_document_counts(5000)');
    await database.query(
      `insert into document_count_changes (tenant_id, created_on, issue_date, issuer_id, document_type, resting_status, change)
       select $1, current_date, current_date, $2, '01', 'AUTHORIZED', 1 from generate_series(1, $3::integer)`,
      [tenant.tenantId, tenant.issuerId, BACKLOG],
    );
    expect(await service.query('select fold_document_counts($1) as folded', [BACKLOG])).toEqual([{ folded: BACKLOG }]);
  });

  describe('whose webhook was off', () => {
    beforeAll(async () => {
      await addEvents(tenant, BACKLOG);
      await database.query('update webhook_deliveries set next_attempt_at = null where tenant_id = $1', [tenant.tenantId]);
      await database.query(`update webhook_work set due_at = now() + interval '3 days' where tenant_id = $1`, [tenant.tenantId]);
    });

    it('who switches it on resumes what was set aside', async () => {
      const { done, most } = await inParts('select resume_some_deliveries($1, $1, now(), 2000) as done', [tenant.tenantId]);
      expect(done).toEqual(parts(2_000));
      expect(most).toBeLessThan(PAGES_OF_ONE);
    });

    it('who replays a time finds each delivery by itself', async () => {
      const before = await pagesLookedAt();
      const [row] = await service.query<{ replayed: number }[]>(
        `select replay_events($1, $1, now() - interval '1 hour', now() + interval '1 hour', null, now(), 1000) as replayed`, [tenant.tenantId]);
      expect(row).toEqual({ replayed: 1_001 });
      // The events of the hour are sorted once.
      expect(((await pagesLookedAt()) - before - 2 * BACKLOG) / 1_001).toBeLessThan(PAGES_OF_ONE);
    });
  });
});
