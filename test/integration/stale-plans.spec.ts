import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource, QueryRunner } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { issueBySql, type SeededTenant, seedTenant } from '../support/seed.js';
import { serviceConnections } from '../support/service-connections.js';

const BACKLOG = 20_000;
const TABLES = ['outbox', 'mail_outbox', 'webhook_work', 'documents', 'document_contents', 'mails', 'events', 'idempotency_keys', 'sri_attempts', 'signed_documents', 'document_history', 'webhook_deliveries'];
/** Rows of these tables that a call may read which is about one document, mail or delivery. */
const OF_ONE = 60;
/** That it may read to find some. */
const OF_SOME = 2_000;

/**
 * A connection keeps its plans until PostgreSQL looks at the tables anew, about a
 * minute later. Those made while a queue was empty, as nearly always, have to serve
 * when a burst or an outage fills it: every call reads rows by keys all the same.
 */
describe('with plans made while the queues were empty', () => {
  let database: TestDatabase;
  let service: DataSource;
  let session: QueryRunner;
  let tenant: SeededTenant;

  beforeAll(async () => {
    database = await createTestDatabase();
    service = await serviceConnections(database.url, 'api', 1);
    session = service.createQueryRunner();
    tenant = await seedTenant(database);
    await database.query(`insert into webhooks (tenant_id, id, url, is_active, created_at, updated_at) values ($1, $1, 'https://receiver.example/', true, now(), now())`, [tenant.tenantId]);
    // Of a table that it has never looked at PostgreSQL thinks that it is larger than these are.
    for (const table of TABLES) await database.query(`vacuum analyze ${table}`);
  });
  afterAll(async () => {
    await session.release();
    await service.destroy();
    await database.drop();
  });

  /** A connection without plans. */
  async function connectAnew(): Promise<void> {
    await session.release();
    await service.destroy();
    service = await serviceConnections(database.url, 'api', 1);
    session = service.createQueryRunner();
  }

  /** Runs one call as a transaction of the session; returns what it returns, and how many rows of the tables it read. */
  async function reading<Row>(call: () => Promise<Row>, isKept = true): Promise<{ result: Row; read: number }> {
    await session.startTransaction();
    const before = await rowsRead();
    const result = await call();
    const read = (await rowsRead()) - before;
    await (isKept ? session.commitTransaction() : session.rollbackTransaction());
    return { result, read };
  }

  /** Of the tables, by this connection, since it last told PostgreSQL of them. */
  async function rowsRead(): Promise<number> {
    const rows = (await session.query(
      `select coalesce(sum(seq_tup_read + idx_tup_fetch), 0)::integer as read from pg_stat_xact_user_tables where relname = any ($1)`,
      [TABLES],
    )) as { read: number }[];
    return rows[0]!.read;
  }

  /** What the service asks of the database for a document, from the POST to its mail and webhook. */
  async function lifeOfADocument(of = tenant): Promise<Record<string, number>> {
    const { tenantId, issuerId, establishmentId, emissionPointId } = of;
    const [token, at] = [randomUUID(), new Date(Date.now() + 1_000)];
    const read: Record<string, number> = {};
    const counted = async <Row>(name: string, sql: string, parameters: readonly unknown[]): Promise<Row[]> => {
      const answer = await reading(() => session.query(sql, [...parameters]) as Promise<Row[]>);
      read[name] = answer.read;
      return answer.result;
    };
    await counted('context', 'select * from issuing_context($1, $2, $3, $4, $5)', [tenantId, issuerId, establishmentId, emissionPointId, randomUUID()]);
    const issued = await reading(() => issueBySql(session as unknown as DataSource, of));
    read['issue'] = issued.read;
    const { document_id: id } = issued.result.response;
    await counted('ages', 'select * from work_ages($1, 100)', [at]);
    await counted('announce', `select * from announce_going_round($1, interval '5 seconds', 12, null, null)`, [at]);
    await counted('take', `select c.*, clear_to_send($1, $2), l.* from claim_step($1, $2, $3, $4, interval '1 minute') c, load_document($1, $2) l`, [tenantId, id, token, at]);
    const work = { step: 'submit', due_at: at, keep_lease: true, unsent: true };
    const advance = 'select * from advance_document($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, null)';
    const none = ['[]', '{}'];
    await counted('keep', advance, [tenantId, id, 'NUMBER_RESERVED', 1, token, at, ...none, JSON.stringify(work), '[]', '{}']);
    await counted('renew', `select * from claim_step($1, $2, $3, $4, interval '1 minute')`, [tenantId, id, token, at]);
    const event = randomUUID();
    await counted('end', advance, [tenantId, id, 'NUMBER_RESERVED', 1, token, at, ...none, null, JSON.stringify([{ id: event, type: 'document.authorized' }]), '{}']);
    await counted('leave', 'select leave_to_relay(array[$1::uuid], array[$2::uuid])', [tenantId, id]);

    await database.query(`insert into mail_outbox (tenant_id, id, kind, due_at) values ($1, $2, 'mail', now() - interval '1 year')`, [tenantId, id]);
    const [delivery] = await database.query<{ id: string }>('select id from webhook_deliveries where event_id = $1', [event]);
    await counted('claim mails', `select * from claim_mails_going_round($1, $2, interval '1 minute', 4, null)`, [token, at]);
    await database.query(
      `insert into mails (tenant_id, id, cause, document_id, recipient, language, created_at, updated_at) values ($1, $2, 'authorized', $2, 'a@example.com', 'es', now(), now())`, [tenantId, id]);
    expect(await counted('mail', 'select * from mail_of_document($1, $2)', [tenantId, id])).toHaveLength(1);
    await counted('hold a mail', 'select hold_mail($1, $2, $3, $4)', [tenantId, id, token, at]);
    await counted('settle a mail', `select settle_mail($1, $2, $3, null, 'sent', null, 'id', $4)`, [tenantId, id, token, at]);
    await counted('claim deliveries', `select * from claim_deliveries_going_round($1, $2, interval '1 minute', 16, 4, 4, null)`, [token, at]);
    await counted('begin an attempt', 'select * from begin_attempt($1, $2, $3, $4)', [tenantId, delivery!.id, token, at]);
    await counted('end an attempt', `select end_attempt($1, $2, $3, $4, 1, 'delivered', 200, 1, null, interval '1 day', $5)`, [tenantId, delivery!.id, token, at, randomUUID()]);
    return read;
  }

  /** Of the life of a document: rows by keys, however full the queues are. */
  function expectLittle({ announce, ages, 'claim mails': mails, 'claim deliveries': deliveries, ...ofOne }: Record<string, number>, but: readonly string[] = []): void {
    expect(Object.entries(ofOne).filter(([name, read]) => read > OF_ONE && !but.includes(name))).toEqual([]);
    expect(Object.entries({ announce, mails, deliveries }).filter(([, read]) => read! > OF_SOME)).toEqual([]);
    // The oldest two thousand are looked at, and a thousand of those of webhooks.
    expect(ages).toBeLessThan(3 * OF_SOME);
    // What was to be measured was there to be read.
    expect(Math.min(announce!, mails!, deliveries!, ofOne['take']!, ofOne['settle a mail']!, ofOne['end an attempt']!)).toBeGreaterThan(0);
  }

  it('no index of a queue serves whoever does not ask for it, but those by time alone', async () => {
    const rows = await database.query<{ name: string }>(
      `select i.indexrelid::regclass::text as name from pg_index i
       where i.indrelid in ('outbox'::regclass, 'mail_outbox'::regclass, 'webhook_work'::regclass) and not i.indisprimary and i.indpred is null order by 1`);
    expect(rows.map(({ name }) => name)).toEqual(['mail_outbox_due', 'webhook_work_due']);
  });

  it.each([
    'issuing_context', 'issue_document', 'announce_going_round', 'claim_step', 'clear_to_send', 'load_document', 'advance_document',
    'claim_mails_going_round', 'mail_of_document', 'settle_mail', 'claim_deliveries_going_round',
  ])('%s, which every document asks for, is planned once a connection', async (name) => {
    const settings = await database.query<{ setting: string }>('select unnest(proconfig) as setting from pg_proc where pronamespace = $1::regnamespace and proname = $2', ['sello', name]);
    expect(settings.map(({ setting }) => setting)).toContain('plan_cache_mode=force_generic_plan');
  });

  it('nothing that the service asks is compiled first', async () => {
    expect(await session.query('show jit')).toEqual([{ jit: 'off' }]);
  });

  it('whoever waits for events of one document reads none of the others', async () => {
    const { tenantId } = await seedTenant(database);
    const behind = async (): Promise<number> => {
      const asked = await reading(() => session.query(`select events_behind(array[$1::uuid], array['1'::xid8], array[0], array[$2::uuid]) as found`, [tenantId, randomUUID()]) as Promise<{ found: boolean[] }[]>);
      expect(asked.result).toEqual([{ found: [false] }]);
      return asked.read;
    };
    for (let time = 1; time <= 8; time += 1) await behind();
    await database.query(
      `set local session_replication_role = replica;
       insert into events (tenant_id, id, type, document_id, document_version, created_at, data) select '${tenantId}', gen_random_uuid(), 'document.authorized', gen_random_uuid(), 1, now(), '{}' from generate_series(1, ${BACKLOG})`);
    // Shown only once the transactions of other tests on the same server that began before have ended. Asked by another session: this one keeps its plan.
    const areShown = `select (events_behind(array['${tenantId}'::uuid], array['1'::xid8], array[0], array[null::uuid]))[1] as shown`;
    while (!(await database.query<{ shown: boolean }>(areShown))[0]!.shown) await sleep(50);
    expect(await behind()).toBeLessThan(OF_ONE);
  });

  it('who replays a time looks up each delivery by its key', async () => {
    const { tenantId } = await seedTenant(database);
    await database.query(`insert into webhooks (tenant_id, id, url, is_active, created_at, updated_at) values ($1, $1, 'https://receiver.example/', true, now(), now())`, [tenantId]);
    const events = 1_000;
    const replay = async (): Promise<{ replayed: number; read: number }> => {
      await session.startTransaction();
      const before = await deliveriesRead();
      const [row] = (await session.query(`select replay_events($1, $1, now() - interval '1 hour', now() + interval '1 hour', null, now(), 5000) as replayed`, [tenantId])) as { replayed: number }[];
      const read = (await deliveriesRead()) - before;
      await session.commitTransaction();
      return { replayed: row!.replayed, read };
    };
    const deliveriesRead = async (): Promise<number> =>
      ((await session.query(`select (seq_tup_read + idx_tup_fetch)::integer as read from pg_stat_xact_user_tables where relname = 'webhook_deliveries'`)) as { read: number }[])[0]?.read ?? 0;
    for (let time = 1; time <= 8; time += 1) await replay();
    await database.query(`insert into events (tenant_id, id, type, created_at, data) select $1, gen_random_uuid(), 'sequence.low', now(), '{"sequence": {}}' from generate_series(1, ${events})`, [tenantId]);
    const { replayed, read } = await replay();
    expect(replayed).toBe(events);
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThan(10 * events);
  });

  /** Tenants with a webhook each. */
  async function threeOthers(): Promise<SeededTenant[]> {
    const others = [await seedTenant(database), await seedTenant(database), await seedTenant(database)];
    for (const { tenantId } of others) {
      await database.query(`insert into webhooks (tenant_id, id, url, is_active, created_at, updated_at) values ($1, $1, 'https://receiver.example/', true, now(), now())`, [tenantId]);
    }
    return others;
  }

  /** Mails and deliveries of three others that are due, in turns. */
  async function putDue(others: readonly SeededTenant[], rows: number): Promise<void> {
    const ids = others.map(({ tenantId }) => tenantId);
    const owed = `($1::uuid[])[1 + n % 3]`;
    const at = `now() - interval '1 hour' + n * interval '1 millisecond' from generate_series(1, $2::integer) n`;
    await database.query(`insert into mail_outbox (tenant_id, id, kind, due_at) select ${owed}, gen_random_uuid(), 'mail', ${at}`, [ids, rows]);
    await database.query(`insert into webhook_work (tenant_id, webhook_id, delivery_id, due_at) select ${owed}, ${owed}, gen_random_uuid(), ${at}`, [ids, rows]);
  }

  it('a full queue is read as little', async () => {
    const others = await threeOthers();
    // More than what is found by its age alone.
    await putDue(others, 200);
    for (let time = 1; time <= 8; time += 1) await lifeOfADocument();
    await putDue(others, BACKLOG);
    const { tenantId, issuerId, establishmentId, emissionPointId } = tenant;
    // Some wait to be sent, others for the SRI's answer; those of one emission point and of others.
    await database.query(
      `insert into outbox (tenant_id, document_id, step, due_at, ahead, issuer_id, establishment_id, emission_point_id, document_type, sequential, unsent)
       select $1, gen_random_uuid(), (array['prepare', 'submit', 'authorize'])[1 + n % 3], now() - interval '1 hour' + n * interval '1 second', n % 3 < 2, $2, $3,
         case when n % 2 = 0 then $4::uuid else gen_random_uuid() end, '01', n, n % 3 < 2
       from generate_series(100, ${BACKLOG}) n`, [tenantId, issuerId, establishmentId, emissionPointId]);
    await database.query(`insert into mail_outbox (tenant_id, id, kind, due_at) select $1, gen_random_uuid(), 'mail', now() + n * interval '1 second' from generate_series(1, ${BACKLOG}) n`, [tenantId]);
    await database.query(
      `insert into webhook_work (tenant_id, webhook_id, delivery_id, due_at) select $1, $1, gen_random_uuid(), now() + n * interval '1 second' from generate_series(1, ${BACKLOG}) n`, [tenantId]);
    await database.query(
      `insert into idempotency_keys (tenant_id, issuer_id, key, operation, fingerprint, document_id, created_at)
       select $1, $2, n::text, 'documents', 'v1:a', gen_random_uuid(), now() from generate_series(1, ${BACKLOG}) n`, [tenantId, issuerId]);
    // Their contents and mails too; triggers and foreign keys would have a say.
    await database.query(
      `set local session_replication_role = replica;
       with one as (select d from documents d where tenant_id = '${tenantId}' limit 1), more as (
         insert into documents select (jsonb_populate_record(one.d, jsonb_build_object('id', gen_random_uuid(), 'sequential', n, 'access_key', lpad(n::text, 49, '0')))).*
         from one, generate_series(100, 3000) n returning id
       ), contents as (
         insert into document_contents select '${tenantId}', more.id, c.revision, c.content, c.issuer_snapshot, c.created_at
         from more, (select * from document_contents where tenant_id = '${tenantId}' limit 1) c
       )
       insert into mails (tenant_id, id, cause, document_id, recipient, language, created_at, updated_at) select '${tenantId}', id, 'authorized', id, 'a@example.com', 'es', now(), now() from more`);
    expectLittle(await lifeOfADocument());
  });

  it.each([
    ['are signed', 'prepare', false],
    ['wait for the SRI to take them', 'submit', true],
    ['are asked about', 'authorize', false],
  ])('a full queue is read as little that PostgreSQL looked at while all in it %s', async (_, step, isAhead) => {
    const others = await threeOthers();
    await database.query('delete from outbox where document_id in (select id from documents)');
    // As far as documents go, nobody else has any: four tenants with a quarter each, and all of one kind.
    await database.query(
      `update outbox o set step = $1, ahead = $2, tenant_id = ($3::uuid[])[1 + o.sequential % 4], announced_at = null, due_at = now() - o.sequential * interval '1 second'`,
      [step, isAhead, [tenant.tenantId, ...others.map(({ tenantId }) => tenantId)]]);
    for (const table of TABLES) await database.query(`vacuum analyze ${table}`);
    await connectAnew();
    expectLittle(await lifeOfADocument());
  });

  it('of a tenant that PostgreSQL has not counted yet a step reads no more', async () => {
    const newcomer = await seedTenant(database);
    const { tenantId, issuerId, certificateId } = newcomer;
    await database.query(`insert into webhooks (tenant_id, id, url, is_active, created_at, updated_at) values ($1, $1, 'https://receiver.example/', true, now(), now())`, [tenantId]);
    // Of others there is as much.
    await database.query(`insert into sri_attempts (tenant_id, id, document_id, service, signing_no, started_at) select tenant_id, gen_random_uuid(), id, 'reception', 1, now() from documents`);
    for (const table of TABLES) await database.query(`vacuum analyze ${table}`);
    // Its first day, of which PostgreSQL has not heard: it expects a single row of it everywhere.
    const { document_id: first } = (await issueBySql(session as unknown as DataSource, newcomer)).response;
    await database.query('delete from outbox where tenant_id = $1', [tenantId]);
    await database.query(
      `set local session_replication_role = replica;
       with one as (select d from documents d where id = '${first}'), more as (
         insert into documents select (jsonb_populate_record(one.d, jsonb_build_object('id', gen_random_uuid(), 'sequential', n, 'access_key', lpad(n::text, 49, '0')))).*
         from one, generate_series(100, 3000) n returning id
       ), contents as (
         insert into document_contents select tenant_id, more.id, revision, content, issuer_snapshot, created_at from more, (select * from document_contents where document_id = '${first}') c
       ), signed as (
         insert into signed_documents (tenant_id, document_id, signing_no, certificate_id, access_key, content_revision, signed_xml, digest, signed_at)
         select '${tenantId}', id, 1, '${certificateId}', '1', 1, 'x', 'd', now() from more
       ), attempts as (
         insert into sri_attempts (tenant_id, id, document_id, service, signing_no, started_at) select '${tenantId}', gen_random_uuid(), id, 'reception', 1, now() from more
       ), history as (
         insert into document_history (tenant_id, document_id, version, from_status, trigger, to_status, at) select '${tenantId}', id, 1, 'DRAFT', 'number_taken', 'NUMBER_RESERVED', now() from more
       ), happened as (
         insert into events (tenant_id, id, type, document_id, document_version, created_at, data) select '${tenantId}', gen_random_uuid(), 'document.authorized', id, 1, now(), '{}' from more
       ), keys as (
         insert into idempotency_keys (tenant_id, issuer_id, key, operation, fingerprint, document_id, created_at) select '${tenantId}', '${issuerId}', id::text, 'documents', 'v1:a', id, now() from more
       )
       insert into mails (tenant_id, id, cause, document_id, recipient, language, created_at, updated_at) select '${tenantId}', id, 'authorized', id, 'a@example.com', 'es', now(), now() from more`);
    await connectAnew();
    // An attempt of a webhook may read all events of the newcomer until PostgreSQL counts them, some 20,000 changes later.
    for (let time = 1; time <= 2; time += 1) expectLittle(await lifeOfADocument(newcomer), ['begin an attempt', 'end an attempt']);
    for (const table of TABLES) await database.query(`analyze ${table}`);
    await connectAnew();
    expectLittle(await lifeOfADocument(newcomer));
  });

  it('claims read a long queue as little that PostgreSQL has looked at, when it was short or since', async () => {
    for (const table of ['mail_outbox', 'webhook_work']) await database.query(`truncate ${table}`);
    const others = await threeOthers();
    await putDue(others, 200);
    for (const table of TABLES) await database.query(`vacuum analyze ${table}`);
    const read: number[] = [];
    const claim = async (): Promise<void> => {
      for (const sql of [`select * from claim_mails_going_round($1, $2, interval '1 minute', 4, null)`, `select * from claim_deliveries_going_round($1, $2, interval '1 minute', 16, 4, 4, null)`]) {
        // Put back: an address has as much room each time.
        read.push((await reading(() => session.query(sql, [randomUUID(), new Date()]), false)).read);
      }
    };
    await connectAnew();
    for (let time = 1; time <= 8; time += 1) await claim();
    await putDue(others, BACKLOG);
    // Beside them one with as much that is due later, but for a little.
    await database.query(`insert into mail_outbox (tenant_id, id, kind, due_at) select $1, gen_random_uuid(), 'mail', now() + n * interval '1 hour' from generate_series(-1, ${BACKLOG}) n`, [tenant.tenantId]);
    await database.query(`insert into webhook_work (tenant_id, webhook_id, delivery_id, due_at) select $1, $1, gen_random_uuid(), now() + n * interval '1 hour' from generate_series(-1, ${BACKLOG}) n`, [tenant.tenantId]);
    for (const isKnown of [false, true]) {
      if (isKnown) for (const table of TABLES) await database.query(`analyze ${table}`);
      read.length = 0;
      await claim();
      expect({ isKnown, much: read.filter((rows) => rows > OF_SOME || rows === 0) }).toEqual({ isKnown, much: [] });
    }
  });
});
