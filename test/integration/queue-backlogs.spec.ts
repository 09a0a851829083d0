import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { MailWork } from '../../src/modules/notifications/persistence/mail-work.js';
import { DispatchRepository } from '../../src/modules/webhooks/persistence/dispatch.repository.js';
import { serviceDataSourceOptions } from '../../src/platform/database/connection.js';
import { TenantTransaction } from '../../src/platform/database/tenant-transaction.js';
import { DueWork } from '../../src/platform/outbox/due-work.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

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
    take: `select * from claim_mails_going_round(gen_random_uuid(), now(), interval '1 minute', 4, null)`,
  },
  {
    table: 'webhook_work',
    fill: [
      `insert into webhook_work (tenant_id, webhook_id, delivery_id, due_at) select ${TENANT}, ${TENANT}, gen_random_uuid(), ${DUE} ${ROWS}`,
      `insert into webhooks (tenant_id, id, url, is_active, created_at, updated_at)
       select ${TENANT}, ${TENANT}, 'https://receiver.example/', true, now(), now() from unnest(array[1, ${BACKLOG * 0.85}, ${BACKLOG}]) n`,
    ],
    take: `select * from claim_deliveries_going_round(gen_random_uuid(), now(), interval '1 minute', 16, 4, 4, null)`,
  },
];

