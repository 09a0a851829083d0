import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import Bull from 'bull';
import type { DataSource } from 'typeorm';
import type { Settings } from '../../src/config/settings.js';
import { SystemClock } from '../../src/platform/adapters/system-clock.js';
import { TenantTransaction } from '../../src/platform/database/tenant-transaction.js';
import { DocumentsRepository } from '../../src/modules/documents/persistence/documents.repository.js';
import { DueWork } from '../../src/platform/outbox/due-work.js';
import { IssuanceBell, type IssuanceJob } from '../../src/platform/queue/issuance-bell.js';
import type { Sleeper } from '../../src/shared/ports.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { type IssueRow, issueBySql, type SeededTenant, seedTenant } from '../support/seed.js';
import { serviceConnections } from '../support/service-connections.js';
import { nextRedisUrl } from '../support/stack.js';

/** Far longer than a test takes from one look to the next. */
const PATIENCE_MS = 30_000;
const later = (seconds: number): Date => new Date(Date.now() + seconds * 1_000);

describe('turns between tenants', () => {
  let database: TestDatabase;
  let service: DataSource;
  let work: DueWork;
  let documents: DocumentsRepository;
  let hoarder: SeededTenant;
  let others: SeededTenant[];

  beforeAll(async () => {
    database = await createTestDatabase();
    service = await serviceConnections(database.url, 'api', 5);
    work = new DueWork(new TenantTransaction(service));
    documents = new DocumentsRepository(new TenantTransaction(service), { uuid: randomUUID });
    hoarder = await seedTenant(database);
    others = [await seedTenant(database), await seedTenant(database)];
    for (let i = 0; i < 60; i += 1) await issueBySql(service, hoarder);
    for (const other of others) for (let i = 0; i < 5; i += 1) await issueBySql(service, other);
  });
  afterAll(async () => {
    await service.destroy();
    await database.drop();
  });

  it('a backlog of one tenant leaves the others their share, although it is older', async () => {
    const announced = await work.announce(later(60), PATIENCE_MS, 20);
    const shares = [hoarder, ...others].map(({ tenantId }) => announced.filter((row) => row.tenantId === tenantId).length);
    expect(shares).toEqual([10, 5, 5]);
  });

  it('fresh documents of a tenant pass its own backlog: the oldest and the newest take turns', async () => {
    const before = await database.query<{ document_id: string }>(
      'select document_id from outbox where tenant_id = $1 and (announced_at is null or announced_at < $2) order by due_at', [hoarder.tenantId, later(30)]);
    const announced = new Set((await work.announce(later(60), PATIENCE_MS, 10)).map(({ documentId }) => documentId));
    const positions = before.flatMap(({ document_id }, position) => (announced.has(document_id) ? [position] : []));
    expect(positions).toEqual([0, 1, 2, 3, 4, 45, 46, 47, 48, 49]);
  });

  it('a row is announced once until patience ends, also to relays that look at the same time', async () => {
    const at = later(120);
    const [one, two] = await Promise.all([work.announce(at, PATIENCE_MS, 15), work.announce(at, PATIENCE_MS, 15)]);
    const ids = [...one, ...two].map((row) => row.documentId);
    expect(new Set(ids).size).toBe(ids.length);
    const rest = await work.announce(at, PATIENCE_MS, 1_000);
    expect(rest.filter((row) => ids.includes(row.documentId))).toEqual([]);
    expect(ids.length + rest.length).toBe(70);
    expect(await work.announce(at, PATIENCE_MS, 1_000)).toEqual([]);
  });

  it('submissions of a paused scope are not claimed and not announced again until it is resumed; other work goes on', async () => {
    const [tenant] = others;
    if (!tenant) throw new Error('no tenant');
    const at = new Date();
    await database.query(`update outbox set step = 'submit', unsent = false where tenant_id = $1`, [tenant.tenantId]);
    const rows = await database.query<{ document_id: string }>('select document_id from outbox where tenant_id = $1', [tenant.tenantId]);
    const [row] = await database.query<{ document_id: string; issuer_id: string; establishment_id: string; emission_point_id: string }>('select * from outbox where tenant_id = $1 limit 1', [tenant.tenantId]);
    if (!row) throw new Error('no row');
    const announcedOf = async (): Promise<number> =>
      (await work.announce(at, PATIENCE_MS, 1_000)).filter(({ tenantId }) => tenantId === tenant.tenantId).length;
    const claimAll = async (): Promise<number> => {
      const claims = await Promise.all(rows.map(({ document_id }) => documents.take(tenant.tenantId, document_id, randomUUID(), at, 1)));
      await database.query('update outbox set lease_token = null, lease_until = null');
      return claims.filter((claim) => claim !== null).length;
    };
    const scopes: [string, string | null, string | null, string | null, number][] = [
      ['issuer', null, null, null, 0],
      ['establishment', row.establishment_id, null, null, 0],
      ['document_type', null, null, '01', 0],
      ['document_type', null, null, '07', 5],
      ['emission_point', row.establishment_id, row.emission_point_id, '01', 0],
    ];
    for (const [scope, establishment, point, type, expected] of scopes) {
      await database.query('update outbox set announced_at = null');
      const pause = randomUUID();
      await database.query(
        `insert into issuing_pauses (tenant_id, id, scope, issuer_id, establishment_id, emission_point_id, document_type, code, document_id, created_at)
         values ($1, $8, $2, $3, $4, $5, $6, '57', $7, now())`,
        [tenant.tenantId, scope, row.issuer_id, establishment, point, type, row.document_id, pause]);
      expect([scope, type, await claimAll(), await announcedOf()]).toEqual([scope, type, expected, expected]);
      await service.query('select from end_pause($1, $2, $3, $4)', [tenant.tenantId, row.issuer_id, pause, at]);
      await service.query('select wake_resumed($1, $2, $3, 1000)', [tenant.tenantId, pause, at]);
      await database.query('update outbox set announced_at = null where announced_at = $1', [at]);
      expect([scope, await announcedOf(), await claimAll()]).toEqual([scope, 5, 5]);
    }
  });

  it('what is in turn comes before what would be signed ahead of its turn, which has what room is left', async () => {
    const tenant = await seedTenant(database);
    const at = later(300);
    const issue = (documentType: string): Promise<IssueRow> => issueBySql(service, tenant, { documentType });
    const line = [await issue('01'), await issue('01'), await issue('01'), await issue('01')];
    const other = await issue('06');
    expect([...line, other].map(({ outcome }) => outcome)).toEqual(['accepted', 'in_line', 'in_line', 'in_line', 'accepted']);
    // The API rings for what is in turn; without it the relay does.
    expect(await database.query('select document_id from outbox where tenant_id = $1 and announced_at is not null and not ahead', [tenant.tenantId])).toHaveLength(2);
    await database.query('update outbox set announced_at = null where tenant_id = $1', [tenant.tenantId]);
    await database.query(`update outbox set due_at = 'infinity' where tenant_id <> $1`, [tenant.tenantId]);
    const positions = async (limit: number): Promise<number[]> => {
      const all = [...line, other].map(({ response }) => response.document_id);
      return (await work.announce(at, PATIENCE_MS, limit)).map(({ documentId }) => all.indexOf(documentId)).sort();
    };
    expect(await positions(2)).toEqual([0, 4]);
    expect(await positions(2)).toHaveLength(2);
    expect(await positions(2)).toHaveLength(1);
    await database.query('delete from outbox where tenant_id = $1', [tenant.tenantId]);
    await database.query(`update outbox set due_at = now()`);
  });

  it('of four that are announced three ask about what was sent, whoever sent it; where fewer ask, more is sent', async () => {
    const [asking, sending] = [await seedTenant(database), await seedTenant(database)];
    const at = later(300);
    for (let i = 0; i < 12; i += 1) for (const tenant of [asking, sending]) await issueBySql(service, tenant);
    const stepOf = (tenant: SeededTenant, step: string): Promise<unknown> =>
      database.query('update outbox set step = $2, unsent = false, ahead = false, announced_at = null where tenant_id = $1', [tenant.tenantId, step]);
    await Promise.all([stepOf(asking, 'authorize'), stepOf(sending, 'submit')]);
    await database.query(`update outbox set due_at = 'infinity' where tenant_id <> all ($1)`, [[asking.tenantId, sending.tenantId]]);
    const shares = async (limit: number): Promise<number[]> => {
      const announced = await work.announce(at, PATIENCE_MS, limit);
      return [asking, sending].map(({ tenantId }) => announced.filter((row) => row.tenantId === tenantId).length);
    };
    expect(await shares(8)).toEqual([6, 2]);
    expect(await shares(4)).toEqual([3, 1]);
    expect(await shares(8)).toEqual([3, 5]);
    // With room for one, chance decides whose turn it is.
    const singly: (string | undefined)[] = [];
    for (let second = 1; second <= 200; second += 1) singly.push((await work.announce(later(300 + second), 0, 1))[0]?.tenantId);
    const sent = singly.filter((tenantId) => tenantId === sending.tenantId).length;
    expect([sent > 20, sent < 90, singly.filter((tenantId) => tenantId === asking.tenantId).length]).toEqual([true, true, 200 - sent]);
    // In both, tenants take turns: with questions of its own the one that sends has half of those.
    await database.query(`update outbox set step = 'authorize' where document_id in (select document_id from outbox where tenant_id = $1 limit 6)`, [sending.tenantId]);
    await database.query('update outbox set announced_at = null');
    expect(await shares(8)).toEqual([3, 5]);
    await database.query('delete from outbox where tenant_id = any ($1)', [[asking.tenantId, sending.tenantId]]);
    await database.query(`update outbox set due_at = now()`);
  });

  it('of a step that is held up only as many are announced as may be begun, the rest stays as it is; others have its room', async () => {
    const [tenant, other] = [await seedTenant(database), await seedTenant(database)];
    const at = later(300);
    for (let i = 0; i < 18; i += 1) await issueBySql(service, tenant);
    await database.query(
      `update outbox o set step = (array['prepare', 'submit', 'authorize'])[1 + k.n % 3], unsent = false, ahead = false, announced_at = null
       from (select document_id, row_number() over (order by document_id) as n from outbox where tenant_id = $1) k where o.document_id = k.document_id`, [tenant.tenantId]);
    await database.query(`update outbox set due_at = 'infinity' where tenant_id <> $1`, [tenant.tenantId]);
    const announced = async (limit: number, capacity: Record<string, number>): Promise<Record<string, number>> => {
      await database.query('update outbox set announced_at = null');
      const ids = (await work.announce(at, PATIENCE_MS, limit, new Map(Object.entries(capacity)))).map(({ documentId }) => documentId);
      const rows = await database.query<{ step: string; announced: boolean }>('select step, announced_at is not null as announced from outbox where document_id = any ($1)', [ids]);
      expect(rows.every((row) => row.announced)).toBe(true);
      expect(await database.query(`select from outbox where announced_at is not null and due_at < 'infinity'`)).toHaveLength(ids.length);
      return Object.fromEntries(['prepare', 'submit', 'authorize'].map((step) => [step, rows.filter((row) => row.step === step).length]));
    };
    expect(await announced(500, {})).toEqual({ prepare: 6, submit: 6, authorize: 6 });
    expect(await announced(500, { authorize: 0 })).toEqual({ prepare: 6, submit: 6, authorize: 0 });
    expect(await announced(500, { authorize: 1, submit: 4 })).toEqual({ prepare: 6, submit: 4, authorize: 1 });
    expect(await announced(6, { authorize: 0, submit: 0 })).toEqual({ prepare: 6, submit: 0, authorize: 0 });
    expect(await announced(4, { authorize: 1, submit: 0 })).toEqual({ prepare: 3, submit: 0, authorize: 1 });
    // Whoever they belong to: one probe, not one of each tenant.
    await issueBySql(service, other);
    await database.query(`update outbox set step = 'authorize', unsent = false, ahead = false, announced_at = null, due_at = now() where tenant_id = $1`, [other.tenantId]);
    expect(await announced(500, { authorize: 1 })).toEqual({ prepare: 6, submit: 6, authorize: 1 });
    await database.query('delete from outbox where tenant_id = $1', [other.tenantId]);
    // What is signed ahead of its turn is not begun in place of what is in turn, but where nothing else is.
    const ahead = async (rows: number): Promise<void> => {
      await database.query(`update outbox set ahead = true where document_id in (select document_id from outbox where step = 'submit' and not ahead and tenant_id = $1 limit $2)`, [tenant.tenantId, rows]);
    };
    await ahead(4);
    expect(await announced(500, { submit: 2 })).toEqual({ prepare: 6, submit: 2, authorize: 6 });
    expect(await database.query(`select from outbox where step = 'submit' and ahead and announced_at is not null`)).toEqual([]);
    await ahead(2);
    expect(await announced(500, { submit: 1 })).toEqual({ prepare: 6, submit: 1, authorize: 6 });
    // Nothing of a step that is bounded is due.
    expect(await announced(500, { watch: 0 })).toEqual({ prepare: 6, submit: 6, authorize: 6 });
    await database.query('delete from outbox where tenant_id = $1', [tenant.tenantId]);
    await database.query('update outbox set due_at = now()');
  });

  it('a signed document that waits for an earlier number is not due until it is woken, one that is to be tried again not even then', async () => {
    const tenant = await seedTenant(database);
    const [first, second] = [(await issueBySql(service, tenant)).response.document_id, (await issueBySql(service, tenant)).response.document_id];
    // Not before they are due by the database's clock, which counts finer.
    const at = later(0.01);
    await database.query(`update outbox set step = 'submit' where tenant_id = $1`, [tenant.tenantId]);
    const token = randomUUID();
    const dueIn = async (): Promise<unknown> =>
      (await database.query('select extract(epoch from due_at - $2)::integer as seconds, ahead from outbox where document_id = $1', [second, at]))[0];
    const announced = async (now: Date): Promise<string[]> =>
      (await work.announce(now, PATIENCE_MS, 1_000)).filter(({ tenantId }) => tenantId === tenant.tenantId).map(({ documentId }) => documentId);
    expect(await documents.take(tenant.tenantId, first, token, at, 60_000)).not.toBeNull();
    expect(await documents.take(tenant.tenantId, second, randomUUID(), at, 60_000)).toBeNull();
    expect(await dueIn()).toEqual({ seconds: 600, ahead: true });
    expect(await announced(at)).toEqual([]);
    // Should a wake-up go past it, it is looked at again.
    expect(await announced(later(1_000))).toContain(second);
    const sent = async (): Promise<void> => {
      await service.query(
        `select * from advance_document($1, $2, 'NUMBER_RESERVED', 1, $3, $4, '[]', '{}', $5, '[]', '{}', null)`,
        // By a clock that is ahead: others take it to be due all the same.
        [tenant.tenantId, first, token, new Date(at.getTime() + 5_000), JSON.stringify({ step: 'authorize', due_at: later(3_600), keep_lease: false, unsent: false })],
      );
    };
    await sent();
    expect(await dueIn()).toEqual({ seconds: 0, ahead: false });
    expect(await announced(at)).toEqual([second]);
    await database.query('update outbox set unsent = true, lease_token = $2 where document_id = $1', [first, token]);
    await database.query(`update outbox set due_at = $2::timestamptz + interval '40 seconds' where document_id = $1`, [second, at]);
    await sent();
    expect(await dueIn()).toEqual({ seconds: 40, ahead: false });
    await database.query('delete from outbox where tenant_id = $1', [tenant.tenantId]);
  });

  it('whoever takes a document to sign it learns whether it may be sent at once', async () => {
    const tenant = await seedTenant(database);
    const at = later(300);
    const [first, second] = [(await issueBySql(service, tenant)).response.document_id, (await issueBySql(service, tenant)).response.document_id];
    await database.query(`update outbox set step = 'prepare', unsent = true where tenant_id = $1`, [tenant.tenantId]);
    const isClear = async (documentId: string): Promise<boolean | undefined> => {
      await database.query('update outbox set lease_token = null, lease_until = null where tenant_id = $1', [tenant.tenantId]);
      return (await documents.take(tenant.tenantId, documentId, randomUUID(), at, 1))?.clearToSend;
    };
    expect([await isClear(first), await isClear(second)]).toEqual([true, false]);
    await database.query('update outbox set unsent = false where document_id = $1', [first]);
    expect(await isClear(second)).toBe(true);
    const [row] = await database.query<Record<'issuer_id' | 'establishment_id' | 'emission_point_id', string>>('select * from outbox where document_id = $1', [first]);
    const scopes: [string, string | null, string | null, string | null, boolean][] = [
      ['issuer', null, null, null, false],
      ['establishment', row!.establishment_id, null, null, false],
      ['document_type', null, null, '01', false],
      ['document_type', null, null, '07', true],
      ['emission_point', row!.establishment_id, row!.emission_point_id, '01', false],
    ];
    for (const [scope, establishment, point, type, clear] of scopes) {
      const pause = randomUUID();
      await database.query(
        `insert into issuing_pauses (tenant_id, id, scope, issuer_id, establishment_id, emission_point_id, document_type, code, document_id, created_at)
         values ($1, $8, $2, $3, $4, $5, $6, '57', $7, now())`,
        [tenant.tenantId, scope, row!.issuer_id, establishment, point, type, first, pause]);
      expect([scope, type, await isClear(second)]).toEqual([scope, type, clear]);
      await service.query('select from end_pause($1, $2, $3, now())', [tenant.tenantId, row!.issuer_id, pause]);
      await service.query('select wake_resumed($1, $2, now(), 1000)', [tenant.tenantId, pause]);
      expect([scope, await isClear(second)]).toEqual([scope, true]);
    }
    await database.query('delete from outbox where tenant_id = $1', [tenant.tenantId]);
  });

  it('a pause holds up sending, never the question about what was sent', async () => {
    const [, tenant] = others;
    if (!tenant) throw new Error('no tenant');
    const [row] = await database.query<{ document_id: string; issuer_id: string }>('select * from outbox where tenant_id = $1 limit 1', [tenant.tenantId]);
    if (!row) throw new Error('no row');
    await database.query(
      `insert into issuing_pauses (tenant_id, id, scope, issuer_id, code, document_id, created_at) values ($1, gen_random_uuid(), 'issuer', $2, '57', $3, now())`,
      [tenant.tenantId, row.issuer_id, row.document_id]);
    const claimAs = async (step: string): Promise<boolean> => {
      await database.query('update outbox set step = $2, due_at = now(), unsent = false, lease_until = null where document_id = $1', [row.document_id, step]);
      return (await documents.take(tenant.tenantId, row.document_id, randomUUID(), later(300), 1)) !== null;
    };
    expect([await claimAs('submit'), await claimAs('authorize')]).toEqual([false, true]);
  });

  it('mails of a tenant wait behind nobody else’s backlog', async () => {
    const [mine, theirs] = [randomUUID(), randomUUID()];
    const queue = (tenant: string, count: number): Promise<unknown> =>
      database.query(`insert into mail_outbox (tenant_id, id, kind, due_at) select $1, gen_random_uuid(), 'mail', now() - interval '1 hour' + n * interval '1 second' from generate_series(1, $2::integer) n`, [tenant, count]);
    await queue(theirs, 500);
    await queue(mine, 2);
    const claim = async (limit: number): Promise<string[]> =>
      (await database.query<{ tenant_id: string }>(`select t ->> 'tenantId' as tenant_id from claim_mails_going_round(gen_random_uuid(), now(), '1 hour', $1, null), jsonb_array_elements(taken) t`, [limit])).map(({ tenant_id }) => tenant_id);
    const claimed = await claim(4);
    expect([claimed.filter((tenant) => tenant === mine).length, claimed.length]).toEqual([2, 4]);
    expect(new Set(await claim(1_000)).size).toBe(1);
    expect(await claim(1_000)).toEqual([]);
  });
});

