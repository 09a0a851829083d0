import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { TaxpayersRepository } from '../../src/modules/buyers/persistence/taxpayers.repository.js';
import type { ClaimedWork } from '../../src/modules/notifications/persistence/mail-work.repository.js';
import { MailWorkRepository } from '../../src/modules/notifications/persistence/mail-work.repository.js';
import { NoticesRepository } from '../../src/modules/notifications/persistence/notices.repository.js';
import { DispatchRepository } from '../../src/modules/webhooks/persistence/dispatch.repository.js';
import { RandomIds } from '../../src/platform/adapters/random-ids.js';
import { TenantTransaction } from '../../src/platform/database/tenant-transaction.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { seedTenant } from '../support/seed.js';
import { serviceConnections } from '../support/service-connections.js';

const [MINUTE_MS, DAY_MS] = [60_000, 86_400_000];
const PATIENCE_MS = 5 * DAY_MS;
const ROOM = { room: 8, roomForFailing: 8, perWebhook: 8 };

/** What a running worker does until it notices that its host's clock has leapt 20 days ahead. */
describe('a worker whose clock leaps ahead', () => {
  let database: TestDatabase;
  let service: DataSource;
  let work: DispatchRepository;
  let mails: MailWorkRepository;
  let notices: NoticesRepository;
  let tenantId: string;
  const leapt = (): Date => new Date(Date.now() + 20 * DAY_MS);
  const token = randomUUID();

  beforeAll(async () => {
    database = await createTestDatabase();
    service = await serviceConnections(database.url, 'worker', 2);
    const transaction = new TenantTransaction(service);
    [work, mails, notices] = [new DispatchRepository(transaction), new MailWorkRepository(transaction), new NoticesRepository(transaction, new RandomIds())];
    ({ tenantId } = await seedTenant(database));
  });
  afterAll(async () => {
    await service.destroy();
    await database.drop();
  });
  beforeEach(() => database.query('delete from webhook_work; delete from mail_outbox; delete from mails'));

  /** In how many minutes the one row of a queue is due, rounded. */
  const dueIn = async (table: string): Promise<unknown> => (await database.query(`select round(extract(epoch from due_at - now()) / 60)::integer as minutes from ${table}`))[0]?.['minutes'];

  /** An event of which admins are told; its id. */
  async function lowSequence(): Promise<string> {
    const [event] = await database.query<{ id: string }>(`insert into events (tenant_id, id, type, created_at, data) values ($1, gen_random_uuid(), 'sequence.low', now(), '{"sequence": {}}') returning id`, [tenantId]);
    return event!.id;
  }

  async function delivery(failingSince: string): Promise<{ webhookId: string; deliveryId: string }> {
    const [webhook] = await database.query<{ id: string }>(
      `insert into webhooks (tenant_id, id, url, is_active, failing_since, created_at, updated_at) values ($1, gen_random_uuid(), 'https://receiver.example/', true, now() - $2::interval, now(), now()) returning id`, [tenantId, failingSince]);
    await lowSequence();
    await database.query('delete from webhook_work where webhook_id <> $1', [webhook!.id]);
    await database.query('update webhook_deliveries set round = 2, attempts = 2 where webhook_id = $1', [webhook!.id]);
    const [row] = await database.query<{ delivery_id: string }>('select delivery_id from webhook_work');
    return { webhookId: webhook!.id, deliveryId: row!.delivery_id };
  }

  it('leases deliveries by the time of PostgreSQL, and takes none that is not due', async () => {
    const { deliveryId } = await delivery('1 minute');
    await database.query(`update webhook_work set due_at = now() + interval '3 days'`);
    expect(await work.claim(token, leapt(), MINUTE_MS, ROOM)).toEqual([]);
    await database.query('update webhook_work set due_at = now()');
    expect(await work.claim(token, leapt(), 10 * MINUTE_MS, ROOM)).toMatchObject([{ deliveryId }]);
    expect(await dueIn('webhook_work')).toBe(10);
    expect(await work.renew(tenantId, deliveryId, token, leapt(), 20 * MINUTE_MS)).toBe(true);
    expect(await dueIn('webhook_work')).toBe(20);
    await work.giveBack(tenantId, deliveryId, token, leapt());
    expect(await dueIn('webhook_work')).toBe(0);
  });

  it('sets the next attempt by the time of PostgreSQL, and switches off no address that has not failed for so long', async () => {
    const { webhookId, deliveryId } = await delivery('1 hour');
    const standing = (): Promise<unknown> => database.query('select is_active, disabled_at < now() + interval \'1 minute\' as disabled_in_time from webhooks where id = $1', [webhookId]);
    await work.claim(token, leapt(), MINUTE_MS, ROOM);
    const begun = await work.begin(tenantId, deliveryId, token, leapt());
    const now = leapt();
    await work.end(tenantId, deliveryId, token, now, { number: begun!.number, outcome: 'refused', statusCode: 500, durationMs: 5, nextAt: new Date(now.getTime() + 5 * MINUTE_MS), eventId: randomUUID() }, PATIENCE_MS);
    expect(await dueIn('webhook_work')).toBe(5);
    const [times] = await database.query(
      `select bool_or(greatest(a.started_at, a.finished_at) > now() + interval '1 minute' or d.next_attempt_at > now() + interval '6 minutes') as late
       from webhook_attempts a join webhook_deliveries d on d.tenant_id = a.tenant_id and d.id = a.delivery_id where d.id = $1`, [deliveryId]);
    expect(times).toEqual({ late: false });
    await database.query('delete from webhook_work');
    expect(await work.switchOffFailing(10, PATIENCE_MS, leapt(), new RandomIds())).toBe(0);
    await service.query(`select switch_webhook_off($1, $2, null, false, true, interval '5 days', $3, gen_random_uuid())`, [tenantId, webhookId, leapt()]);
    expect(await standing()).toEqual([{ is_active: true, disabled_in_time: null }]);
    await database.query(`update webhooks set failing_since = now() - interval '6 days' where id = $1`, [webhookId]);
    expect(await work.switchOffFailing(10, PATIENCE_MS, leapt(), new RandomIds())).toBe(1);
    expect(await standing()).toEqual([{ is_active: false, disabled_in_time: true }]);
  });

  it('leases mails, and sets their next attempt, by the time of PostgreSQL', async () => {
    const [id, event] = [randomUUID(), await lowSequence()];
    await database.query(
      `insert into mails (tenant_id, id, cause, event_id, event_ids, notice, recipient, language, created_at, updated_at)
       values ($1, $2, 'notice', $3, array[$3::uuid], 'sequence.low', 'a@b.example', 'es', now(), now())`, [tenantId, id, event]);
    await database.query('delete from mail_outbox');
    await database.query(`insert into mail_outbox (tenant_id, id, kind, due_at) values ($1, $2, 'mail', now() + interval '1 day')`, [tenantId, id]);
    expect(await mails.claim(token, leapt(), MINUTE_MS, 4)).toEqual([]);
    await database.query('update mail_outbox set due_at = now()');
    const [claimed] = await mails.claim(token, leapt(), 10 * MINUTE_MS, 4) as [ClaimedWork];
    expect(await dueIn('mail_outbox')).toBe(10);
    expect(await mails.renew(claimed, token, leapt(), 20 * MINUTE_MS)).toBe(true);
    expect(await dueIn('mail_outbox')).toBe(20);
    const now = leapt();
    await mails.settle(claimed, token, { status: 'queued', failure: 'busy', messageId: null, dueAt: new Date(now.getTime() + 5 * MINUTE_MS) }, now);
    expect(await dueIn('mail_outbox')).toBe(5);
    await database.query('update mail_outbox set due_at = now()');
    await mails.claim(token, leapt(), MINUTE_MS, 4);
    await mails.giveBack(claimed, token, leapt());
    expect(await dueIn('mail_outbox')).toBe(0);
    expect(await database.query(`select updated_at < now() + interval '1 minute' as in_time from mails where id = $1`, [id])).toEqual([{ in_time: true }]);
  });

  it('writes to admins by the time of PostgreSQL', async () => {
    await database.query(`with person as (insert into users (id, email, name, email_verified_at, created_at, updated_at) values (gen_random_uuid(), 'a@b.example', 'Ana', now(), now(), now()) returning id)
      insert into members (tenant_id, id, user_id, email, role, status, invited_at, created_at, updated_at)
      select $1, gen_random_uuid(), id, 'a@b.example', 'tenant_owner', 'active', now(), now(), now() from person`, [tenantId]);
    const id = await lowSequence();
    const [claimed] = await mails.claim(token, leapt(), MINUTE_MS, 4);
    await notices.addressAdmins(claimed!, token, leapt());
    expect(await database.query('select count(*)::integer as written, bool_or(created_at > now() + interval \'1 minute\') as late from mails where event_id = $1', [id])).toEqual([{ written: 1, late: false }]);
    expect(await dueIn('mail_outbox')).toBe(0);
  });

  it('tells of numbers that run out now, not in the future', async () => {
    await database.query(
      `insert into sequence_counters (tenant_id, emission_point_id, document_type, environment, last_value)
       select tenant_id, id, '01', 'TEST', 999999990 from emission_points where tenant_id = $1`, [tenantId]);
    expect(await service.query('select notice_low_sequences(array[1000], $1) as told', [leapt()])).toEqual([{ told: 1 }]);
    expect(await dueIn('mail_outbox')).toBe(0);
  });

  it('tells of no certificate before its time', async () => {
    await database.query(`update certificates set valid_to = now() + interval '40 days'`);
    expect(await service.query('select notice_certificates($1) as written', [leapt()])).toEqual([{ written: 0 }]);
  });
});

