import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { pino } from 'pino';
import type { DataSource } from 'typeorm';
import { MailWorkRepository } from '../../src/modules/notifications/persistence/mail-work.repository.js';
import { DispatchRepository } from '../../src/modules/webhooks/persistence/dispatch.repository.js';
import { TenantTransaction } from '../../src/platform/database/tenant-transaction.js';
import { Figures } from '../../src/platform/observability/figures.js';
import { Meters } from '../../src/platform/observability/meters.js';
import { DueWork } from '../../src/platform/outbox/due-work.js';
import { StepGates } from '../../src/platform/outbox/step-gates.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { serviceConnections } from '../support/service-connections.js';

const BACKLOG = 50_000;
/** Rows of everybody that are read to find a dozen; a way through the backlog reads all of it. */
const A_FEW = 2_000;
/** Of three tenants, one has most of what waits, and the oldest of it. */
const TENANT = `('00000000-0000-4000-8000-00000000000' || (1 + (n > ${BACKLOG * 0.8})::integer + (n > ${BACKLOG * 0.9})::integer))::uuid`;
const DUE = `now() - interval '1 hour' + n * interval '10 ms'`;
const ROWS = `from generate_series(1, ${BACKLOG}) n`;

const QUEUES = [
  {
    table: 'outbox',
    fill: [
      `insert into outbox (tenant_id, document_id, step, due_at, ahead, issuer_id, establishment_id, emission_point_id, document_type, sequential, unsent)
       select ${TENANT}, gen_random_uuid(), 'prepare', ${DUE}, n % 100 > 0, ${TENANT}, ${TENANT}, ${TENANT}, '01', n, true ${ROWS}`,
    ],
    take: `select * from announce_going_round(now(), interval '5 seconds', 12, null, null)`,
  },
  {
    table: 'mail_outbox',
    fill: [`insert into mail_outbox (tenant_id, id, kind, due_at) select ${TENANT}, gen_random_uuid(), 'mail', ${DUE} ${ROWS}`],
    take: `select t ->> 'tenantId' as tenant_id from claim_mails_going_round(gen_random_uuid(), now(), interval '1 minute', 4, null), jsonb_array_elements(taken) t`,
  },
  {
    table: 'webhook_work',
    fill: [
      `insert into webhook_work (tenant_id, webhook_id, delivery_id, due_at) select ${TENANT}, ${TENANT}, gen_random_uuid(), ${DUE} ${ROWS}`,
      `insert into webhooks (tenant_id, id, url, is_active, created_at, updated_at)
       select ${TENANT}, ${TENANT}, 'https://receiver.example/', true, now(), now() from unnest(array[1, ${BACKLOG * 0.85}, ${BACKLOG}]) n`,
    ],
    take: `select t ->> 'tenantId' as tenant_id from claim_deliveries_going_round(gen_random_uuid(), now(), interval '1 minute', 16, 4, 4, null), jsonb_array_elements(taken) t`,
  },
];

