import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource, type EntityManager } from 'typeorm';
import { AuditLogRepository } from '../../src/modules/audit/persistence/audit-log.repository.js';
import { DeliveriesRepository } from '../../src/modules/webhooks/persistence/deliveries.repository.js';
import { type BegunAttempt, DispatchRepository } from '../../src/modules/webhooks/persistence/dispatch.repository.js';
import { WebhooksRepository } from '../../src/modules/webhooks/persistence/webhooks.repository.js';
import { SystemClock } from '../../src/platform/adapters/system-clock.js';
import { AuditTrail } from '../../src/platform/audit/audit-trail.js';
import { ownerDataSourceOptions } from '../../src/platform/database/connection.js';
import { TenantTransaction } from '../../src/platform/database/tenant-transaction.js';
import type { TenantContext } from '../../src/shared/tenant-context.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { serviceConnections } from '../support/service-connections.js';

const LEASE_MS = 60_000;
const HOUR_MS = 3_600_000;

describe('the work of webhooks', () => {
  let database: TestDatabase;
  let service: DataSource;
  let work: DispatchRepository;

  beforeAll(async () => {
    database = await createTestDatabase();
    service = await serviceConnections(database.url, 'api', 4);
    work = new DispatchRepository(new TenantTransaction(service));
  });
  afterAll(async () => {
    await service.destroy();
    await database.drop();
  });
  beforeEach(() => database.query('delete from webhook_work'));

  /** Who acts for a tenant: the key that has its id. */
  const acting = (tenantId: string): TenantContext => ({ tenantId, principal: { kind: 'api_key', id: tenantId }, environment: 'TEST' });
  /** A tenant with so many addresses, and so many events that are due at each. */
  async function tenant(webhooks: number, events: number, { since = new Date(Date.now() - HOUR_MS), fails = false } = {}): Promise<string> {
    const id = randomUUID();
    await database.query(`insert into tenants (id, name, created_at) values ($1, 'Tenant', now())`, [id]);
    await database.query(
      `insert into api_keys (tenant_id, id, name, prefix, key_hash, environment, created_at) values ($1, $1, 'key', 'svc_test_', $2, 'TEST', now())`, [id, randomBytes(32)]);
    await database.query(
      `insert into webhooks (tenant_id, id, url, is_active, failing_since, created_at, updated_at)
       select $1, gen_random_uuid(), 'https://receiver.example/', true, case when $3 then now() end, now(), now() from generate_series(1, $2)`, [id, webhooks, fails]);
    await database.query(`insert into events (tenant_id, id, type, created_at, data) select $1, gen_random_uuid(), 'sequence.low', $3, '{"sequence": {}}' from generate_series(1, $2)`, [id, events, since]);
    return id;
  }
  /** Whose deliveries are leased, as often as they are. */
  const claim = async (room: number): Promise<string[]> =>
    (await work.claim(randomUUID(), new Date(), LEASE_MS, { room, roomForFailing: Math.floor(room / 2), perWebhook: 8 })).map(({ tenantId }) => tenantId).sort();
  const times = (ids: readonly string[], count: number): string[] => ids.flatMap((id) => Array<string>(count).fill(id)).sort();

  it('of one tenant is at most a quarter of the room, an eighth where its addresses fail', async () => {
    const busy = await tenant(20, 4);
    expect(await claim(16)).toEqual(times([busy], 4));
    expect(await claim(12)).toEqual([]);
    const failing = await tenant(20, 1, { fails: true });
    expect(await claim(12)).toEqual(times([failing], 2));
    expect(await claim(10)).toEqual([]);
  });

  it('of a tenant with little goes before the older backlog of those with much under way', async () => {
    // More than what is found by its age alone.
    const busy = await Promise.all([1, 2, 3, 4, 5].map(() => tenant(4, 40)));
    expect(await claim(15)).toEqual(times(busy, 3));
    const quiet = await tenant(1, 1, { since: new Date() });
    expect(await claim(1)).toEqual([quiet]);
    // None of them is at its bound.
    expect(busy).toContain((await claim(1))[0]);
  });

  it.each([false, true])('that somebody asks for goes before all that its address has waiting (failing: %s)', async (fails) => {
    const id = await tenant(1, 50, { fails });
    const [{ webhook_id: webhookId } = { webhook_id: '' }, { delivery_id: again } = { delivery_id: '' }] = await database.query<{ webhook_id: string; delivery_id: string }>(
      'select webhook_id, delivery_id from webhook_work where tenant_id = $1 order by due_at desc limit 2', [id]);
    const deliveries = new DeliveriesRepository(new TenantTransaction(service));
    const asked = { event: randomUUID(), delivery: randomUUID() };
    await deliveries.replay(acting(id), webhookId, again, new Date());
    await deliveries.ping(acting(id), webhookId, asked, new Date());
    const claimed: string[] = [];
    while (claimed.length < 2) {
      const leased = await work.claim(randomUUID(), new Date(), LEASE_MS, { room: 8, roomForFailing: 8, perWebhook: 1 });
      for (const { deliveryId } of leased) {
        claimed.push(deliveryId);
        await database.query('delete from webhook_work where delivery_id = $1', [deliveryId]);
      }
    }
    expect(claimed).toEqual([asked.delivery, again]);
  });

  it('is nobody else\'s while its lease is held anew, and is not held by who lost it', async () => {
    const id = await tenant(1, 1);
    const claimedBy = async (token: string, at: Date): Promise<string | undefined> => (await work.claim(token, at, LEASE_MS, { room: 8, roomForFailing: 8, perWebhook: 8 }))[0]?.deliveryId;
    // All of it before now: PostgreSQL's clock holds back one that is ahead.
    const [mine, other, now] = [randomUUID(), randomUUID(), Date.now() - LEASE_MS * 2];
    const late = new Date(now + LEASE_MS * 0.8);
    const delivery = await claimedBy(mine, new Date(now));
    expect(await work.renew(id, delivery!, mine, late, LEASE_MS)).toBe(true);
    expect(await claimedBy(other, new Date(now + LEASE_MS * 1.5))).toBeUndefined();
    expect((await work.begin(id, delivery!, mine, late))?.number).toBe(1);
    expect(await claimedBy(other, new Date(now + LEASE_MS * 1.9))).toBe(delivery);
    expect(await work.renew(id, delivery!, mine, late, LEASE_MS)).toBe(false);
  });

  it('is begun again while an attempt of it ends, without either waiting for the other', async () => {
    const id = await tenant(1, 2);
    const [{ webhook_id: webhookId } = { webhook_id: '' }] = await database.query<{ webhook_id: string }>('select webhook_id from webhook_work where tenant_id = $1', [id]);
    const owner = await new DataSource(ownerDataSourceOptions(database.ownerUrl, 'provision')).initialize();
    const ending = owner.createQueryRunner();
    try {
      await ending.startTransaction();
      await ending.query('select 1 from webhook_work where tenant_id = $1 for update', [id]);
      const range = { from: new Date(Date.now() - 2 * HOUR_MS), to: new Date(), kinds: null };
      const replay = new DeliveriesRepository(new TenantTransaction(service)).replayRange(acting(id), webhookId, range, 10, new Date());
      while ((await database.query(`select 1 from pg_locks l join pg_stat_activity a using (pid) where a.datname = current_database() and not l.granted`)).length === 0) await sleep(10);
      await ending.query('update webhooks set failing_since = now() where tenant_id = $1', [id]);
      await ending.commitTransaction();
      expect(await replay).toBe(2);
    } finally {
      await ending.release();
      await owner.destroy();
    }
  });

  describe('and its bounds', () => {
    let deliveries: DeliveriesRepository;
    let webhooks: WebhooksRepository;
    beforeAll(() => {
      const transaction = new TenantTransaction(service);
      deliveries = new DeliveriesRepository(transaction);
      webhooks = new WebhooksRepository(transaction, new AuditTrail(transaction, new SystemClock()));
    });

    interface Work extends Record<string, string> {
      webhook_id: string;
      delivery_id: string;
    }
    const workOf = async (tenantId: string): Promise<Work> => (await database.query<Work>('select webhook_id, delivery_id from webhook_work where tenant_id = $1 limit 1', [tenantId]))[0]!;
    const deliveryOf = async (tenantId: string, { webhook_id, delivery_id }: Work) => (await deliveries.find(tenantId, webhook_id, delivery_id))!;
    const after = (ms: number): Date => new Date(Date.now() + ms);
    const DAY_MS = 24 * HOUR_MS;

    /** Leases a delivery, whenever it is due, and begins its attempt; null: it may not be made. */
    async function begin(tenantId: string, { delivery_id: id }: Work, at: Date): Promise<{ token: string; begun: BegunAttempt | null }> {
      const token = randomUUID();
      await database.query('update webhook_work set lease_token = $3 where tenant_id = $1 and delivery_id = $2', [tenantId, id, token]);
      return { token, begun: await work.begin(tenantId, id, token, at) };
    }
    const end = async (tenantId: string, { delivery_id: id }: Work, token: string, number: number, status: number, at: Date, nextAt: Date | null): Promise<void> =>
      work.end(tenantId, id, token, at, { number, outcome: status === 200 ? 'delivered' : 'refused', statusCode: status, durationMs: 1, nextAt, eventId: randomUUID() }, 5 * DAY_MS);
    /** An attempt as the dispatcher makes it. */
    async function attempt(tenantId: string, one: Work, status: number, at: Date, nextAt: Date | null = new Date(at.getTime() + 5_000)): Promise<void> {
      const { token, begun } = await begin(tenantId, one, at);
      await end(tenantId, one, token, begun!.number, status, at, nextAt);
    }
    const ping = async (tenantId: string, webhookId: string): Promise<Work> => ({ webhook_id: webhookId, delivery_id: (await deliveries.ping(acting(tenantId), webhookId, { event: randomUUID(), delivery: randomUUID() }, new Date()))!.id });

    it('work whose delivery is gone ends with the next look at it', async () => {
      const id = await tenant(1, 1);
      const one = await workOf(id);
      await database.query('delete from webhook_deliveries where tenant_id = $1', [id]);
      expect((await begin(id, one, new Date())).begun).toBeNull();
      expect(await database.query('select from webhook_work where tenant_id = $1', [id])).toEqual([]);
    });

    it('a replay is refused at once while another of the address is under way, and so is that of one delivery', async () => {
      const id = await tenant(1, 2);
      const one = await workOf(id);
      const owner = await new DataSource(ownerDataSourceOptions(database.ownerUrl, 'provision')).initialize();
      const other = owner.createQueryRunner();
      const range = { from: after(-2 * HOUR_MS), to: new Date(), kinds: null };
      try {
        await other.startTransaction();
        await other.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [one.webhook_id]);
        const refused = { code: 'RATE_LIMITED', detail: { retry_after_seconds: 5 } };
        await expect(deliveries.replayRange(acting(id), one.webhook_id, range, 10, new Date())).rejects.toMatchObject(refused);
        await expect(deliveries.replay(acting(id), one.webhook_id, one.delivery_id, new Date())).rejects.toMatchObject(refused);
        await other.commitTransaction();
      } finally {
        await other.release();
        await owner.destroy();
      }
      expect(await deliveries.replayRange(acting(id), one.webhook_id, range, 10, new Date())).toBe(2);
    });

    it.each([200, 500])('a delivery that is sent again while it is under way counts until it ends, and begins again then: %i', async (status) => {
      const id = await tenant(1, 1);
      const one = await workOf(id);
      const lease = async (token: string): Promise<string[]> => (await work.claim(token, new Date(), LEASE_MS, { room: 8, roomForFailing: 8, perWebhook: 8 })).map(({ deliveryId }) => deliveryId);
      const token = randomUUID();
      expect(await lease(token)).toEqual([one.delivery_id]);
      const { number } = (await work.begin(id, one.delivery_id, token, new Date()))!;
      const range = { from: after(-2 * HOUR_MS), to: after(HOUR_MS), kinds: null };
      expect((await deliveries.replay(acting(id), one.webhook_id, one.delivery_id, new Date()))?.status).toBe('pending');
      expect(await deliveries.replayRange(acting(id), one.webhook_id, range, 10, new Date())).toBe(1);
      expect(await lease(randomUUID())).toEqual([]);
      await end(id, one, token, number, status, new Date(), null);
      expect(await database.query('select last_attempt_failed as failed from webhooks where id = $1', [one.webhook_id])).toEqual([{ failed: status !== 200 }]);
      expect(await deliveryOf(id, one)).toMatchObject({ status: 'pending', finished_at: null });
      const anew = randomUUID();
      expect(await lease(anew)).toEqual([one.delivery_id]);
      expect(await work.begin(id, one.delivery_id, anew, new Date())).toMatchObject({ number: 2, round: 1 });
      await end(id, one, anew, 2, 200, new Date(), null);
      expect((await deliveryOf(id, one)).status).toBe('delivered');
    });

    it('a delivery that is sent again while it is under way goes before all that its address has waiting', async () => {
      const id = await tenant(1, 20);
      const lease = async (token: string): Promise<string[]> => (await work.claim(token, new Date(), LEASE_MS, { room: 8, roomForFailing: 8, perWebhook: 1 })).map(({ deliveryId }) => deliveryId);
      const token = randomUUID();
      const [first = ''] = await lease(token);
      const one = { webhook_id: (await workOf(id)).webhook_id, delivery_id: first };
      const { number } = (await work.begin(id, first, token, new Date()))!;
      await deliveries.replay(acting(id), one.webhook_id, first, new Date());
      await end(id, one, token, number, 200, new Date(), null);
      expect(await lease(randomUUID())).toEqual([first]);
    });

    it('a delivery whose worker has died is sent again at once', async () => {
      const id = await tenant(1, 1);
      const one = await workOf(id);
      const limits = { room: 8, roomForFailing: 8, perWebhook: 8 };
      expect(await work.claim(randomUUID(), after(-2 * LEASE_MS), LEASE_MS, limits)).toHaveLength(1);
      await deliveries.replay(acting(id), one.webhook_id, one.delivery_id, new Date());
      expect(await database.query('select lease_token from webhook_work where delivery_id = $1', [one.delivery_id])).toEqual([{ lease_token: null }]);
    });

    it('a worker that dies leads to one attempt more, in the same place of the schedule', async () => {
      const id = await tenant(1, 1);
      const one = await workOf(id);
      const rounds: (number | undefined)[] = [];
      /** Of whose end nothing is heard. */
      const lost = async (): Promise<void> => void rounds.push((await begin(id, one, new Date())).begun?.round);
      for (let death = 1; death <= 12; death += 1) await lost();
      expect(rounds).toEqual(Array<number>(12).fill(1));
      await attempt(id, one, 500, new Date());
      await lost();
      await lost();
      expect([rounds.slice(12), (await deliveryOf(id, one)).attempts_total]).toEqual([[2, 2], 15]);
      // Asked for again while it was under way, it begins anew.
      await deliveries.replay(acting(id), one.webhook_id, one.delivery_id, new Date());
      expect((await begin(id, one, new Date())).begun).toMatchObject({ number: 16, round: 1 });
    });

    it('a delivery that fifty workers in a row did not survive has failed, and is made again by a replay', async () => {
      const id = await tenant(1, 1);
      const one = await workOf(id);
      for (let death = 1; death <= 50; death += 1) expect((await begin(id, one, new Date())).begun).toMatchObject({ number: death });
      expect((await begin(id, one, new Date())).begun).toBeNull();
      expect(await deliveryOf(id, one)).toMatchObject({ status: 'failed', attempts_total: 50, next_attempt_at: null, finished_at: expect.any(Date) as Date });
      expect(await database.query('select from webhook_work where tenant_id = $1', [id])).toEqual([]);
      await deliveries.replay(acting(id), one.webhook_id, one.delivery_id, new Date());
      await attempt(id, one, 200, new Date(), null);
      expect((await deliveryOf(id, one)).status).toBe('delivered');
    });

    it('a replay of too many writes none of them, not even to undo it', async () => {
      const id = await tenant(1, 3);
      const one = await workOf(id);
      await database.query('delete from webhook_work where tenant_id = $1', [id]);
      const range = { from: after(-2 * HOUR_MS), to: after(HOUR_MS), kinds: null };
      const written = async (): Promise<unknown[]> => database.query('select count(*) from webhook_work where tenant_id = $1', [id]);
      await new TenantTransaction(service).run(id, async (manager) => {
        expect(await manager.query('select replay_events($1, $2, $3, $4, null, now(), 2) as replayed', [id, one.webhook_id, range.from, range.to])).toEqual([{ replayed: 3 }]);
        expect(await manager.query('select from webhook_work where tenant_id = $1', [id])).toEqual([]);
      });
      expect(await deliveries.replayRange(acting(id), one.webhook_id, range, 2, new Date())).toBe('too_many');
      expect(await written()).toEqual([{ count: '0' }]);
      expect(await deliveries.replayRange(acting(id), one.webhook_id, range, 3, new Date())).toBe(3);
      expect(await written()).toEqual([{ count: '3' }]);
    });

    it('a delivery is sent again twenty times an hour, alone or with others', async () => {
      const id = await tenant(1, 2);
      const one = await workOf(id);
      const now = new Date();
      const range = { from: after(-2 * HOUR_MS), to: after(HOUR_MS), kinds: null };
      for (let time = 1; time <= 19; time += 1) await deliveries.replay(acting(id), one.webhook_id, one.delivery_id, now);
      expect(await deliveries.replayRange(acting(id), one.webhook_id, range, 10, now)).toBe(2);
      const refused = { code: 'RATE_LIMITED', detail: { limit: 20, window_seconds: 3_600, retry_after_seconds: 3_540 } };
      const later = new Date(now.getTime() + 60_000);
      await expect(deliveries.replay(acting(id), one.webhook_id, one.delivery_id, later)).rejects.toMatchObject(refused);
      await expect(deliveries.replayRange(acting(id), one.webhook_id, range, 10, later)).rejects.toMatchObject(refused);
      expect((await deliveries.replay(acting(id), one.webhook_id, one.delivery_id, new Date(now.getTime() + HOUR_MS)))?.status).toBe('pending');
    });

    it('the last fifty attempts are shown, and how many there were', async () => {
      const id = await tenant(1, 1);
      const one = await workOf(id);
      for (let time = 1; time <= 53; time += 1) await attempt(id, one, 500, new Date());
      const shown = await deliveryOf(id, one);
      expect([shown.attempts.length, shown.attempts[0]?.number, shown.attempts.at(-1)?.number, shown.attempts_total]).toEqual([50, 4, 53, 53]);
      expect((await deliveries.page(id, one.webhook_id, null, 10, 0))?.rows).toEqual([shown]);
    });

    it('a ping that fails is no failure of the address, unless it is gone', async () => {
      const id = await tenant(1, 1);
      const { webhook_id: webhookId } = await workOf(id);
      await attempt(id, await ping(id, webhookId), 500, new Date(), null);
      expect(await webhooks.find(id, webhookId)).toMatchObject({ is_active: true, failing_since: null });
      await database.query(`update webhooks set failing_since = now() - interval '6 days' where id = $1`, [webhookId]);
      await attempt(id, await ping(id, webhookId), 500, new Date(), null);
      expect(await webhooks.find(id, webhookId)).toMatchObject({ is_active: true });
      await attempt(id, await ping(id, webhookId), 200, new Date(), null);
      expect(await webhooks.find(id, webhookId)).toMatchObject({ is_active: true, failing_since: null });
      await attempt(id, await ping(id, webhookId), 410, new Date(), null);
      expect(await webhooks.find(id, webhookId)).toMatchObject({ is_active: false, disabled_reason: 'gone', failing_since: expect.any(Date) });
    });

    it.each([[true], [false]])('addresses that time out at pings alone get the room of those that fail; switched on: %s', async (isActive) => {
      const bad = await Promise.all([1, 2, 3, 4].map(() => tenant(5, 0)));
      await database.query('update webhooks set is_active = $2 where tenant_id = any ($1)', [bad, isActive]);
      const hooks = await database.query<{ tenant_id: string; id: string }>('select tenant_id, id from webhooks where tenant_id = any ($1)', [bad]);
      for (const { tenant_id, id } of hooks) await attempt(tenant_id, await ping(tenant_id, id), 500, new Date(), null);
      for (const { tenant_id, id } of hooks) for (let times = 1; times <= 3; times += 1) await ping(tenant_id, id);
      const leased = await work.claim(randomUUID(), new Date(), LEASE_MS, { room: 128, roomForFailing: 64, perWebhook: 8 });
      expect([leased.length, leased.every(({ isFailing }) => isFailing)]).toEqual([20, true]);
    });

    it('an address that fails has the room of others again once something arrives there, it is another or is switched on', async () => {
      const id = await tenant(1, 1);
      const one = await workOf(id);
      const { webhook_id: webhookId } = one;
      const failed = async () => (await database.query<{ failed: boolean }>('select last_attempt_failed as failed from webhooks where id = $1', [webhookId]))[0]?.failed;
      const version = async () => (await database.query<{ xmin: string }>('select xmin::text from webhooks where id = $1', [webhookId]))[0]?.xmin;
      const test = async (status: number) => attempt(id, await ping(id, webhookId), status, new Date(), null);
      const { url } = (await webhooks.find(id, webhookId))!;
      const untouched = await version();
      await test(200);
      expect([await failed(), await version()]).toEqual([false, untouched]);
      await test(500);
      const noted = await version();
      await test(500);
      // Told once.
      expect([await failed(), await version()]).toEqual([true, noted]);
      await webhooks.update(acting(id), webhookId, { url }, new Date());
      expect(await failed()).toBe(true);
      await test(200);
      expect(await failed()).toBe(false);
      // Both notes of what counts are one write.
      await attempt(id, one, 500, new Date());
      expect([await failed(), (await webhooks.find(id, webhookId))?.failing_since]).toEqual([true, expect.any(Date)]);
      await webhooks.update(acting(id), webhookId, { is_active: true }, new Date());
      expect(await failed()).toBe(false);
      await test(500);
      const { token, begun } = await begin(id, one, new Date());
      await webhooks.update(acting(id), webhookId, { url: 'https://another.example/' }, new Date());
      expect(await failed()).toBe(false);
      // Of the former address.
      await end(id, one, token, begun!.number, 500, new Date(), new Date());
      expect(await failed()).toBe(false);
      // Of the service.
      for (const outcome of ['secret_unavailable', 'internal']) {
        const unsent = await begin(id, one, new Date());
        await work.end(id, one.delivery_id, unsent.token, new Date(), { number: unsent.begun!.number, outcome, statusCode: null, durationMs: 1, nextAt: new Date(), eventId: randomUUID() }, 5 * DAY_MS);
        expect(await failed()).toBe(false);
      }
    });

    it('an address is not switched off at the first attempt of a delivery, however long ago another failed', async () => {
      const id = await tenant(1, 1);
      const one = await workOf(id);
      await database.query(`update webhooks set failing_since = now() - interval '6 days' where id = $1`, [one.webhook_id]);
      await attempt(id, one, 500, new Date());
      expect(await webhooks.find(id, one.webhook_id)).toMatchObject({ is_active: true });
      await attempt(id, one, 500, new Date());
      expect(await webhooks.find(id, one.webhook_id)).toMatchObject({ is_active: false, disabled_reason: 'failing' });
    });

    it('an address at which nothing arrived for days is switched off when nothing is tried there any more', async () => {
      const sweep = () => work.switchOffFailing(100, 5 * DAY_MS, new Date(), { uuid: () => randomUUID() });
      /** An address whose deliveries have all failed, the last of them long ago. */
      const silent = async (since: string): Promise<{ id: string; one: Work }> => {
        const id = await tenant(1, 1);
        const one = await workOf(id);
        await attempt(id, one, 500, new Date(), null);
        await database.query('update webhooks set failing_since = now() - $2::interval where tenant_id = $1', [id, since]);
        return { id, one };
      };
      const state = async ({ id, one }: { id: string; one: Work }): Promise<unknown> => {
        const told = await database.query(`select data -> 'webhook' ->> 'id' as id from events where tenant_id = $1 and type = 'webhook.disabled'`, [id]);
        const { is_active, disabled_reason } = (await webhooks.find(id, one.webhook_id))!;
        return [is_active, disabled_reason, told.length];
      };
      const [days, hours, overdue, underWay, later] = [await silent('5 days 1 second'), await silent('4 days 23 hours'), await silent('6 days'), await silent('6 days'), await silent('6 days')];
      const due = async ({ id }: { id: string }, wait: string, token: string | null): Promise<unknown> => {
        await database.query(`insert into events (tenant_id, id, type, created_at, data) values ($1, gen_random_uuid(), 'sequence.low', now(), '{"sequence": {}}')`, [id]);
        return database.query('update webhook_work set due_at = now() + $2::interval, lease_token = $3 where tenant_id = $1', [id, wait, token]);
      };
      await due(overdue, '-1 second', null);
      await due(underWay, '1 minute', randomUUID());
      await due(later, '10 hours', null);
      expect(await sweep()).toBe(1);
      expect(await state(days)).toEqual([false, 'failing', 1]);
      for (const one of [hours, overdue, underWay, later]) expect(await state(one)).toEqual([true, null, 0]);
      // Told once, and by one who looks at what another has done meanwhile.
      expect(await sweep()).toBe(0);
      const again = `select switch_webhook_off($1, $2, null, false, true, interval '5 days', now(), gen_random_uuid()) as switched`;
      for (const { id, one } of [days, hours]) expect(await database.query(again, [id, one.webhook_id])).toEqual([{ switched: false }]);
    });

    it('an address is told of without its path, which may be a secret', async () => {
      const told = async (url: string): Promise<unknown> => {
        const id = await tenant(1, 1);
        const one = await workOf(id);
        await database.query('update webhooks set url = $2 where id = $1', [one.webhook_id, url]);
        await ping(id, one.webhook_id);
        await attempt(id, one, 410, new Date(), null);
        return database.query(`select type, data -> 'webhook' ->> 'url' as url from events where tenant_id = $1 and data ? 'webhook' order by type`, [id]);
      };
      for (const [url, shown] of [
        ['https://receiver.example/hooks/T0/secret?token=secret', 'https://receiver.example'], ['https://receiver.example:8443/?secret', 'https://receiver.example:8443'], ['https://[2606:4700::1]/secret', 'https://[2606:4700::1]'],
      ] as const) expect(await told(url)).toEqual([{ type: 'ping', url: shown }, { type: 'webhook.disabled', url: shown }]);
    });

    it('another address begins without a failure, and what the former one says late counts for nothing there', async () => {
      const id = await tenant(1, 1, { fails: true });
      const one = await workOf(id);
      const { url, failing_since } = (await webhooks.find(id, one.webhook_id))!;
      // The same address is no other one.
      expect((await webhooks.update(acting(id), one.webhook_id, { url }, new Date()))?.failing_since).toEqual(failing_since);
      const { token, begun } = await begin(id, one, new Date());
      expect(begun?.url).toBe(url);
      expect((await webhooks.update(acting(id), one.webhook_id, { url: 'https://another.example/' }, new Date()))?.failing_since).toBeNull();
      await end(id, one, token, begun!.number, 410, new Date(), null);
      expect(await webhooks.find(id, one.webhook_id)).toMatchObject({ is_active: true, failing_since: null });
      // It is made at the other address.
      expect(await deliveryOf(id, one)).toMatchObject({ status: 'pending', next_attempt_at: expect.any(Date), finished_at: null });
      const again = await begin(id, one, new Date());
      expect(again.begun?.url).toBe('https://another.example/');
      await end(id, one, again.token, again.begun!.number, 410, new Date(), null);
      expect(await webhooks.find(id, one.webhook_id)).toMatchObject({ is_active: false, disabled_reason: 'gone' });
    });

    it('a success at the former address does not take back a failure at the other one', async () => {
      const id = await tenant(1, 1);
      const one = await workOf(id);
      const { token, begun } = await begin(id, one, new Date());
      await webhooks.update(acting(id), one.webhook_id, { url: 'https://another.example/' }, new Date());
      await database.query('update webhooks set failing_since = now() where id = $1', [one.webhook_id]);
      await end(id, one, token, begun!.number, 200, new Date(), null);
      expect([(await deliveryOf(id, one)).status, (await webhooks.find(id, one.webhook_id))?.failing_since]).toEqual(['delivered', expect.any(Date)]);
    });

    it('what waits after failures at the former address is due at the other one at once, what is under way when it fails, and what waits after failures there is not', async () => {
      const id = await tenant(1, 4);
      const [late, underWay, aside, young] = (await database.query<Work>('select webhook_id, delivery_id from webhook_work where tenant_id = $1', [id])) as [Work, Work, Work, Work];
      const later = new Date(Date.now() + 24 * HOUR_MS);
      const fail = async (one: Work): Promise<void> => {
        const { token, begun } = await begin(id, one, new Date());
        await end(id, one, token, begun!.number, 500, new Date(), later);
      };
      await fail(late);
      await database.query(`update webhook_deliveries set next_attempt_at = null where id = $1`, [aside.delivery_id]);
      await database.query(`update webhook_work set due_at = now() + interval '3 days' where delivery_id = $1`, [aside.delivery_id]);
      const { token, begun } = await begin(id, underWay, new Date());
      const dueOf = async (one: Work) => (await database.query<{ due_at: Date }>('select due_at from webhook_work where tenant_id = $1 and delivery_id = $2', [id, one.delivery_id]))[0]?.due_at;

      const at = new Date();
      await webhooks.update(acting(id), late.webhook_id, { url: 'https://another.example/' }, at);
      expect([await deliveryOf(id, late), await dueOf(late)]).toMatchObject([{ status: 'pending', next_attempt_at: at }, at]);
      expect(await deliveryOf(id, aside)).toMatchObject({ status: 'pending', next_attempt_at: null });
      const ended = new Date();
      await end(id, underWay, token, begun!.number, 500, ended, later);
      expect([await deliveryOf(id, underWay), await dueOf(underWay)]).toMatchObject([{ status: 'pending', next_attempt_at: ended }, ended]);
      // Its place in the schedule stays.
      expect((await begin(id, late, new Date())).begun).toMatchObject({ number: 2, round: 2, url: 'https://another.example/' });

      await fail(young);
      await webhooks.update(acting(id), young.webhook_id, { url: 'https://another.example/' }, new Date());
      expect([await deliveryOf(id, young), await dueOf(young)]).toMatchObject([{ next_attempt_at: later }, later]);
    });

    it('what waits is brought forward in parts, each row looked at once, also those of one instant', async () => {
      const id = await tenant(1, 30);
      const { webhook_id: webhookId } = await workOf(id);
      await database.query(`update webhook_work w set due_at = now() + interval '1 hour' + interval '1 microsecond' * (row.n / 3) from (select delivery_id, row_number() over () as n from webhook_work where tenant_id = $1) row where row.delivery_id = w.delivery_id`, [id]);
      await database.query(`update webhook_deliveries set next_attempt_at = now() + interval '1 hour', attempts = 1 where tenant_id = $1`, [id]);
      const parts: number[] = [];
      for (let after: string | null = new Date().toISOString(); after !== null; ) {
        [{ after }] = (await new TenantTransaction(service).call(id, 'select bring_some_deliveries_forward($1, $2, now(), $3, 8)::text as after', [webhookId, after])) as [{ after: string | null }];
        const [{ due }] = (await database.query('select count(*)::integer as due from webhook_work where tenant_id = $1 and due_at <= now()', [id])) as [{ due: number }];
        parts.push(due);
      }
      expect(parts).toEqual([8, 17, 26, 30, 30]);
    });

    it('what is due while the webhook is off waits three days to be switched on, and goes on in its schedule then', async () => {
      const id = await tenant(1, 2);
      const one = await workOf(id);
      await attempt(id, one, 500, new Date());
      await webhooks.update(acting(id), one.webhook_id, { is_active: false }, new Date());
      expect((await begin(id, one, new Date())).begun).toBeNull();
      expect(await deliveryOf(id, one)).toMatchObject({ status: 'pending', next_attempt_at: null, finished_at: null });
      const at = new Date();
      await webhooks.update(acting(id), one.webhook_id, { is_active: true }, at);
      expect((await deliveryOf(id, one)).next_attempt_at).toEqual(at);
      expect(await database.query('select due_at from webhook_work where tenant_id = $1 and delivery_id = $2', [id, one.delivery_id])).toEqual([{ due_at: at }]);
      // The other one was due later than that, and stays so.
      expect(await database.query('select 1 from webhook_work where tenant_id = $1 and due_at = $2', [id, at])).toHaveLength(1);
      expect((await begin(id, one, new Date())).begun).toMatchObject({ number: 2, round: 2 });
    });

    it('what waits to be switched on is found by itself, however many others are tried again later, also what is due already', async () => {
      const id = await tenant(1, 20_000);
      const { webhook_id: webhookId } = await workOf(id);
      await database.query(`update webhook_work set due_at = now() + interval '1 hour' where tenant_id = $1`, [id]);
      await database.query(`update webhook_deliveries set next_attempt_at = now() + interval '1 hour' where tenant_id = $1`, [id]);
      await database.query(
        `with aside as (
           update webhook_deliveries set next_attempt_at = null where id in (select id from webhook_deliveries where tenant_id = $1 limit 7) returning id
         ) update webhook_work set due_at = now() + case when delivery_id = (select id from aside limit 1) then '-1 hour' else '3 days'::interval end
           where tenant_id = $1 and delivery_id in (select id from aside)`, [id]);
      // Of the rows as they were before no index knows any more.
      await database.query('vacuum analyze webhook_deliveries');
      await database.query('vacuum analyze webhook_work');
      const session = service.createQueryRunner();
      try {
        // What its transactions before read does not count.
        await session.query('select pg_stat_force_next_flush()');
        await session.startTransaction();
        const resume = (limit: number): Promise<unknown> => session.query('select resume_some_deliveries($1, $2, now(), $3) as resumed', [id, webhookId, limit]);
        expect([await resume(5), await resume(5), await resume(5)]).toEqual([5, 2, 0].map((resumed) => [{ resumed }]));
        const [{ read }] = (await session.query(
          `select sum(seq_tup_read + idx_tup_fetch)::integer as read from pg_stat_xact_user_tables where relname in ('webhook_work', 'webhook_deliveries')`)) as [{ read: number }];
        expect(read).toBeLessThan(200);
        expect(await session.query(`select count(*)::integer as due, min(due_at) < now() - interval '59 minutes' as keeps_its_place from webhook_work where tenant_id = $1 and due_at <= now()`, [id]))
          .toEqual([{ due: 7, keeps_its_place: true }]);
        await session.commitTransaction();
      } finally {
        await session.release();
      }
    });

    it('what an API left set aside when it ended goes on by the worker, and what waits for a webhook that is off stays', async () => {
      const [on, off] = [await tenant(2, 3), await tenant(1, 3)];
      for (const id of [on, off]) {
        await database.query('update webhook_deliveries set next_attempt_at = null where tenant_id = $1', [id]);
        await database.query(`update webhook_work set due_at = now() + interval '3 days' where tenant_id = $1`, [id]);
      }
      await database.query('update webhooks set is_active = false where tenant_id = $1', [off]);
      const aside = (id: string): Promise<unknown> =>
        database.query(
          `select count(*) filter (where d.next_attempt_at is null)::integer as aside, count(*) filter (where w.due_at <= now())::integer as due
           from webhook_deliveries d join webhook_work w on w.tenant_id = d.tenant_id and w.delivery_id = d.id where d.tenant_id = $1`, [id]);
      const before = await aside(on);
      await work.resumeSetAside(100, new Date(), new AbortController().signal);
      expect(before).toEqual([{ aside: expect.any(Number), due: 0 }]);
      expect(await aside(on)).toEqual((before as { aside: number }[]).map((row) => ({ aside: 0, due: row.aside })));
      expect(await aside(off)).toEqual([{ aside: 3, due: 0 }]);
    });

    it('what nobody switches on in that time has failed, and what was removed fails at once', async () => {
      const id = await tenant(1, 2);
      const [one, two] = (await database.query<Work>('select webhook_id, delivery_id from webhook_work where tenant_id = $1', [id])) as [Work, Work];
      await webhooks.update(acting(id), one.webhook_id, { is_active: false }, new Date());
      await begin(id, one, new Date());
      const [{ wait } = { wait: 0 }] = await database.query<{ wait: number }>(`select extract(epoch from due_at - now())::integer as wait from webhook_work where tenant_id = $1 and delivery_id = $2`, [id, one.delivery_id]);
      expect(Math.abs(wait - 3 * 86_400)).toBeLessThan(60);
      expect((await begin(id, one, after(3 * DAY_MS))).begun).toBeNull();
      expect(await deliveryOf(id, one)).toMatchObject({ status: 'failed', next_attempt_at: null, finished_at: expect.any(Date) });
      await webhooks.remove(acting(id), one.webhook_id, new Date());
      expect((await begin(id, two, new Date())).begun).toBeNull();
      expect(await database.query('select status from webhook_deliveries where id = $1', [two.delivery_id])).toEqual([{ status: 'failed' }]);
      expect(await database.query('select 1 from webhook_work where tenant_id = $1', [id])).toEqual([]);
    });
  });

  it('is counted to ten thousand, as lines of the audit log are, and can be read behind it', async () => {
    const id = await tenant(1, 10_050);
    await database.query(`insert into audit_log (tenant_id, id, at, actor_kind, action) select $1, gen_random_uuid(), now(), 'system', 'x' from generate_series(1, 10050)`, [id]);
    const transaction = new TenantTransaction(service);
    const [{ webhook_id: webhookId } = { webhook_id: '' }] = await database.query<{ webhook_id: string }>('select webhook_id from webhook_work where tenant_id = $1 limit 1', [id]);
    const deliveries = await new DeliveriesRepository(transaction).page(id, webhookId, 'pending', 100, 10_000);
    expect([deliveries?.total, deliveries?.rows.length]).toEqual([10_000, 50]);
    const lines = await new AuditLogRepository(transaction).list(id, { action: null, actorId: null, from: null, until: null }, 100, 10_000);
    expect([lines.total, lines.rows.length]).toEqual([10_000, 50]);
    expect((await new DeliveriesRepository(transaction).page(id, webhookId, 'failed', 100, 0))?.total).toBe(0);
  });

  it('is written for an event, and the webhooks listed, without reading those that were removed', async () => {
    const id = await tenant(3, 0);
    await database.query(
      `insert into webhooks (tenant_id, id, url, is_active, created_at, updated_at, deleted_at)
       select $1, gen_random_uuid(), 'https://receiver.example/', false, now(), now(), now() from generate_series(1, 5000)`, [id]);
    await database.query('vacuum analyze webhooks');
    const transaction = new TenantTransaction(service);
    const read = async (act: (manager: EntityManager) => Promise<unknown>): Promise<number> =>
      transaction.run(id, async (manager) => {
        const rows = async (): Promise<number> =>
          (await manager.query<{ read: number }[]>(`select (seq_tup_read + idx_tup_fetch)::integer as read from pg_stat_xact_user_tables where relid = 'sello.webhooks'::regclass`))[0]!.read;
        const before = await rows();
        await act(manager);
        return (await rows()) - before;
      });
    expect(await read((manager) => manager.query(`insert into events (tenant_id, id, type, created_at, data) values ($1, gen_random_uuid(), 'sequence.low', now(), '{"sequence": {}}')`, [id]))).toBeLessThan(20);
    const plan = async (sql: string): Promise<string> => JSON.stringify(await database.query(`explain ${sql}`));
    expect(await plan(`select * from webhooks where tenant_id = '${id}' and deleted_at is null order by created_at desc, id desc limit 20 offset 0`)).toContain('webhooks_standing');
    expect(await plan(`select count(*) from webhooks where tenant_id = '${id}' and deleted_at is null`)).toMatch(/webhooks_standing/);
  });

  it.each(['failed', 'pending'] as const)('that is %s is found without reading all that was delivered since', async (status) => {
    // A connection may tell PostgreSQL seconds later what it read, at its end at the latest.
    await service.destroy();
    const id = await tenant(1, 10_000);
    const [{ webhook_id: webhookId } = { webhook_id: '' }] = await database.query<{ webhook_id: string }>('select webhook_id from webhook_work where tenant_id = $1 limit 1', [id]);
    // What the planner believed of the few deliveries before these would join them row by row.
    await database.query('analyze webhook_deliveries');
    await database.query(
      `update webhook_deliveries d set finished_at = now(), status = case when n <= 60 then $2 else 'delivered' end, created_at = created_at + n * interval '1 second'
       from (select x.id, row_number() over () as n from webhook_deliveries x where x.tenant_id = $1) made where d.tenant_id = $1 and d.id = made.id`, [id, status]);
    await database.query(`delete from webhook_work w using webhook_deliveries d where w.tenant_id = $1 and d.tenant_id = $1 and d.id = w.delivery_id and d.status <> 'pending'`, [id]);
    for (const table of ['webhook_deliveries', 'webhook_work']) await database.query(`vacuum analyze ${table}`);
    service = await serviceConnections(database.url, 'api', 1);
    const read = async (): Promise<number> => {
      await service.query('select pg_stat_force_next_flush()');
      const [row] = await service.query<{ read: string }[]>(
        `select t.seq_tup_read + (select sum(i.idx_tup_read) from pg_stat_user_indexes i where i.relid = t.relid) as read
         from pg_stat_user_tables t where t.relid = 'sello.webhook_deliveries'::regclass`);
      return Number(row?.read);
    };
    await database.counted();
    const before = await read();
    const page = await new DeliveriesRepository(new TenantTransaction(service)).page(id, webhookId, status, 50, 0);
    expect([page?.total, page?.rows.length, page?.rows.every((one) => one.status === status)]).toEqual([60, 50, true]);
    expect(await read() - before).toBeLessThan(1_000);
  });
});