/** What an API notes that goes by such a clock, and what becomes of times that lie ahead already. */
describe('an API whose clock leaps ahead', () => {
  let database: TestDatabase;
  let service: DataSource;
  let tenantId: string;
  const leapt = (): Date => new Date(Date.now() + 365 * DAY_MS);

  beforeAll(async () => {
    database = await createTestDatabase();
    service = await serviceConnections(database.url, 'api', 2);
    ({ tenantId } = await seedTenant(database));
  });
  afterAll(async () => {
    await service.destroy();
    await database.drop();
  });

  describe('and the answers of the registry', () => {
    const RUC = '1790012345001';
    let taxpayers: TaxpayersRepository;
    beforeEach(async () => {
      taxpayers = new TaxpayersRepository(new TenantTransaction(service));
      await database.query('delete from taxpayers; delete from buyers');
      await database.query(
        `insert into buyers (tenant_id, id, buyer_id_type, buyer_id, legal_name, created_at, updated_at) values ($1, gen_random_uuid(), '04', $2, 'X', now(), now())`, [tenantId, RUC]);
    });

    /** As a process of the former version keeps it, which tells its own time. */
    const answer = (status: string, at: Date): Promise<unknown> => service.query(`select remember_taxpayer($1, true, 'X', null, $2, null, null, $3)`, [RUC, status, at]);
    const inAYear = (table: string, column: string): Promise<unknown> => database.query(`update ${table} set ${column} = now() + interval '1 year'`);
    /** The status in the profile, and whether it is told to be from a time to come. */
    const verified = async (): Promise<unknown> => {
      await new TenantTransaction(service).run(tenantId, (manager) => manager.query('select verify_buyers($1, $2)', [tenantId, RUC]));
      return (await database.query('select contributor_status as status, sri_last_verified_at > now() as ahead from buyers'))[0];
    };

    it.each([['ahead', leapt], ['late', () => new Date(Date.now() - DAY_MS)]])('notes them by the time of PostgreSQL where its own is %s, so that the next one takes their place', async (_wrong, told) => {
      await answer('ACTIVO', told());
      const { ageMs = -1 } = await taxpayers.recall(RUC) ?? {};
      expect([ageMs >= 0, ageMs < DAY_MS]).toEqual([true, true]);
      expect(await verified()).toEqual({ status: 'ACTIVO', ahead: false });
      await answer('SUSPENDIDO', told());
      expect(await verified()).toEqual({ status: 'SUSPENDIDO', ahead: false });
    });

    it('puts any answer in the place of one from a time to come, which no profile takes', async () => {
      await answer('ACTIVO', new Date());
      await inAYear('taxpayers', 'verified_at');
      expect((await taxpayers.recall(RUC))?.ageMs).toBeLessThan(0);
      expect(await verified()).toEqual({ status: null, ahead: null });
      await inAYear('buyers', 'sri_last_verified_at');
      await answer('SUSPENDIDO', new Date(Date.now() - DAY_MS));
      expect(await verified()).toEqual({ status: 'SUSPENDIDO', ahead: false });
    });
  });

  it('notes the use of a key by the time of PostgreSQL, also where a time to come stands', async () => {
    const [key] = await database.query<{ id: string }>(
      `insert into api_keys (tenant_id, id, name, prefix, key_hash, environment, created_at) values ($1, gen_random_uuid(), 'x', 'svc_test_', sha256('x'), 'TEST', now()) returning id`, [tenantId]);
    const noted = async (now: Date): Promise<unknown> => {
      await service.query('select note_api_key_use($1, $2, $3)', [tenantId, key!.id, now]);
      return (await database.query('select last_used_at <= now() as in_time from api_keys where id = $1', [key!.id]))[0]?.['in_time'];
    };
    expect(await noted(leapt())).toBe(true);
    await database.query(`update api_keys set last_used_at = now() - interval '1 hour'`);
    expect(await noted(new Date(Date.now() - DAY_MS))).toBe(true);
    expect(await database.query(`select last_used_at > now() - interval '1 minute' as now from api_keys where id = $1`, [key!.id])).toEqual([{ now: true }]);
    await database.query(`update api_keys set last_used_at = now() + interval '1 year'`);
    expect(await noted(new Date())).toBe(true);
  });
});
