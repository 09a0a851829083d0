import pg from 'pg';
import type { DataSource } from 'typeorm';
import { ParkedDocumentsRepository } from '../../src/modules/documents/persistence/parked-documents.repository.js';
import { ParkedWaking } from '../../src/modules/documents/saga/parked-waking.js';
import { SystemClock } from '../../src/platform/adapters/system-clock.js';
import { TenantTransaction } from '../../src/platform/database/tenant-transaction.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { inTransaction } from '../support/held-transaction.js';
import { issueBySql, type SeededTenant, seedTenant } from '../support/seed.js';
import { serviceConnections } from '../support/service-connections.js';

/** More than are woken in two transactions. */
const PARKED = 12_000;
const AT_ONCE = 1_000;

describe('documents that are parked until there is a certificate', () => {
  let database: TestDatabase;
  let service: DataSource;
  let parked: ParkedDocumentsRepository;

  beforeAll(async () => {
    database = await createTestDatabase();
    service = await serviceConnections(database.url, 'worker', 2);
    parked = new ParkedDocumentsRepository(new TenantTransaction(service));
  });
  afterAll(async () => {
    await service.destroy();
    await database.drop();
  });
  afterEach(() => database.query('delete from outbox'));

  const certify = (seed: SeededTenant, isActive: boolean): Promise<unknown> =>
    database.query('update certificates set is_active = $2 where tenant_id = $1', [seed.tenantId, isActive]);
  const park = (seed: SeededTenant, count: number): Promise<unknown> =>
    database.query(
      `insert into outbox (tenant_id, document_id, step, due_at, announcements, issuer_id, establishment_id, emission_point_id, document_type, sequential, unsent)
       select $1, gen_random_uuid(), 'prepare', 'infinity', 1, $2, $3, $4, '01', n, true from generate_series($5::integer, 1, -1) n`,
      [seed.tenantId, seed.issuerId, seed.establishmentId, seed.emissionPointId, count],
    );
  /** How many documents of a tenant are due, and the highest number of those. */
  const due = async (seed: SeededTenant): Promise<unknown> =>
    (await database.query('select count(*)::integer as count, max(sequential) as highest from outbox where tenant_id = $1 and due_at <= now()', [seed.tenantId]))[0];

  it('are due when it is activated: of many the lowest numbers at once, and all others by the worker', async () => {
    const seed = await seedTenant(database);
    await certify(seed, false);
    await park(seed, PARKED);
    await certify(seed, true);
    expect(await due(seed)).toEqual({ count: AT_ONCE, highest: AT_ONCE });

    const woken: number[] = [];
    const counted = new (class extends ParkedDocumentsRepository {
      override async wake(...asked: Parameters<ParkedDocumentsRepository['wake']>): Promise<number> {
        woken.push(await super.wake(...asked));
        return woken.at(-1)!;
      }
    })(new TenantTransaction(service));
    let rested = 0;
    const worker = new ParkedWaking(counted, new SystemClock(), {
      sleep: (_ms, signal) => new Promise((_wake, end) => {
        rested += 1;
        signal?.addEventListener('abort', () => end(new Error('stopped')));
      }),
    });
    worker.onApplicationBootstrap();
    while (rested === 0) await new Promise(setImmediate);
    await worker.onApplicationShutdown();
    expect(woken).toEqual([5_000, 5_000, PARKED - AT_ONCE - 10_000]);
    expect(await due(seed)).toEqual({ count: PARKED, highest: PARKED });
  });

  it('are due with it also where the SRI is asked about them daily, however many other questions wait', async () => {
    const seed = await seedTenant(database);
    const issued = await issueBySql(service, seed);
    await certify(seed, false);
    await database.query(`update outbox set step = 'authorize', due_at = now() + interval '20 hours', unsent = false where document_id = $1`, [issued.response.document_id]);
    await inTransaction(database, async (owner) => {
      // Past the triggers that see to it that documents begin with a number.
      await owner.query('set local session_replication_role = replica');
      await owner.query(
        `insert into documents select (jsonb_populate_record(d, jsonb_build_object(
           'id', gen_random_uuid(), 'sequential', n + 1, 'access_key', lpad(n::text, 49, '0'), 'status', 'AUTHORIZATION_PENDING'))).*
         from documents d cross join generate_series(1, 12000) n where d.id = $1`, [issued.response.document_id]);
      await owner.query(
        `insert into outbox (tenant_id, document_id, step, due_at, announcements, issuer_id, establishment_id, emission_point_id, document_type, sequential, unsent)
         select d.tenant_id, d.id, 'authorize', now() + d.sequential * interval '0.1 second', 1, d.issuer_id, d.establishment_id, d.emission_point_id, d.document_type, d.sequential, false
         from documents d where d.tenant_id = $1 and d.status = 'AUTHORIZATION_PENDING'`, [seed.tenantId]);
      await owner.query('commit');
    });
    await database.query('analyze outbox, documents');
    const session = service.createQueryRunner();
    try {
      // What its transactions before read does not count.
      await session.query('select pg_stat_force_next_flush()');
      await session.startTransaction();
      await session.query(`select set_config('sello.tenant_id', $1, true)`, [seed.tenantId]);
      await session.query('update certificates set is_active = true where tenant_id = $1', [seed.tenantId]);
      const [{ read }] = (await session.query(
        `select sum(seq_tup_read + idx_tup_fetch)::integer as read from pg_stat_xact_user_tables where relname in ('outbox', 'documents')`,
      )) as [{ read: number }];
      expect(read).toBeLessThan(11_000);
      expect(await session.query(`select document_id, due_at <= now() as is_due from outbox where step = 'prepare'`)).toEqual([{ document_id: issued.response.document_id, is_due: true }]);
      await session.commitTransaction();
    } finally {
      await session.release();
    }
  });

  it('stay parked where there is none that can sign, and hold up nobody', async () => {
    const [without, expired, ready] = [await seedTenant(database), await seedTenant(database), await seedTenant(database)];
    await certify(without, false);
    for (const seed of [without, expired, ready]) await park(seed, 3);
    await database.query(`update certificates set valid_to = now() - interval '1 second' where tenant_id = $1`, [expired.tenantId]);
    expect(await parked.wake(new Date(), 100)).toBe(3);
    expect(await due(ready)).toMatchObject({ count: 3 });
    for (const seed of [without, expired]) expect(await due(seed)).toMatchObject({ count: 0 });
  });

  it('are woken the next time where somebody is deciding about one', async () => {
    const seed = await seedTenant(database);
    await park(seed, 3);
    const person = new pg.Client({ connectionString: database.ownerUrl, options: '-c search_path=sello' });
    await person.connect();
    try {
      await person.query('begin');
      await person.query('select 1 from outbox where tenant_id = $1 and sequential = 2 for update', [seed.tenantId]);
      expect(await parked.wake(new Date(), 100)).toBe(2);
      await person.query('commit');
      expect(await parked.wake(new Date(), 100)).toBe(1);
    } finally {
      await person.end();
    }
  });

  it('are found by themselves, however many others wait', async () => {
    const [seed, busy] = [await seedTenant(database), await seedTenant(database)];
    await park(seed, 10);
    await database.query(
      `insert into outbox (tenant_id, document_id, step, due_at, announcements, issuer_id, establishment_id, emission_point_id, document_type, sequential, unsent)
       select $1, gen_random_uuid(), 'submit', now() + interval '9 minutes', 1, $2, $3, $4, '01', n, true from generate_series(1, 20000) n`,
      [busy.tenantId, busy.issuerId, busy.establishmentId, busy.emissionPointId],
    );
    const session = service.createQueryRunner();
    try {
      const rowsRead = async (): Promise<number> => {
        const [{ read }] = (await session.query(
          `select (seq_tup_read + idx_tup_fetch)::integer as read from pg_stat_xact_user_tables where relname = 'outbox'`,
        )) as [{ read: number }];
        return read;
      };
      await session.startTransaction();
      const before = await rowsRead();
      expect(await session.query('select wake_parked_going_round(now(), 100) as woken')).toEqual([{ woken: 10 }]);
      expect((await rowsRead()) - before).toBeLessThan(100);
      await session.commitTransaction();
    } finally {
      await session.release();
    }
  });
});
