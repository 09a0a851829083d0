import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { BEFORE_ALL, cursorOf, type EventPosition, positionOf } from '../../src/modules/events/event-position.js';
import { type EventSelection, type EventsFound, EventsRepository } from '../../src/modules/events/persistence/events.repository.js';
import { TenantTransaction } from '../../src/platform/database/tenant-transaction.js';
import type { TenantContext } from '../../src/shared/tenant-context.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { seedTenant } from '../support/seed.js';
import { serviceConnections } from '../support/service-connections.js';
import { eventsShown } from '../support/shown-events.js';

const ALL: EventSelection = { type: null, documentId: null };

describe('pages of events', () => {
  let database: TestDatabase;
  let service: DataSource;
  let events: EventsRepository;

  beforeAll(async () => {
    database = await createTestDatabase();
    service = await serviceConnections(database.url, 'api', 1);
    events = new EventsRepository(new TenantTransaction(service));
  });
  afterAll(async () => {
    await service.destroy();
    await database.drop();
  });

  const acting = (tenantId: string, id: string): TenantContext => ({ tenantId, principal: { kind: 'api_key', id }, environment: 'TEST' });

  describe('of a tenant whose events are large', () => {
    let tenant: TenantContext;
    /** In their order, every fifth of another kind and small. */
    let ids: string[];
    beforeAll(async () => {
      const { tenantId, apiKeyId } = await seedTenant(database);
      tenant = acting(tenantId, apiKeyId);
      ids = Array.from({ length: 15 }, () => randomUUID());
      // Compresses well, as invoices of many lines do.
      for (const [index, id] of ids.entries()) {
        await database.query(
          `insert into events (tenant_id, id, type, created_at, data) values ($1, $2, $3, now(), jsonb_build_object('sequence', jsonb_build_object('issuer_id', repeat('x', $4::integer))))`,
          [tenantId, id, index % 5 === 4 ? 'issuer.paused' : 'sequence.low', index % 5 === 4 ? 10 : 400_000]);
      }
      await eventsShown(database);
    });
    const pages = async (selection: EventSelection, limit: number): Promise<EventsFound[]> => {
      const found: EventsFound[] = [];
      for (let at: EventPosition = BEFORE_ALL; found.at(-1)?.isMore !== false; at = found.at(-1)!.at) found.push(await events.after(tenant, at, selection, limit, new Date()));
      return found;
    };
    const idsOf = (found: readonly EventsFound[]): string[] => found.flatMap((page) => page.events.map(({ id }) => id));

    it('end behind about a megabyte, and go on there: none is passed over', async () => {
      const found = await pages(ALL, 100);
      expect(idsOf(found)).toEqual(ids);
      for (const page of found) expect([JSON.stringify(page.events).length < 1_600_000, page.events.length > 0]).toEqual([true, true]);
      expect(found.map(({ events: { length } }) => length)).toEqual([3, 4, 4, 3, 1]);
    });

    it('hold as many as are asked for where those are small, whatever lies between', async () => {
      const small = ids.filter((_id, index) => index % 5 === 4);
      expect((await pages({ ...ALL, type: 'issuer.paused' }, 100)).map((page) => idsOf([page]))).toEqual([small]);
      expect((await pages({ ...ALL, type: 'issuer.paused' }, 2)).map((page) => idsOf([page]))).toEqual([small.slice(0, 2), small.slice(2)]);
    });

    it('hold one at least', async () => {
      const [first] = await pages(ALL, 1);
      expect([idsOf([first!]), first!.isMore]).toEqual([[ids[0]], true]);
    });
  });

  describe('of a tenant of whose events retention removed some', () => {
    let tenant: TenantContext;
    let ids: string[];
    /** The place of each event, as it was given before anything was removed. */
    let places: EventPosition[];
    const after = (at: EventPosition | null, limit = 100): Promise<EventsFound> => events.after(tenant, at, ALL, limit, new Date());
    const idsOf = (found: EventsFound): string[] => found.events.map(({ id }) => id);
    /** As `npm run retention` removes it. */
    const remove = async (...indexes: number[]): Promise<void> => {
      await database.query(`update events set created_at = now() - interval '40 days' where id = any ($1)`, [indexes.map((index) => ids[index])]);
      await database.query(`select rows_past_keeping('events', now() - interval '31 days', 0, 10000, true)`);
    };
    beforeEach(async () => {
      const { tenantId, apiKeyId } = await seedTenant(database);
      tenant = acting(tenantId, apiKeyId);
      ids = Array.from({ length: 6 }, () => randomUUID());
      for (const id of ids) await database.query(`insert into events (tenant_id, id, type, created_at, data) values ($1, $2, 'document.authorized', now(), '{}')`, [tenantId, id]);
      await eventsShown(database);
      const found = await after(BEFORE_ALL);
      expect(found.isExpired).toBe(false);
      places = found.events.map(({ xid, position, lineage, removals }) => ({ xid, position, lineage, removals }));
    });

    it('have expired before the newest of them and not at it, and begin with the oldest that is kept', async () => {
      await remove(0, 1, 2);
      expect(await Promise.all(places.map(async (place) => (await after(place)).isExpired))).toEqual([true, true, false, false, false, false]);
      expect(idsOf(await after(places[2]!))).toEqual(ids.slice(3));
      const anew = await after(BEFORE_ALL);
      expect([anew.isExpired, idsOf(anew)]).toEqual([false, ids.slice(3)]);
      expect((await after(null)).isExpired).toBe(false);
    });

    it('go on for who begins anew among what is kept before the newest of them, until more are removed', async () => {
      await remove(1, 3);
      const first = await after(BEFORE_ALL, 1);
      const second = await after(positionOf(cursorOf(first.at), []), 1);
      expect([idsOf(first), idsOf(second), first.isExpired, second.isExpired]).toEqual([[ids[0]], [ids[2]], false, false]);
      expect((await after(places[0]!)).isExpired).toBe(true);
      await remove(4);
      expect((await after(second.at)).isExpired).toBe(true);
      expect((await after(positionOf(cursorOf((await after(BEFORE_ALL)).at), []))).isExpired).toBe(false);
    });

    it('stay readable when none is left', async () => {
      await remove(0, 1, 2, 3, 4, 5);
      const anew = await after(BEFORE_ALL);
      expect([anew.isExpired, idsOf(anew), (await after(positionOf(cursorOf(anew.at), []))).isExpired]).toEqual([false, [], false]);
      expect((await after(places[4]!)).isExpired).toBe(true);
    });

    it('have expired just so in a database that was restored elsewhere, whose transactions begin anew', async () => {
      await remove(0, 1, 2);
      for (const table of ['events', 'removed_events']) await database.query(`update ${table} set xid = '99999999999' where tenant_id = $1`, [tenant.tenantId]);
      await database.query('select settle_restored_events()');
      const expired = await Promise.all([1, 2, 3].map(async (index) => (await after({ ...places[index]!, xid: '99999999999' })).isExpired));
      expect(expired).toEqual([true, false, false]);
    });
  });

  it('go on for an administrator of the platform in a tenant that is closed, and for nobody else', async () => {
    const { tenantId, apiKeyId } = await seedTenant(database);
    const [userId, sessionId] = [randomUUID(), randomUUID()];
    await database.query(`insert into users (id, email, name, is_platform_admin, created_at, updated_at) values ($1, $2, 'Ana', true, now(), now())`, [userId, `${userId}@example.com`]);
    await database.query(`insert into sessions (id, user_id, created_at, expires_at) values ($1, $2, now(), now() + interval '1 day')`, [sessionId, userId]);
    const admin: TenantContext = { tenantId, principal: { kind: 'user', id: userId, sessionId, memberId: null, role: 'platform_admin' }, environment: 'TEST' };
    const stands = async (tenant: TenantContext): Promise<boolean[]> =>
      Promise.all([null, BEFORE_ALL].map(async (at) => (await events.after(tenant, at, ALL, 1, new Date())).isCredentialValid));
    expect([await stands(admin), await stands(acting(tenantId, apiKeyId))]).toEqual([[true, true], [true, true]]);
    await database.query('update tenants set is_active = false where id = $1', [tenantId]);
    expect([await stands(admin), await stands(acting(tenantId, apiKeyId))]).toEqual([[true, true], [false, false]]);
    await database.query('update sessions set ended_at = now() where id = $1', [sessionId]);
    expect(await stands(admin)).toEqual([false, false]);
  });
});
