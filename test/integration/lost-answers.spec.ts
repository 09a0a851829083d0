import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { ConcurrentChangeError } from '../../src/modules/documents/domain/concurrent-change.js';
import type { Assessed, Place } from '../../src/modules/documents/domain/issuance.js';
import { type Issued, IssuingRepository, type ReadVersion } from '../../src/modules/documents/persistence/issuing.repository.js';
import { actLine } from '../../src/platform/audit/audit-trail.js';
import { poolOf } from '../../src/platform/database/pool-of.js';
import { TenantTransaction } from '../../src/platform/database/tenant-transaction.js';
import { isStoreOutage } from '../../src/platform/database/store-outage.js';
import type { TenantContext } from '../../src/shared/tenant-context.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { inTransaction, lockAwaited } from '../support/held-transaction.js';
import { type SeededTenant, seedTenant } from '../support/seed.js';
import { serviceConnections } from '../support/service-connections.js';
import { TcpProxy } from '../support/tcp-proxy.js';

/** As when the pooler before PostgreSQL is started again, or a router in between: callers without an idempotency key would ask anew. */
describe('a connection that ends under the statement that issues a document', () => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  let service: DataSource;
  let issuing: IssuingRepository;
  let seed: SeededTenant;

  beforeAll(async () => {
    database = await createTestDatabase();
    const { hostname, port } = new URL(database.url);
    proxy = await TcpProxy.start({ host: hostname, port: Number(port) });
  });
  afterAll(async () => {
    await proxy.stop();
    await database.drop();
  });
  beforeEach(async () => {
    await proxy.up();
    service = await serviceConnections(proxy.inFrontOf(database.url), 'api', 2);
    issuing = new IssuingRepository(new TenantTransaction(service));
    seed = await seedTenant(database);
  });
  afterEach(async () => {
    proxy.clear();
    await service.destroy();
  });

  const assessed = (content: object = {}): Assessed =>
    ({
      content: { documentType: '01', numericCode: '12345678', issueDate: '2026-08-25', subtotal: '100.00', totalDiscount: '0.00', totalTax: '0.00', total: '100.00', ...content },
      issuer: { ruc: seed.ruc, establishmentCode: '001', emissionPointCode: '002' },
      findings: [],
    }) as unknown as Assessed;
  const tenant = (): TenantContext => ({ tenantId: seed.tenantId, principal: { kind: 'api_key', id: seed.apiKeyId }, environment: 'TEST' });
  const place = (): Place => ({ issuerId: seed.issuerId, establishmentId: seed.establishmentId, emissionPointId: seed.emissionPointId });
  const issue = (id: string, idempotencyKey: string | null, content?: object): Promise<Issued> =>
    issuing.issue(tenant(), id, place(), assessed(content), { idempotencyKey, fingerprint: 'v1:a' }, new Date());
  const stored = (): Promise<{ id: string; sequential: number; access_key: string }[]> =>
    database.query('select id, sequential, access_key from documents where tenant_id = $1 order by sequential', [seed.tenantId]);
  /** Ends the connection at the next word in this direction, and no other. */
  function endAtNextWord(direction: 'upstream' | 'downstream'): void {
    const remove = proxy.add({ kind: 'reset_peer' }, direction);
    poolOf(service).once('remove', remove);
  }
  const asIssued = ({ id, access_key }: { id: string; access_key: string }): object =>
    ({ outcome: 'accepted', operation: 'issue', fingerprint: 'v1:a', response: { document_id: id, status: 'NUMBER_RESERVED', access_key } });
  /** Issues while the counter is held, and once PostgreSQL waits for it ends the connection; then does `meanwhile`, and lets go of the counter. */
  async function issueUnderWay(id: string, end: () => void | Promise<void>, meanwhile: (issued: Promise<unknown>) => Promise<unknown>): Promise<Issued | Error> {
    await issue(randomUUID(), null);
    return inTransaction(database, async (owner) => {
      await owner.query('select 1 from sequence_counters where tenant_id = $1 for update', [seed.tenantId]);
      const issued = issue(id, null).catch((error: unknown) => error as Error);
      await lockAwaited(database);
      await end();
      await meanwhile(issued);
      await owner.query('commit');
      return issued;
    });
  }

  it.each([null, 'a-key'])('after it was done: the caller learns of it, with the key %p', async (key) => {
    await service.query('select 1');
    const id = randomUUID();
    endAtNextWord('downstream');
    const issued = await issue(id, key);
    const documents = await stored();
    expect(documents).toMatchObject([{ id, sequential: 1 }]);
    expect(issued).toMatchObject(asIssued(documents[0]!));
  });

  it('before it was done: it is done then', async () => {
    await service.query('select 1');
    const id = randomUUID();
    endAtNextWord('upstream');
    const issued = await issue(id, null);
    const documents = await stored();
    expect(documents).toMatchObject([{ id, sequential: 1 }]);
    expect(issued).toMatchObject(asIssued(documents[0]!));
  });

  it('while it is under way: one number is taken', async () => {
    const id = randomUUID();
    const issued = await issueUnderWay(id, () => proxy.resetAll(), () => lockAwaited(database, 2));
    const documents = await stored();
    expect(documents).toMatchObject([{ sequential: 1 }, { id, sequential: 2 }]);
    expect(issued).toMatchObject(asIssued(documents[1]!));
  });

  it('for a credit note that takes all that its original has left: it is not refused for itself', async () => {
    const original = (await issue(randomUUID(), null)).response['document_id'] as string;
    await database.query(
      `set local session_replication_role = replica;
       update documents set status = 'AUTHORIZED', authorization_number = access_key, authorization_date = now() where id = '${original}'`);
    const id = randomUUID();
    endAtNextWord('downstream');
    const issued = await issue(id, null, { documentType: '04', modifiedDocumentId: original, modifiedDocumentType: '01', modifiedDocumentNumber: '001-002-000000001', modifiedDocumentIssueDate: '2026-08-25', reason: 'Devolución' });
    const own = (await stored()).find((document) => document.id === id);
    expect(issued).toMatchObject(asIssued(own!));
  });

  it('while it is under way, and refused then without a wait for it: nobody knows, and the caller hears so', async () => {
    const id = randomUUID();
    const disable = async (): Promise<void> => {
      await database.query('update issuers set disabled_at = now() where id = $1', [seed.issuerId]);
      proxy.resetAll();
    };
    expect(isStoreOutage(await issueUnderWay(id, disable, (issued) => issued))).toBe(true);
    // The first goes on with its commit, whoever listens.
    for (let looks = 0; looks < 600 && (await stored()).length < 2; looks += 1) await sleep(50);
    expect(await stored()).toMatchObject([{ sequential: 1 }, { id, sequential: 2 }]);
  });

  it('of a database that is gone then: nobody knows, and the caller hears so', async () => {
    const issued = await issueUnderWay(randomUUID(), () => proxy.down(), async () => undefined);
    expect(isStoreOutage(issued)).toBe(true);
  });

  interface Act {
    readonly how: string;
    /** Stores a document that the act is about. */
    readonly prepare: (id: string) => Promise<ReadVersion>;
    readonly perform: (by: IssuingRepository, document: ReadVersion, content: Assessed, now: Date) => Promise<{ access_key: string }>;
    /** Of the document when the act was done once. */
    readonly history: readonly string[];
  }
  const ACTS: readonly Act[] = [
    {
      how: 'from a draft',
      prepare: async (id) => {
        await issuing.createDraft(tenant(), id, place(), assessed(), { idempotencyKey: null, fingerprint: 'v1:a', operation: 'draft' }, new Date());
        return { id, version: 1 };
      },
      perform: (by, draft, content, now) => by.issueDraft(tenant(), draft, place(), content, now),
      history: ['drafted', 'validated', 'number_taken'],
    },
    {
      how: 'once more, corrected',
      prepare: async (id) => {
        await issue(id, null);
        await database.query(`set local session_replication_role = replica; update documents set status = 'REJECTED' where id = '${id}'`);
        return { id, version: 1 };
      },
      perform: (by, refused, content, now) =>
        by.correct(tenant(), refused, place(), content, actLine(tenant(), { action: 'document.corrected', target: { kind: 'document', id: refused.id } }, now), now),
      history: ['number_taken', 'corrected'],
    },
  ];

  describe.each(ACTS)('$how', ({ prepare, perform, history }) => {
    type Answer = { access_key: string } | Error;
    let document: ReadVersion;

    beforeEach(async () => {
      document = await prepare(randomUUID());
    });

    const act = (by = issuing, content = assessed({ buyerName: 'Compradora' }), now = new Date()): Promise<Answer> =>
      perform(by, document, content, now).catch((error: unknown) => error as Error);
    /** Does `meanwhile` while the document is held, then lets go of it. */
    const whileHeld = <T>(meanwhile: () => Promise<T>): Promise<T> =>
      inTransaction(database, async (owner) => {
        await owner.query('select 1 from documents where id = $1 for update', [document.id]);
        const done = await meanwhile();
        await owner.query('commit');
        return done;
      });
    /** The act was done once, with this answer. */
    async function expectDoneOnce(answer: Answer): Promise<void> {
      const documents = await stored();
      expect(documents).toMatchObject([{ id: document.id, sequential: 1 }]);
      expect(answer).toMatchObject({ access_key: documents[0]!.access_key });
      const moves = await database.query<{ trigger: string }>('select trigger from document_history where document_id = $1 order by version', [document.id]);
      expect(moves.map(({ trigger }) => trigger)).toEqual(history);
      expect(await database.query('select 1 from outbox where document_id = $1', [document.id])).toHaveLength(1);
      expect(await database.query('select last_value from sequence_counters where tenant_id = $1', [seed.tenantId])).toEqual([{ last_value: 1 }]);
    }

    it.each(['downstream', 'upstream'] as const)('at the next word %s: it is done once, and the caller learns of it', async (direction) => {
      endAtNextWord(direction);
      await expectDoneOnce(await act());
    });

    it('while it is under way: it is done once', async () => {
      const answer = await whileHeld(async () => {
        const begun = act();
        await lockAwaited(database);
        proxy.resetAll();
        await lockAwaited(database, 2);
        return [begun];
      });
      await expectDoneOnce(await answer[0]!);
    });

    it.each([
      ['a moment before', 1, 'Compradora'],
      ['in the same moment with other content', 0, 'Otra'],
    ])('as another did it %s: who came too late hears so', async (_, laterMs, buyerName) => {
      const others = await serviceConnections(database.url, 'api', 1);
      try {
        const now = Date.now();
        const [first, second] = await whileHeld(async () => {
          const another = act(new IssuingRepository(new TenantTransaction(others)), assessed({ buyerName }), new Date(now));
          await lockAwaited(database);
          const begun = act(issuing, undefined, new Date(now + laterMs));
          await lockAwaited(database, 2);
          proxy.resetAll();
          await lockAwaited(database, 3);
          return [[another], [begun]] as const;
        });
        await expectDoneOnce(await first[0]);
        expect(await second[0]).toBeInstanceOf(ConcurrentChangeError);
      } finally {
        await others.destroy();
      }
    });

    it('of a database that is gone then: nobody knows, and the caller hears so', async () => {
      const [answer] = await whileHeld(async () => {
        const begun = act();
        await lockAwaited(database);
        await proxy.down();
        return [begun];
      });
      expect(isStoreOutage(await answer)).toBe(true);
    });
  });
});