describe('the order of an emission point', () => {
  const DOCUMENTS = 150;
  const WORKERS = 5;
  let database: TestDatabase;
  let service: DataSource;
  let work: DueWork;
  let documents: DocumentsRepository;

  beforeAll(async () => {
    database = await createTestDatabase();
    service = await serviceConnections(database.url, 'api', WORKERS + 2);
    work = new DueWork(new TenantTransaction(service));
    documents = new DocumentsRepository(new TenantTransaction(service), { uuid: randomUUID });
    // Every document begins signed.
    await database.query(`create function begin_at_submit() returns trigger language plpgsql as $$ begin new.step := 'submit'; return new; end $$`);
    await database.query('create trigger begin_at_submit before insert on outbox for each row execute function begin_at_submit()');
  });
  afterAll(async () => {
    await service.destroy();
    await database.drop();
  });

  // Nothing comes by itself here: time stands still, so a row that nobody wakes is never announced again.
  it('many workers send a growing backlog in sequential order, each document waking the next', async () => {
    const tenant = await seedTenant(database);
    const at = later(600);
    const sequentialOf = new Map<string, number>();
    const issue = async (): Promise<void> => {
      const { response } = await issueBySql(service, tenant);
      sequentialOf.set(response.document_id, Number(response.access_key.slice(30, 39)));
    };
    const sent: string[] = [];
    let issued = 0;
    const issuing = (async () => {
      for (; issued < DOCUMENTS; issued += 1) await issue();
    })();
    const worker = async (): Promise<void> => {
      // As long as more is issued, something may come.
      for (let idle = 0; sent.length < DOCUMENTS && idle < 200; idle += issued < DOCUMENTS ? 0 : 1) {
        for (const { documentId } of await work.announce(at, PATIENCE_MS, 8)) {
          const token = randomUUID();
          if ((await documents.take(tenant.tenantId, documentId, token, at, 60_000)) === null) continue;
          idle = 0;
          sent.push(documentId);
          await service.query(
            `select * from advance_document($1, $2, 'NUMBER_RESERVED', 1, $3, $4, '[]', '{}', $5, '[]', '{}', null)`,
            [tenant.tenantId, documentId, token, at, JSON.stringify({ step: 'authorize', due_at: later(3_600), keep_lease: false, unsent: false })],
          );
        }
      }
    };
    await Promise.all([issuing, ...Array.from({ length: WORKERS }, worker)]);
    expect(sent).toHaveLength(DOCUMENTS);
    const sequentials = sent.map((id) => sequentialOf.get(id) ?? 0);
    expect(sequentials).toEqual(sequentials.map((_, place) => place + 1));
  });

  it('a worker that renews its lease waits for whoever touches the row, and keeps it', async () => {
    const tenant = await seedTenant(database);
    const at = new Date(Date.now() + 60_000);
    const { response } = await issueBySql(service, tenant);
    const token = randomUUID();
    expect(await documents.take(tenant.tenantId, response.document_id, token, at, 60_000)).not.toBeNull();
    const other = service.createQueryRunner();
    await other.startTransaction();
    await other.query(`select set_config('sello.tenant_id', $1, true)`, [tenant.tenantId]);
    await other.query('update outbox set announced_at = null where document_id = $1', [response.document_id]);
    const renewal = documents.take(tenant.tenantId, response.document_id, token, at, 60_000);
    await sleep(100);
    await other.commitTransaction();
    await other.release();
    expect(await renewal).toMatchObject({ claim: { step: 'submit', lostLeases: 0 } });
  });
});

