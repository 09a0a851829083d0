import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { DataSource } from 'typeorm';
import { allMoves, DOCUMENT_STATUSES } from '../../src/modules/documents/domain/lifecycle.js';
import type { DocumentState, Decision } from '../../src/modules/documents/domain/document.js';
import { DocumentsRepository, StaleDocumentError } from '../../src/modules/documents/persistence/documents.repository.js';
import { RandomIds } from '../../src/platform/adapters/random-ids.js';
import { OWN_SQL_STATE } from '../../src/platform/database/own-sql-state.js';
import { sqlState } from '../../src/platform/database/sql-error.js';
import { TenantTransaction } from '../../src/platform/database/tenant-transaction.js';
import { DueWork } from '../../src/platform/outbox/due-work.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { lockAwaited } from '../support/held-transaction.js';
import { issueBySql, type SeededTenant, seedTenant } from '../support/seed.js';
import { serviceConnections } from '../support/service-connections.js';

describe('moves in the database', () => {
  let database: TestDatabase;
  let service: DataSource;
  let seed: SeededTenant;
  let documents: DocumentsRepository;
  let work: DueWork;

  beforeAll(async () => {
    database = await createTestDatabase();
    service = await serviceConnections(database.url, 'api', 5);
    seed = await seedTenant(database);
    const transaction = new TenantTransaction(service);
    documents = new DocumentsRepository(transaction, new RandomIds());
    work = new DueWork(transaction);
  });
  afterAll(async () => {
    await service.destroy();
    await database.drop();
  });

  const issue = async (): Promise<string> => (await issueBySql(service, seed)).response.document_id;
  const stateOf = async (id: string): Promise<DocumentState> => (await documents.load(seed.tenantId, id))!.state;
  const soon = (): Date => new Date(Date.now() + 60_000);
  const decision = (...triggers: Decision['moves'][number]['trigger'][]): Decision => ({
    moves: triggers.map((trigger) => ({ trigger })), patch: {}, work: { step: 'submit', dueAt: new Date() },
  });

  const claim = async (id: string, token: string, now: Date, leaseMs: number): Promise<unknown> =>
    (await documents.take(seed.tenantId, id, token, now, leaseMs))?.claim ?? null;

  const PARK: Decision = { moves: [], patch: { errorCode: 'CERTIFICATE_NOT_FOUND' }, work: { step: 'prepare', dueAt: 'never' } };
  /** What is parked after a correction of what was sent is compared with the SRI daily. */
  const COMPARE: Decision = { ...PARK, work: { step: 'authorize', dueAt: new Date(Date.now() + 86_400_000), recheck: true } };
  const activate = (active: boolean): Promise<unknown> => database.query('update certificates set is_active = $2 where tenant_id = $1', [seed.tenantId, active]);
  const isParked = async (id: string): Promise<boolean | undefined> =>
    (await database.query<{ parked: boolean }>(`select due_at = 'infinity' as parked from outbox where document_id = $1`, [id]))[0]?.parked;

  it('allows a change of status exactly where the lifecycle table has a move', async () => {
    const id = await issue();
    const allowed = new Set(allMoves().map(({ from, to }) => `${from} ${to}`));
    const owner = new pg.Client({ connectionString: database.ownerUrl, options: '-c search_path=sello' });
    await owner.connect();
    try {
      for (const from of DOCUMENT_STATUSES) {
        for (const to of DOCUMENT_STATUSES) {
          if (from === to) continue;
          await owner.query(`alter table documents disable trigger guard_document`);
          await owner.query('update documents set status = $2 where id = $1', [id, from]);
          await owner.query(`alter table documents enable trigger guard_document`);
          const outcome = await owner
            .query('update documents set status = $2, version = version + 1 where id = $1', [id, to])
            .then(() => 'moved', (error: unknown) => sqlState(error));
          expect([from, to, outcome]).toEqual([from, to, allowed.has(`${from} ${to}`) ? 'moved' : OWN_SQL_STATE.moveNotAllowed]);
        }
      }
    } finally {
      await owner.end();
    }
  });

  it('refuses a move that skips the version, another beginning, and a changed number', async () => {
    const id = await issue();
    const attempt = (sql: string): Promise<string | null> => database.query(sql, [id]).then(() => 'done', (error: unknown) => sqlState(error));
    expect(await attempt(`update documents set status = 'XML_GENERATED' where id = $1`)).toBe(OWN_SQL_STATE.documentAltered);
    expect(await attempt('update documents set sequential = 777 where id = $1')).toBe(OWN_SQL_STATE.documentAltered);
    expect(await attempt(`update documents set document_type = '04' where id = $1`)).toBe(OWN_SQL_STATE.documentAltered);
    expect(await attempt(`update documents set sri_environment = 'PRODUCTION' where id = $1`)).toBe(OWN_SQL_STATE.documentAltered);
    const born = `insert into documents select (jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid(), 'status', 'AUTHORIZED',
      'sequential', 5000, 'access_key', repeat('1', 49)))).* from documents d where id = $1`;
    expect(await attempt(born)).toBe(OWN_SQL_STATE.moveNotAllowed);
    expect(await attempt(born.replace('AUTHORIZED', 'NUMBER_RESERVED'))).toBe('done');
  });

  it('takes several moves in one write where each is defined and none passes through a state of rest', async () => {
    const jump = async (from: string, path: readonly string[], declared: readonly string[] | null = path): Promise<string | null> => {
      const id = await issue();
      const owner = new pg.Client({ connectionString: database.ownerUrl, options: '-c search_path=sello' });
      await owner.connect();
      try {
        await owner.query(`alter table documents disable trigger guard_document`);
        await owner.query('update documents set status = $2 where id = $1', [id, from]);
        await owner.query(`alter table documents enable trigger guard_document`);
        await owner.query('begin');
        if (declared) await owner.query(`select set_config('sello.path', $1, true)`, [declared.join(',')]);
        await owner.query('update documents set status = $2, version = version + $3 where id = $1', [id, path.at(-1), path.length]);
        return 'moved';
      } catch (error) {
        return sqlState(error);
      } finally {
        await owner.end();
      }
    };
    expect(await jump('NUMBER_RESERVED', ['XML_GENERATED', 'SIGNED', 'RECEPTION_PENDING'])).toBe('moved');
    expect(await jump('NUMBER_RESERVED', ['XML_GENERATED', 'SIGNED'], null)).toBe(OWN_SQL_STATE.documentAltered);
    expect(await jump('NUMBER_RESERVED', ['XML_GENERATED', 'SIGNED'], ['XML_GENERATED', 'SIGNED', 'RECEPTION_PENDING'])).toBe(OWN_SQL_STATE.documentAltered);
    expect(await jump('NUMBER_RESERVED', ['XML_GENERATED', 'REJECTED'])).toBe(OWN_SQL_STATE.moveNotAllowed);
    expect(await jump('NUMBER_RESERVED', ['SIGNED', 'RECEPTION_PENDING'])).toBe(OWN_SQL_STATE.moveNotAllowed);
    // Leaving FAILED_PERMANENT reserves credit again: no way may begin there.
    expect(await jump('FAILED_PERMANENT', ['RECEPTION_RETRY_SCHEDULED', 'SUBMITTED_TO_SRI'])).toBe(OWN_SQL_STATE.moveNotAllowed);
    expect(await jump('SUBMITTED_TO_SRI', ['REJECTED', 'NUMBER_RESERVED'])).toBe(OWN_SQL_STATE.moveNotAllowed);
    // What the SRI shows annulled already is the one way that begins at rest.
    expect(await jump('AUTHORIZED', ['CANCELLATION_REQUESTED', 'CANCELLED'])).toBe('moved');
    expect(await jump('AUTHORIZED', ['CANCELLATION_REQUESTED', 'AUTHORIZED'])).toBe(OWN_SQL_STATE.moveNotAllowed);
  });

  it('writes moves, history, signed bytes and due work together', async () => {
    const id = await issue();
    const state = await stateOf(id);
    const now = new Date();
    const { version } = await documents.advance(state, decision('xml_built', 'signed', 'queued'), null, now, {
      signing: { signingNo: 1, certificateId: seed.certificateId, digest: 'abc', xml: Buffer.from('<a/>') },
    });
    expect(version).toBe(4);
    const loaded = await documents.load(seed.tenantId, id);
    expect(loaded?.state).toMatchObject({ status: 'RECEPTION_PENDING', version: 4, contentRevision: 1, signings: [{ signingNo: 1, digest: 'abc', contentRevision: 1 }] });
    const history = await database.query<{ trigger: string; version: number }>(
      'select trigger, version from document_history where document_id = $1 order by version', [id]);
    expect(history.map((row) => row.trigger)).toEqual(['number_taken', 'xml_built', 'signed', 'queued']);
    expect(await database.query('select step from outbox where document_id = $1', [id])).toEqual([{ step: 'submit' }]);
  });

  it('writes nothing for a decision taken on an older version', async () => {
    const id = await issue();
    const stale = await stateOf(id);
    await documents.advance(stale, decision('xml_built'), null, new Date());
    await expect(documents.advance(stale, decision('xml_built'), null, new Date())).rejects.toThrow(StaleDocumentError);
    expect(await database.query('select 1 from document_history where document_id = $1', [id])).toHaveLength(2);
  });

  it('gives the lease to one worker, fences off the one that lost it, and counts lost leases', async () => {
    const id = await issue();
    const [first, second] = [randomUUID(), randomUUID()];
    const now = soon();
    expect(await claim(id, first, now, 1_000)).toEqual({ step: 'prepare', lostLeases: 0 });
    expect(await claim(id, second, now, 1_000)).toBeNull();
    const later = new Date(now.getTime() + 2_000);
    expect(await claim(id, second, later, 1_000)).toEqual({ step: 'prepare', lostLeases: 1 });
    const state = await stateOf(id);
    await expect(documents.advance(state, decision('xml_built'), first, later)).rejects.toThrow(StaleDocumentError);
    await expect(documents.advance(state, decision('xml_built'), second, later)).resolves.toMatchObject({ version: 2 });
  });

  it('does not count the leases of workers that were slow and came back', async () => {
    const id = await issue();
    const [slow, dead, healthy, next] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    const after = (seconds: number): Date => new Date(soon().getTime() + seconds * 1_000);
    const claimed = (token: string, seconds: number): Promise<unknown> => claim(id, token, after(seconds), 1_000);
    await claimed(slow, 0);
    await claimed(dead, 10);
    expect(await claimed(healthy, 20)).toEqual({ step: 'prepare', lostLeases: 2 });
    await work.outlived(seed.tenantId, id, slow);
    // Who still holds it has lost nothing.
    await work.outlived(seed.tenantId, id, healthy);
    expect(await claimed(healthy, 20)).toEqual({ step: 'prepare', lostLeases: 1 });
    expect(await claimed(next, 30)).toEqual({ step: 'prepare', lostLeases: 2 });
  });

  it('sends documents of one emission point in the order of their numbers, letting parked ones wait aside', async () => {
    const [one, two] = [await issue(), await issue()];
    const now = soon();
    await database.query(`delete from outbox where document_id not in ($1, $2)`, [one, two]);
    await documents.advance(await stateOf(two), decision('xml_built', 'signed', 'queued'), null, new Date());
    expect(await claim(two, randomUUID(), now, 1_000)).toBeNull();
    await activate(false);
    await documents.advance(await stateOf(one), { moves: [], patch: {}, work: { step: 'prepare', dueAt: 'never' } }, null, new Date());
    expect(await claim(two, randomUUID(), now, 1_000)).toMatchObject({ step: 'submit' });
    await activate(true);
  });

  it('announces due work, and again when nobody came', async () => {
    const id = await issue();
    await database.query('delete from outbox where document_id <> $1', [id]);
    const now = soon();
    expect(await work.announce(now, 1_000, 10)).toMatchObject([{ documentId: id }]);
    expect(await work.announce(now, 1_000, 10)).toEqual([]);
    expect(await work.announce(new Date(now.getTime() + 1_500), 1_000, 10)).toMatchObject([{ documentId: id }]);
  });

  it('resumes parked documents when a certificate is activated', async () => {
    const id = await issue();
    await activate(false);
    await documents.advance(await stateOf(id), PARK, null, new Date());
    expect(await isParked(id)).toBe(true);
    await activate(true);
    expect(await isParked(id)).toBe(false);
  });

  it('tells whether the current bytes were sent, and that their certificate served until it was revoked', async () => {
    const id = await issue();
    const signing = { signingNo: 1, certificateId: seed.certificateId, xml: Buffer.from('<factura/>'), digest: 'd' };
    const move = async (triggers: Decision['moves'][number]['trigger'][], records: object, patch: object = {}): Promise<void> => {
      await documents.advance(await stateOf(id), { ...decision(...triggers), patch }, null, new Date(), records);
    };
    const signed = async (): Promise<{ wasSent: boolean; certificateValidTo: Date }> => (await documents.load(seed.tenantId, id))!.signed!;
    await move(['xml_built', 'signed', 'queued'], { signing }, { signingNo: 1 });
    expect(await signed()).toMatchObject({ wasSent: false });
    const attempt = { id: randomUUID(), service: 'reception', signingNo: 1 };
    await move(['sending'], { attempt });
    expect(await signed()).toMatchObject({ wasSent: true });
    await move(['not_delivered'], { finished: { id: attempt.id, outcome: 'not_delivered', excerpt: 'refused' } });
    expect(await signed()).toMatchObject({ wasSent: false });
    const revokedAt = new Date('2026-02-01T00:00:00Z');
    await database.query('update certificates set is_active = false, revoked_at = $2 where tenant_id = $1', [seed.tenantId, revokedAt]);
    expect((await signed()).certificateValidTo).toEqual(revokedAt);
    await database.query('update certificates set is_active = true, revoked_at = null where tenant_id = $1', [seed.tenantId]);
  });

  const workOf = async (id: string): Promise<{ step: string; is_due: boolean } | undefined> =>
    (await database.query<{ step: string; is_due: boolean }>('select step, due_at <= clock_timestamp() as is_due from outbox where document_id = $1', [id]))[0];

  it.each([['parked', PARK], ['compared daily', COMPARE]])('what would be %s goes on if its certificate was activated since the worker looked', async (_, waiting) => {
    const id = await issue();
    await documents.advance(await stateOf(id), waiting, null, new Date());
    expect(await workOf(id)).toEqual({ step: 'prepare', is_due: true });
    expect((await database.query('select next_attempt_at is not null as is_shown from documents where id = $1', [id]))[0]).toEqual({ is_shown: true });
  });

  it('what failed is compared daily all the same, whatever certificate there is', async () => {
    const id = await issue();
    await documents.advance(await stateOf(id), { ...COMPARE, moves: [{ trigger: 'failed' }] }, null, new Date());
    expect(await workOf(id)).toEqual({ step: 'authorize', is_due: false });
  });

  it.each([['parked', PARK], ['compared daily', COMPARE]])('what would be %s waits for an activation that has not committed yet', async (_, waiting) => {
    const id = await issue();
    await activate(false);
    const upload = new pg.Client({ connectionString: database.ownerUrl, options: '-c search_path=sello' });
    await upload.connect();
    try {
      await upload.query('begin');
      await upload.query('select 1 from issuers where tenant_id = $1 and id = $2 for no key update', [seed.tenantId, seed.issuerId]);
      await upload.query('update certificates set is_active = true where tenant_id = $1', [seed.tenantId]);
      const parking = documents.advance(await stateOf(id), waiting, null, new Date());
      await lockAwaited(database);
      await upload.query('commit');
      await parking;
      expect(await workOf(id)).toEqual({ step: 'prepare', is_due: true });
    } finally {
      await upload.end();
    }
  });
});