describe('taking from a queue in which one tenant has a long backlog', () => {
  let database: TestDatabase;
  let owner: pg.Client;

  beforeAll(async () => {
    database = await createTestDatabase();
    owner = new pg.Client({ connectionString: database.ownerUrl, options: '-c search_path=sello,public -c session_replication_role=replica' });
    await owner.connect();
  });
  afterAll(async () => {
    await owner.end();
    await database.drop();
  });

  /** Takes what is due and puts it back: of how many tenants, how many rows, and how many were read for that. */
  async function taken(table: string, take: string): Promise<{ tenants: number; rows: number; read: number }> {
    await owner.query('begin');
    const { rows } = await owner.query<{ tenant_id: string }>(take);
    const { rows: counted } = await owner.query<{ tuples: string }>(
      'select seq_tup_read + idx_tup_fetch as tuples from pg_stat_xact_user_tables where relid = $1::regclass', [table]);
    await owner.query('rollback');
    return { tenants: new Set(rows.map(({ tenant_id }) => tenant_id)).size, rows: rows.length, read: Number(counted[0]?.tuples) };
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
    const takes = [0, 1].map((places) => `select * from announce_going_round(now(), interval '5 seconds', 12, '{"authorize": ${places}}', null)`);
    for (const [probes, take] of takes.entries()) {
      for (let time = 1; time < 8; time += 1) await taken('outbox', take);
      const { rows, read } = await taken('outbox', take);
      expect(rows).toBe(3 + probes);
      expect(read).toBeLessThan(A_FEW);
    }
  });

  describe('of a thousand tenants', () => {
    const TENANTS = 1_000;
    const OF_MANY = `(lpad(to_hex(n % ${TENANTS} + 1), 8, '0') || '-0000-4000-8000-000000000000')::uuid`;
    const ALL = new Map<string, number>();
    let service: DataSource;
    let work: DueWork;

    beforeAll(async () => {
      service = await new DataSource(serviceDataSourceOptions(database.url, 1)).initialize();
    });
    afterAll(() => service.destroy());
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
    const look = async (limit: number, places: ReadonlyMap<string, number>): Promise<string[]> =>
      (await work.announce(new Date(), 3_600_000, limit, places)).map(({ tenantId }) => tenantId);

    it('a look reads rows of a few, whoever they are, and none of the others', async () => {
      const at = '00000100-0000-4000-8000-000000000000';
      const take = `select * from announce_going_round(now(), interval '5 seconds', 12, null, '${at}')`;
      for (let time = 1; time < 8; time += 1) await taken('outbox', take);
      const { tenants, read } = await taken('outbox', take);
      expect(tenants).toBe(12);
      // Of fifty rows of a tenant PostgreSQL may read all, once for each kind of work; a walk over all tenants reads nearly 30,000.
      expect(read).toBeLessThan(BACKLOG / 5);
    });

    it('of one kind of work each has its turn before anyone has another: a look goes on where the one before ended, the last ones share theirs with the first', async () => {
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

    it('a look that finds too little goes on with others, all of them if need be, and begins of a step what may be begun', async () => {
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

    describe('claims of mails and deliveries', () => {
      const MINUTE_MS = 60_000;
      const counted = (tenants: readonly string[]): number[] => {
        const times = new Map<string, number>();
        for (const tenant of tenants) times.set(tenant, (times.get(tenant) ?? 0) + 1);
        return [...times.values()];
      };

      beforeEach(async () => {
        await owner.query('truncate mail_outbox, webhook_work, webhooks cascade');
        await owner.query(`insert into mail_outbox (tenant_id, id, kind, due_at) select ${OF_MANY}, gen_random_uuid(), 'mail', ${DUE} ${ROWS}`);
        await owner.query(`insert into webhook_work (tenant_id, webhook_id, delivery_id, due_at) select ${OF_MANY}, ${OF_MANY}, gen_random_uuid(), ${DUE} ${ROWS}`);
        await owner.query(
          `insert into webhooks (tenant_id, id, url, is_active, created_at, updated_at)
           select ${OF_MANY}, ${OF_MANY}, 'https://receiver.example/', true, now(), now() from generate_series(1, ${TENANTS}) n`);
        for (const table of ['mail_outbox', 'webhook_work', 'webhooks']) await owner.query(`analyze ${table}`);
      });

      it.each([
        ['mail_outbox', 4, `select * from claim_mails_going_round(gen_random_uuid(), now(), interval '1 minute', 4, '00000100-0000-4000-8000-000000000000')`],
        ['webhook_work', 16, `select * from claim_deliveries_going_round(gen_random_uuid(), now(), interval '1 minute', 16, 8, 4,
           '{00000100-0000-4000-8000-000000000000,00000100-0000-4000-8000-000000000000}')`],
      ])('read rows of %s of a few tenants', async (table, room, take) => {
        for (let time = 1; time < 8; time += 1) await taken(table, take);
        const { tenants, read } = await taken(table, take);
        expect(tenants).toBe(room);
        expect(read).toBeLessThan(A_FEW);
      });

      it('give each tenant its turn before anyone has another', async () => {
        const mails = new MailWork(new TenantTransaction(service));
        const deliveries = new DispatchRepository(new TenantTransaction(service));
        const mailed: string[] = [];
        for (let count = 1; count <= TENANTS / 4; count += 1) mailed.push(...(await mails.claim(randomUUID(), new Date(), MINUTE_MS, 4)).map(({ tenantId }) => tenantId));
        expect(counted(mailed)).toEqual(Array(TENANTS).fill(1));
        const called: string[] = [];
        const limits = { room: 20, roomForFailing: 10, perWebhook: 4 };
        for (let count = 1; count <= TENANTS / 20; count += 1) called.push(...(await deliveries.claim(randomUUID(), new Date(), MINUTE_MS, limits)).map(({ tenantId }) => tenantId));
        expect(counted(called)).toEqual(Array(TENANTS).fill(1));
      });

      it('find little that is due beside much that is due later by its time', async () => {
        for (const table of ['mail_outbox', 'webhook_work']) await owner.query(`update ${table} set due_at = now() + interval '1 day' where tenant_id::text not like '000002%7-%'`);
        const due = (await owner.query<{ tenant_id: string }>(`select distinct tenant_id from mail_outbox where due_at <= now()`)).rows.length;
        expect(due).toBe(16);
        for (const table of ['mail_outbox', 'webhook_work']) {
          await owner.query(`update ${table} set due_at = now() + interval '1 day' where due_at >= (select due_at from ${table} order by due_at offset 40 limit 1)`);
          await owner.query(`vacuum analyze ${table}`);
        }
        const [mail, delivery] = [QUEUES[1]!, QUEUES[2]!];
        expect(await taken(mail.table, mail.take)).toMatchObject({ rows: 4 });
        expect(await taken(delivery.table, delivery.take)).toMatchObject({ rows: 16, tenants: 16 });
        expect((await taken(mail.table, mail.take)).read).toBeLessThan(A_FEW / 4);
        expect((await taken(delivery.table, delivery.take)).read).toBeLessThan(A_FEW / 4);
      });

      it('of deliveries to addresses that work are not held up by those of all others that fail, which have their turns too', async () => {
        const works = '00000300-0000-4000-8000-000000000000';
        await owner.query('update webhooks set failing_since = now() where tenant_id <> $1', [works]);
        const deliveries = new DispatchRepository(new TenantTransaction(service));
        const claimed = [];
        for (let count = 1; count <= 12; count += 1) claimed.push(...(await deliveries.claim(randomUUID(), new Date(), MINUTE_MS, { room: 16, roomForFailing: 8, perWebhook: 4 })));
        expect(claimed.filter(({ isFailing }) => !isFailing).map(({ tenantId }) => tenantId)).toEqual(Array(4).fill(works));
        expect(counted(claimed.filter(({ isFailing }) => isFailing).map(({ tenantId }) => tenantId))).toEqual(Array(12 * 8).fill(1));
      });
    });
  });
});