describe('a queue that is long enough', () => {
  it('takes no more bells: what came later the relay announces, tenants in turns', async () => {
    const database = await createTestDatabase();
    const service = await serviceConnections(database.url, 'api', 5);
    const queue = new Bull<IssuanceJob>('issuance', nextRedisUrl(), { prefix: `{turns-${randomUUID()}}` });
    try {
      const work = new DueWork(new TenantTransaction(service));
      const patient: Sleeper = { sleep: () => new Promise(() => undefined) };
      const bell = new IssuanceBell(queue, work, new SystemClock(), patient, { WORKER_CONCURRENCY: 12 } as Settings);
      await queue.isReady();
      const [loud, quiet] = [await seedTenant(database), await seedTenant(database)];
      const issue = async (tenant: SeededTenant): Promise<string> => {
        const { response } = await issueBySql(service, tenant);
        // Sent, so that the next number is in turn.
        await database.query('update outbox set unsent = false where document_id = $1', [response.document_id]);
        bell.ringSoon({ tenantId: tenant.tenantId, documentId: response.document_id, announcement: 1 });
        return response.document_id;
      };
      for (let i = 0; i < 20; i += 1) await issue(loud);
      const late = await issue(quiet);
      await bell.onApplicationShutdown();
      expect(await queue.getWaitingCount()).toBe(6);
      const left = await database.query<{ document_id: string }>('select document_id from outbox where announced_at is null');
      expect(left).toHaveLength(15);
      expect((await work.announce(later(1), PATIENCE_MS, 4)).map(({ documentId }) => documentId)).toContain(late);
      // Looked for again once half of it is gone, and not for every job that is taken.
      const rooms: number[] = [];
      for (let taken = 1; taken <= 4; taken += 1) {
        await queue.getNextJob();
        rooms.push(await bell.roomToRefill());
      }
      expect(rooms).toEqual([0, 0, 3, 4]);
    } finally {
      await queue.close();
      await service.destroy();
      await database.drop();
    }
  });
});