describe('taking from a queue in which one tenant has a long backlog', () => {
  let database: TestDatabase;
  let owner: pg.Client;

  beforeAll(async () => {
    database = await createTestDatabase();
    owner = new pg.Client({ connectionString: database.ownerUrl, options: '-c search_path=sello,public -c session_replication_role=replica' });
    await owner.connect();
    // While anybody looks at the database as it was, as autovacuum may, entries of rows that have changed since are read as well:
    // these tables are left alone, and as it may look at PostgreSQL's own ones, nothing is changed before reads are counted.
    const { rows } = await owner.query<{ name: string }>(`select oid::regclass as name from pg_class where relkind = 'r' and relnamespace = 'sello'::regnamespace`);
    for (const { name } of rows) await owner.query(`alter table ${name} set (autovacuum_enabled = off)`);
  });
  afterAll(async () => {
    await owner.end();
    await database.drop();
  });

  /** Takes what is due and puts it back: of how many tenants, how many rows, and how many were read for that. */
  async function taken(table: string, take: string): Promise<{ tenants: number; rows: number; read: number }> {
    await owner.query('begin');
    const before = await readOf(table);
    const { rows } = await owner.query<{ tenant_id: string }>(take);
    const read = (await readOf(table)) - before;
    await owner.query('rollback');
    return { tenants: new Set(rows.map(({ tenant_id }) => tenant_id)).size, rows: rows.length, read };
  }

  /** Entries of its indexes and rows without one, by this connection, since it last told PostgreSQL of them. */
  async function readOf(table: string): Promise<number> {
    const { rows } = await owner.query<{ read: string }>(
      `select t.seq_tup_read + (select sum(pg_stat_get_xact_tuples_returned(i.indexrelid)) from pg_index i where i.indrelid = t.relid) as read
       from pg_stat_xact_user_tables t where t.relid = $1::regclass`, [table]);
    return Number(rows[0]?.read);
  }

  it.each(QUEUES)('reads a few rows of $table, also once PostgreSQL knows what the table holds', async ({ table, fill, take }) => {
    for (const statement of fill) await owner.query(statement);
    await owner.query(`analyze ${table}`);
    // The sixth time and later PostgreSQL may use a plan for whatever is asked.
    for (let time = 1; time < 8; time += 1) await taken(table, take);
    const { tenants, rows, read } = await taken(table, take);
    expect(tenants).toBeGreaterThan(1);
    expect(read).toBeGreaterThan(rows);
    expect(read).toBeLessThan(A_FEW);
  });

  it('reads a few rows of the work that may be begun beside a backlog of a step that may not', async () => {
    await owner.query('truncate outbox');
    const insert = 'insert into outbox (tenant_id, document_id, step, due_at, issuer_id, establishment_id, emission_point_id, document_type, sequential, unsent)';
    await owner.query(`${insert} select ${TENANT}, gen_random_uuid(), 'authorize', ${DUE}, ${TENANT}, ${TENANT}, ${TENANT}, '01', n, false ${ROWS}`);
    await owner.query(`${insert} select ${TENANT}, gen_random_uuid(), 'submit', ${DUE}, ${TENANT}, ${TENANT}, ${TENANT}, '01', n, true from unnest(array[20000, 42000, 49000]) n`);
    await owner.query('analyze outbox');
    const takes = [0, 1].map((capacity) => `select * from announce_going_round(now(), interval '5 seconds', 12, '{"authorize": ${capacity}}', null)`);
    for (const [probes, take] of takes.entries()) {
      for (let time = 1; time < 8; time += 1) await taken('outbox', take);
      const { rows, read } = await taken('outbox', take);
      expect(rows).toBe(3 + probes);
      expect(read).toBeLessThan(A_FEW);
    }
  });

  it('is told to read past rows of finished work: how many PostgreSQL has not cleared', async () => {
    await owner.query('truncate mail_outbox');
    await owner.query('select pg_stat_force_next_flush()');
    await owner.query('vacuum mail_outbox');
    await owner.query(`insert into mail_outbox (tenant_id, id, kind, due_at) select ${TENANT}, gen_random_uuid(), 'mail', ${DUE} from generate_series(1, 300) n`);
    await owner.query('delete from mail_outbox');
    await owner.query('select pg_stat_force_next_flush()');
    const service = await serviceConnections(database.url, 'api', 1);
    const meters = new Meters();
    // However long PostgreSQL takes to tell.
    const endless = { sleep: () => new Promise<void>(() => undefined) };
    new Figures(new TenantTransaction(service), meters, new StepGates(), { now: () => new Date() }, endless, pino({ level: 'silent' }));
    const { values } = await meters.registry.getSingleMetric('sello_queue_dead_rows')!.get();
    await service.destroy();
    expect(values.map(({ labels }) => labels['table']).sort()).toEqual(['mail_outbox', 'outbox', 'webhook_work']);
    expect(values.find(({ labels }) => labels['table'] === 'mail_outbox')?.value).toBe(300);
  });

  describe('of a thousand tenants', () => {
    const TENANTS = 1_000;
    const OF_MANY = `(lpad(to_hex(n % ${TENANTS} + 1), 8, '0') || '-0000-4000-8000-000000000000')::uuid`;
    let service: DataSource;

    beforeAll(async () => {
      service = await serviceConnections(database.url, 'api', 1);
    });
    afterAll(() => service.destroy());

    describe('looks for documents', () => {
      const ALL = new Map<string, number>();
      let work: DueWork;

      beforeEach(async () => {
        work = new DueWork(new TenantTransaction(service));
        await owner.query('truncate outbox');
        await insert('prepare', 0, BACKLOG);
        await owner.query('analyze outbox');
      });

      const insert = (step: string, from: number, rows: number): Promise<unknown> =>
        owner.query(
          `insert into outbox (tenant_id, document_id, step, due_at, issuer_id, establishment_id, emission_point_id, document_type, sequential, unsent)
           select ${OF_MANY}, gen_random_uuid(), '${step}', ${DUE}, ${OF_MANY}, ${OF_MANY}, ${OF_MANY}, '01', n, true from generate_series(${from}, ${from + rows - 1}) n`);
      const look = async (limit: number, capacity: ReadonlyMap<string, number>): Promise<string[]> =>
        (await work.announce(new Date(), 3_600_000, limit, capacity)).map(({ tenantId }) => tenantId);

      it('read rows of a few tenants, whoever they are, and none of the others', async () => {
        const at = '00000100-0000-4000-8000-000000000000';
        const take = `select * from announce_going_round(now(), interval '5 seconds', 12, null, '${at}')`;
        for (let time = 1; time < 8; time += 1) await taken('outbox', take);
        const { tenants, read } = await taken('outbox', take);
        expect(tenants).toBe(12);
        // Of fifty rows of a tenant PostgreSQL may read all, once for each kind of work; a walk over all tenants reads nearly 30,000.
        expect(read).toBeLessThan(BACKLOG / 5);
      });

      it('give each its turn in one kind of work before anyone has another: a look goes on where the one before ended, the last ones share theirs with the first', async () => {
        const turns = new Map<string, number>();
        // 252 looks of a dozen are three turns of a thousand, and 24 more.
        for (let count = 1; count <= 252; count += 1) {
          const served = await look(12, ALL);
          expect(new Set(served).size).toBe(12);
          for (const tenant of served) turns.set(tenant, (turns.get(tenant) ?? 0) + 1);
        }
        expect(turns.size).toBe(TENANTS);
        expect([...turns.values()].filter((times) => times === 3)).toHaveLength(TENANTS - 24);
        expect([...turns.values()].filter((times) => times === 4)).toHaveLength(24);
      });

      it('go on with others where they find too little, all of them if need be, and begin of a step what may be begun', async () => {
        const somebody = 990;
        await insert('submit', somebody, 2);
        const stepsOf = async (): Promise<string[]> => (await owner.query<{ step: string }>('select step from outbox where announced_at is not null order by step')).rows.map(({ step }) => step);
        expect(await look(12, new Map([['prepare', 0]]))).toHaveLength(2);
        expect(await stepsOf()).toEqual(['submit', 'submit']);
        await owner.query('update outbox set announced_at = null');
        expect(await look(40, new Map([['prepare', 3]]))).toHaveLength(5);
        expect(await stepsOf()).toEqual(['prepare', 'prepare', 'prepare', 'submit', 'submit']);
        expect(await look(40, new Map([['prepare', 0]]))).toEqual([]);
      });
    });

    describe('claims of mails and deliveries', () => {
      const MINUTE_MS = 60_000;
      /** Ten of each tenant: what a claim reads depends on how many have some. */
      const ROWS_OF_MANY = `from generate_series(1, ${TENANTS * 10}) n`;
      const counted = (tenants: readonly string[]): number[] => {
        const times = new Map<string, number>();
        for (const tenant of tenants) times.set(tenant, (times.get(tenant) ?? 0) + 1);
        return [...times.values()];
      };

      async function fill(due: string): Promise<void> {
        await owner.query('truncate mail_outbox, webhook_work, webhooks cascade');
        await owner.query(`insert into mail_outbox (tenant_id, id, kind, due_at) select ${OF_MANY}, gen_random_uuid(), 'mail', ${due} ${ROWS_OF_MANY}`);
        await owner.query(`insert into webhook_work (tenant_id, webhook_id, delivery_id, due_at) select ${OF_MANY}, ${OF_MANY}, gen_random_uuid(), ${due} ${ROWS_OF_MANY}`);
        await owner.query(
          `insert into webhooks (tenant_id, id, url, is_active, created_at, updated_at)
           select ${OF_MANY}, ${OF_MANY}, 'https://receiver.example/', true, now(), now() from generate_series(1, ${TENANTS}) n`);
        for (const table of ['mail_outbox', 'webhook_work', 'webhooks']) await owner.query(`analyze ${table}`);
      }
      beforeEach(() => fill(DUE));

      it.each([
        ['mail_outbox', 4, `select t ->> 'tenantId' as tenant_id from claim_mails_going_round(gen_random_uuid(), now(), interval '1 minute', 4, '00000100-0000-4000-8000-000000000000'), jsonb_array_elements(taken) t`],
        ['webhook_work', 16, `select t ->> 'tenantId' as tenant_id from claim_deliveries_going_round(gen_random_uuid(), now(), interval '1 minute', 16, 8, 4,
           '{00000100-0000-4000-8000-000000000000,00000100-0000-4000-8000-000000000000}'), jsonb_array_elements(taken) t`],
      ])('read rows of %s of a few tenants', async (table, room, take) => {
        for (let time = 1; time < 8; time += 1) await taken(table, take);
        const { tenants, read } = await taken(table, take);
        expect(tenants).toBe(room);
        // One way through the first entries of all would read as many as there are.
        expect(read).toBeLessThan(TENANTS);
      });

      const mailed = async (mails: MailWorkRepository, room: number): Promise<string[]> => (await mails.claim(randomUUID(), new Date(), MINUTE_MS, room)).map(({ tenantId }) => tenantId);
      const claimed = (work: DispatchRepository, room: number): ReturnType<DispatchRepository['claim']> =>
        work.claim(randomUUID(), new Date(), MINUTE_MS, { room, roomForFailing: Math.ceil(room / 2), perWebhook: 4 });
      const called = async (work: DispatchRepository, room: number): Promise<string[]> => (await claimed(work, room)).map(({ tenantId }) => tenantId);
      const times = async <T>(count: number, act: () => Promise<readonly T[]>): Promise<T[]> => {
        const all: T[] = [];
        for (let time = 1; time <= count; time += 1) all.push(...(await act()));
        return all;
      };
      const workOf = <Work>(Kind: new (transaction: TenantTransaction) => Work): Work => new Kind(new TenantTransaction(service));

      it('give each tenant its turn before anyone has another, however old what the others have, and again on the next way round', async () => {
        for (const table of ['mail_outbox', 'webhook_work']) await owner.query(`update ${table} set due_at = due_at - interval '1 day' where tenant_id::text like '%3-0000-4000-8000-000000000000'`);
        const mails = workOf(MailWorkRepository);
        const deliveries = workOf(DispatchRepository);
        expect(counted(await times(TENANTS / 4, () => mailed(mails, 4)))).toEqual(Array(TENANTS).fill(1));
        expect(counted(await times(TENANTS / 20, () => called(deliveries, 20)))).toEqual(Array(TENANTS).fill(1));
        // Room for one, and each delivery ends at once, as of a worker that is full.
        const one = async (): Promise<string[]> => {
          const served = await claimed(deliveries, 1);
          for (const { tenantId, deliveryId } of served) await owner.query('delete from webhook_work where tenant_id = $1 and delivery_id = $2', [tenantId, deliveryId]);
          return served.map(({ tenantId }) => tenantId);
        };
        await owner.query('update webhook_work set lease_token = null');
        expect(counted(await times(TENANTS, one))).toEqual(Array(TENANTS).fill(1));
        expect(counted(await times(TENANTS / 4, () => mailed(mails, 4)))).toEqual(Array(TENANTS).fill(1));
      });

      it('find little that is due beside much that is due later by its time', async () => {
        await fill(`${DUE} + (n > 40)::integer * interval '1 day'`);
        for (const { table, take } of QUEUES.slice(1)) {
          for (let time = 1; time < 8; time += 1) await taken(table, take);
          const { rows, read } = await taken(table, take);
          expect(rows).toBeGreaterThanOrEqual(4);
          // One way through the first entries of a thousand tenants would read as many.
          expect(read).toBeLessThan(TENANTS / 2);
        }
      });

      it('find what has waited longest also where none of those on the way has anything', async () => {
        for (const table of ['mail_outbox', 'webhook_work']) {
          await owner.query(`update ${table} set due_at = now() + interval '1 day' where tenant_id::text not similar to '000002(b|c|d|e|f)%' or due_at > now() - interval '59 minutes'`);
        }
        const behind = async (take: string): Promise<string[]> => (await owner.query<{ tenant_id: string }>(`${take}, jsonb_array_elements(taken) t`)).rows.map(({ tenant_id }) => tenant_id);
        const [{ due }] = (await owner.query<{ due: number }>('select count(distinct tenant_id)::integer as due from webhook_work where due_at <= now()')).rows as [{ due: number }];
        expect(due).toBeGreaterThan(64);
        const from = '00000001-0000-4000-8000-000000000000';
        expect(await behind(`select t ->> 'tenantId' as tenant_id from claim_mails_going_round(gen_random_uuid(), now(), interval '1 minute', 4, '${from}')`)).toHaveLength(4);
        expect(await behind(`select t ->> 'tenantId' as tenant_id from claim_deliveries_going_round(gen_random_uuid(), now(), interval '1 minute', 16, 8, 4, '{${from},${from}}')`)).toHaveLength(16);
      });

      it('go past what somebody else holds', async () => {
        const mails = workOf(MailWorkRepository);
        await owner.query('begin');
        try {
          await owner.query(`select 1 from mail_outbox where tenant_id::text < '00000020' for update`);
          expect((await times(50, () => mailed(mails, 1))).length).toBeGreaterThan(15);
        } finally {
          await owner.query('rollback');
        }
      });

      it('of deliveries are not held up by addresses that fail, however many, which have their turns too', async () => {
        const works = '00000300-0000-4000-8000-000000000000';
        await owner.query('update webhooks set failing_since = now() where tenant_id <> $1', [works]);
        const deliveries = workOf(DispatchRepository);
        // Of a thousand addresses a claim looks at 64, and what has waited longest.
        const served = await times(17, () => claimed(deliveries, 16));
        expect(served.filter(({ isFailing }) => !isFailing).map(({ tenantId }) => tenantId)).toEqual(Array(4).fill(works));
        expect(counted(served.filter(({ isFailing }) => isFailing).map(({ tenantId }) => tenantId))).toEqual(Array(17 * 8).fill(1));
      });

      it.each([40, 128])('of deliveries to %i addresses that all fail serve each of them', async (failing) => {
        await owner.query(`delete from webhook_work where tenant_id > (select id from (select distinct tenant_id as id from webhook_work) t order by id offset ${failing - 1} limit 1)`);
        await owner.query('update webhooks set failing_since = now()');
        const deliveries = workOf(DispatchRepository);
        const seen = new Set<string>();
        for (let count = 1; count <= 100; count += 1) {
          const served = await claimed(deliveries, 16);
          expect(served).toHaveLength(8);
          for (const { tenantId, deliveryId } of served) {
            seen.add(tenantId);
            await owner.query('update webhook_work set lease_token = null, due_at = now() where tenant_id = $1 and delivery_id = $2', [tenantId, deliveryId]);
          }
        }
        expect(seen.size).toBe(failing);
      });

      it('of deliveries cost no more for a tenant with many addresses that it removed', async () => {
        await owner.query(
          `insert into webhooks (tenant_id, id, url, is_active, created_at, updated_at, deleted_at)
           select '00000001-0000-4000-8000-000000000000', gen_random_uuid(), 'https://receiver.example/', false, now(), now(), now() from generate_series(1, 5000)`);
        const { take } = QUEUES[2]!;
        for (let time = 1; time < 8; time += 1) await taken('webhooks', take);
        expect((await taken('webhooks', take)).read).toBeLessThan(A_FEW);
      });
    });
  });
});
