import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { type SeededTenant, seedTenant } from '../support/seed.js';

const ROWS = 20_000;
/** Rows that a question may read whose answer is one or a few. */
const FEW = 100;

/**
 * What is asked now and then, of tables that grow for years or queues that an outage
 * fills, reads no more than its answer, whatever PostgreSQL found there when it last
 * looked: all of one kind, or nothing.
 */
describe('what is asked now and then', () => {
  let database: TestDatabase;
  let owner: pg.Client;
  let large: SeededTenant;
  let small: SeededTenant;

  beforeAll(async () => {
    database = await createTestDatabase();
    owner = new pg.Client({ connectionString: database.ownerUrl, options: '-c search_path=sello' });
    await owner.connect();
    [large, small] = [await seedTenant(database), await seedTenant(database)];
    for (const table of ['documents', 'events', 'users', 'user_identities', 'one_time_tokens', 'audit_log', 'webhook_work', 'webhooks']) {
      await owner.query(`alter table ${table} set (autovacuum_enabled = false)`);
    }
  });
  afterAll(async () => {
    await owner.end();
    await database.drop();
  });

  /** Rows without their triggers and foreign keys. */
  async function fill(sql: string, parameters: readonly unknown[] = []): Promise<void> {
    await owner.query('begin');
    await owner.query('set local session_replication_role = replica');
    await owner.query(sql, [...parameters]);
    await owner.query('commit');
  }

  /** Rows of all tables that a question reads, asked as the service asks; its answer is left. */
  async function reading(sql: string, parameters: readonly unknown[] = [], tenantId?: string): Promise<{ rows: Record<string, unknown>[]; read: number }> {
    const read = async (): Promise<number> =>
      (await owner.query<{ read: number }>('select coalesce(sum(seq_tup_read + idx_tup_fetch), 0)::integer as read from pg_stat_xact_user_tables')).rows[0]!.read;
    await owner.query('begin');
    try {
      if (tenantId !== undefined) await owner.query(`select set_config('role', 'sello_app', true), set_config('sello.tenant_id', $1, true)`, [tenantId]);
      const before = await read();
      const { rows } = await owner.query<Record<string, unknown>>(sql, [...parameters]);
      return { rows, read: (await read()) - before };
    } finally {
      await owner.query('rollback');
    }
  }

  it('documents that move are counted without reading those that rest', async () => {
    const document = (from: number, to: number, status: string): Promise<void> =>
      fill(
        `insert into documents (tenant_id, id, issuer_id, establishment_id, emission_point_id, document_type, sri_environment, sequential, access_key, status, resting_status, version,
           issue_date, subtotal, total_discount, total_tax, total, warnings, sri_messages, content_revision, created_at, updated_at)
         select $1, gen_random_uuid(), $2, $3, $4, '01', 'TEST', n, lpad(n::text, 49, '0'), $5, case when $5 = 'AUTHORIZED' then $5 end, 1, '2026-01-01', 1, 0, 0, 1, '[]', '[]', 1, now(), now()
         from generate_series($6::integer, $7::integer) n`,
        [large.tenantId, large.issuerId, large.establishmentId, large.emissionPointId, status, from, to]);
    await document(1, ROWS, 'AUTHORIZED');
    await document(ROWS + 1, ROWS + ROWS / 5, 'SIGNED');
    await owner.query('vacuum analyze documents');
    // As it was in the outage: PostgreSQL has not looked since.
    await fill(`update documents set status = 'AUTHORIZED', resting_status = 'AUTHORIZED' where sequential > $1`, [ROWS + 20]);
    const { rows, read } = await reading('select * from moving_documents(1000)');
    expect(rows).toEqual([{ status: 'SIGNED', documents: 20 }]);
    // Entries of those that moved until just now are passed.
    expect(read).toBeLessThan(ROWS / 2);
    await owner.query('vacuum documents');
    expect((await reading('select * from moving_documents(1000)')).read).toBeLessThan(FEW);
  });

  it('whether events are of a restored database is known from the newest of each tenant', async () => {
    await fill(
      `insert into events (tenant_id, id, type, document_id, document_version, created_at, data, xid)
       select case when n = 1 then $1 else gen_random_uuid() end, gen_random_uuid(), 'document.authorized', gen_random_uuid(), 1, now(), '{}', '3' from generate_series(1, $2::integer) n`,
      [large.tenantId, ROWS]);
    // Not vacuumed: what is read in the index alone would not count.
    await owner.query('analyze events');
    const { rows, read } = await reading('select settle_restored_events() as settled');
    expect(rows).toEqual([{ settled: '0' }]);
    expect(read).toBeLessThan(FEW);
    await fill(`update events set xid = (pg_snapshot_xmax(pg_current_snapshot())::text::bigint + 1000)::text::xid8 where tenant_id = $1`, [large.tenantId]);
    expect((await reading('select settle_restored_events() as settled')).rows).toEqual([{ settled: `${ROWS}` }]);
  });

  it('who signs in is found by identity or address', async () => {
    const [person, identity] = [randomUUID(), randomUUID()];
    await fill(
      `insert into users (id, email, name, created_at, updated_at) select case when n = 1 then $1::uuid else gen_random_uuid() end, 'p' || n || '@example.com', 'P', now(), now() from generate_series(1, $2::integer) n`,
      [person, ROWS]);
    await fill(`insert into user_identities (issuer, subject, user_id, created_at) select 'google', case when id = $1 then $2 else id::text end, id, now() from users where email <> 'p2@example.com'`, [person, identity]);
    await owner.query('vacuum analyze users');
    await owner.query('vacuum analyze user_identities');
    for (const [subject, email, expected] of [
      [identity, 'p1@example.com', [{ user_id: person, is_linked: true }]],
      [identity, 'p2@example.com', [{ user_id: person, is_linked: true }]],
      ['another', 'p1@example.com', [{ user_id: person, is_linked: false }]],
      ['another', 'nobody@example.com', []],
    ] as const) {
      const { rows, read } = await reading('select user_id, is_linked from find_identity($1, $2, $3)', ['google', subject, email]);
      expect(rows).toEqual(expected);
      expect(read).toBeLessThan(FEW);
    }
    const { rows, read } = await reading('select email, providers from describe_person($1)', [person]);
    expect(rows).toEqual([{ email: 'p1@example.com', providers: ['google'] }]);
    expect(read).toBeLessThan(FEW);
  });

  it('the tokens of whoever asks for a link are found by person, and sign-ins that ended among all tokens', async () => {
    const [person, ended] = [randomUUID(), 5_000];
    await fill(`insert into users (id, email, name, created_at, updated_at) values ($1, 'asks@example.com', 'A', now(), now())`, [person]);
    await fill(
      `insert into one_time_tokens (token_hash, purpose, user_id, created_at, expires_at)
       select decode(lpad(to_hex(n), 64, '0'), 'hex'), 'reset_password', case when n <= 6 then $1::uuid else gen_random_uuid() end, now() - interval '1 hour', now() - interval '30 minutes' from generate_series(1, $2::integer) n`,
      [person, ROWS]);
    await owner.query('vacuum analyze one_time_tokens');
    // What strangers began since.
    await fill(
      `insert into one_time_tokens (token_hash, purpose, created_at, expires_at)
       select decode(lpad(to_hex($1::integer + n), 64, '0'), 'hex'), 'sign_in_at_provider', now() - interval '1 hour', now() + (case when n <= $2 then -1 else 1 end) * interval '9 minutes' from generate_series(1, $1::integer) n`,
      [ROWS, ended]);
    const asked = await reading(`select name from begin_password_reset('asks@example.com', 'reset', now() + interval '30 minutes', now())`);
    expect(asked.rows).toEqual([{ name: 'A' }]);
    expect(asked.read).toBeLessThan(FEW);
    const confirming = await reading(`select name from begin_email_verification($1, 'confirm', now() + interval '3 days', now())`, [person]);
    expect(confirming.rows).toEqual([{ name: 'A' }]);
    expect(confirming.read).toBeLessThan(FEW);
    await fill(`insert into one_time_tokens (token_hash, purpose, user_id, created_at, expires_at) values ('good', 'reset_password', $1, now(), now() + interval '30 minutes')`, [person]);
    const reset = await reading(`select reset_password('good', 'hash', now(), null, null) as done`);
    expect(reset.rows).toEqual([{ done: true }]);
    expect(reset.read).toBeLessThan(FEW);
    const link = await reading(`select link_identity('none', $1, now(), null, null) as done`, [person]);
    expect(link.rows).toEqual([{ done: false }]);
    expect(link.read).toBeLessThan(FEW);
    const address = await reading(`select address_of_token('good', now()) as email`);
    expect(address.rows).toEqual([{ email: 'asks@example.com' }]);
    expect(address.read).toBeLessThan(FEW);
    const tokens = async (): Promise<unknown> => (await owner.query(`select purpose, count(*)::integer as n from one_time_tokens where token_hash <> 'good' group by purpose order by purpose`)).rows;
    const begun = `select keep_one_time_token($1, 'sign_in_at_provider', null, '{}', now() + interval '10 minutes', now())`;
    expect((await reading(begun, ['begun'])).read).toBeLessThan(FEW);
    await owner.query(begun, ['begun']);
    expect((await reading(`select user_id from take_one_time_token('begun', 'sign_in_at_provider', now())`)).read).toBeLessThan(FEW);
    // Twenty that ended went, one came; the day of the others is not over.
    expect(await tokens()).toEqual([{ purpose: 'reset_password', n: ROWS }, { purpose: 'sign_in_at_provider', n: ROWS - 19 }]);
  });

  it('which profiles of buyers are a taxpayer’s, whatever the establishment of the RUC', async () => {
    await fill(
      `insert into buyers (tenant_id, id, buyer_id_type, buyer_id, legal_name, created_at, updated_at)
       select $1, gen_random_uuid(), '04', '1792' || lpad(n::text, 6, '0') || '00' || n % 3 + 1, 'X', now(), now() from generate_series(1, $2::integer) n`, [large.tenantId, ROWS]);
    await fill(`insert into taxpayers (ruc, found, legal_name, contributor_status, verified_at) values ('1792000007001', true, 'X', 'ACTIVO', now())`);
    // Not vacuumed: what is read in the index alone would not count.
    await owner.query('analyze buyers');
    expect((await reading(`select verify_buyers($1, '1792000007001')`, [large.tenantId], large.tenantId)).read).toBeLessThan(FEW);
  });

  it('lines of the audit log of an action that is rare for a tenant, however frequent for another', async () => {
    const lines = (tenantId: string, action: string, count: number): Promise<void> =>
      fill(`insert into audit_log (tenant_id, id, at, actor_kind, action) select $1, gen_random_uuid(), now() - n * interval '1 minute', 'system', $2 from generate_series(1, $3::integer) n`, [tenantId, action, count]);
    await lines(large.tenantId, 'product.changed', ROWS);
    await lines(small.tenantId, 'issuer.changed', ROWS / 2);
    await lines(small.tenantId, 'product.changed', 3);
    await owner.query('vacuum analyze audit_log');
    const filter = 'tenant_id = $1 and ($2::text is null or action = $2)';
    const page = await reading(`select action from audit_log where ${filter} order by at desc, id desc limit 20`, [small.tenantId, 'product.changed'], small.tenantId);
    expect(page.rows).toHaveLength(3);
    expect(page.read).toBeLessThan(FEW);
  });

  it('which webhooks fail without an attempt before them', async () => {
    const failing = 50;
    await fill('insert into webhook_work (tenant_id, webhook_id, delivery_id, due_at) select $1, $1, gen_random_uuid(), now() from generate_series(1, 3)', [small.tenantId]);
    await owner.query('vacuum analyze webhook_work');
    await fill(
      `insert into webhooks (tenant_id, id, url, is_active, failing_since, created_at, updated_at) select $1, gen_random_uuid(), 'https://receiver.example/', true, now() - interval '9 days', now(), now() from generate_series(1, $2::integer)`,
      [small.tenantId, failing]);
    await fill(`insert into webhook_work (tenant_id, webhook_id, delivery_id, due_at) select tenant_id, id, gen_random_uuid(), now() + n * interval '1 minute' from webhooks, generate_series(1, $1::integer) n`, [ROWS / failing]);
    const { rows, read } = await reading(`select * from failing_webhooks(interval '5 days', now(), 100)`);
    expect(rows).toEqual([]);
    // Not even once round the queue.
    expect(read).toBeLessThan(ROWS / 2);
  });
});
