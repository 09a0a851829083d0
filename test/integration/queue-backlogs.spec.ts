import pg from 'pg';
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
    take: `select * from announce_within_places(now(), interval '5 seconds', 12, null)`,
  },
  {
    table: 'mail_outbox',
    fill: [`insert into mail_outbox (tenant_id, id, kind, due_at) select ${TENANT}, gen_random_uuid(), 'mail', ${DUE} ${ROWS}`],
    take: `select * from claim_mails(gen_random_uuid(), now(), interval '1 minute', 4)`,
  },
  {
    table: 'webhook_work',
    fill: [
      `insert into webhook_work (tenant_id, webhook_id, delivery_id, due_at) select ${TENANT}, ${TENANT}, gen_random_uuid(), ${DUE} ${ROWS}`,
      `insert into webhooks (tenant_id, id, url, is_active, created_at, updated_at)
       select ${TENANT}, ${TENANT}, 'https://receiver.example/', true, now(), now() from unnest(array[1, ${BACKLOG * 0.85}, ${BACKLOG}]) n`,
    ],
    take: `select * from claim_deliveries(gen_random_uuid(), now(), interval '1 minute', 16, 4, 4)`,
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
    const takes = [0, 1].map((places) => `select * from announce_within_places(now(), interval '5 seconds', 12, '{"authorize": ${places}}')`);
    for (const [probes, take] of takes.entries()) {
      for (let time = 1; time < 8; time += 1) await taken('outbox', take);
      const { rows, read } = await taken('outbox', take);
      expect(rows).toBe(3 + probes);
      expect(read).toBeLessThan(A_FEW);
    }
  });
});
