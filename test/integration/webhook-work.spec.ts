import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { AuditLogRepository } from '../../src/modules/audit/persistence/audit-log.repository.js';
import { DeliveriesRepository } from '../../src/modules/webhooks/persistence/deliveries.repository.js';
import { DispatchRepository } from '../../src/modules/webhooks/persistence/dispatch.repository.js';
import { ownerDataSourceOptions, serviceDataSourceOptions } from '../../src/platform/database/connection.js';
import { TenantTransaction } from '../../src/platform/database/tenant-transaction.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

const LEASE_MS = 60_000;
const HOUR_MS = 3_600_000;

describe('the work of webhooks', () => {
  let database: TestDatabase;
  let service: DataSource;
  let work: DispatchRepository;

  beforeAll(async () => {
    database = await createTestDatabase();
    service = await new DataSource(serviceDataSourceOptions(database.url, 4)).initialize();
    work = new DispatchRepository(new TenantTransaction(service));
  });
  afterAll(async () => {
    await service.destroy();
    await database.drop();
  });
  beforeEach(() => database.query('delete from webhook_work'));

  /** A tenant with so many addresses, and so many events that are due at each. */
  async function tenant(webhooks: number, events: number, { since = new Date(Date.now() - HOUR_MS), fails = false } = {}): Promise<string> {
    const id = randomUUID();
    await database.query(`insert into tenants (id, name, created_at) values ($1, 'Tenant', now())`, [id]);
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

  it('is begun again while an attempt of it ends, without either waiting for the other', async () => {
    const id = await tenant(1, 2);
    const [{ webhook_id: webhookId } = { webhook_id: '' }] = await database.query<{ webhook_id: string }>('select webhook_id from webhook_work where tenant_id = $1', [id]);
    const owner = await new DataSource(ownerDataSourceOptions(database.ownerUrl)).initialize();
    const ending = owner.createQueryRunner();
    try {
      await ending.startTransaction();
      await ending.query('select 1 from webhook_work where tenant_id = $1 for update', [id]);
      const range = { from: new Date(Date.now() - 2 * HOUR_MS), to: new Date(), kinds: null };
      const replay = new DeliveriesRepository(new TenantTransaction(service)).replayRange(id, webhookId, range, 10, new Date());
      while ((await database.query(`select 1 from pg_locks l join pg_stat_activity a using (pid) where a.datname = current_database() and not l.granted`)).length === 0) await sleep(10);
      await ending.query('update webhooks set failing_since = now() where tenant_id = $1', [id]);
      await ending.commitTransaction();
      expect(await replay).toBe(2);
    } finally {
      await ending.release();
      await owner.destroy();
    }
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
});
