import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import type { Assessed, Place } from '../../src/modules/documents/domain/issuance.js';
import { type Issued, IssuingRepository } from '../../src/modules/documents/persistence/issuing.repository.js';
import { poolOf } from '../../src/platform/database/pool-of.js';
import { TenantTransaction } from '../../src/platform/database/tenant-transaction.js';
import { isStoreOutage } from '../../src/platform/http/error-answer.js';
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
  const issue = (id: string, idempotencyKey: string | null, content?: object): Promise<Issued> => {
    const tenant: TenantContext = { tenantId: seed.tenantId, principal: { kind: 'api_key', id: seed.apiKeyId }, environment: 'TEST' };
    const place: Place = { issuerId: seed.issuerId, establishmentId: seed.establishmentId, emissionPointId: seed.emissionPointId };
    return issuing.issue(tenant, id, place, assessed(content), { idempotencyKey, fingerprint: 'v1:a' }, new Date());
  };
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
  async function issueUnderWay(id: string, end: () => void | Promise<void>, meanwhile: () => Promise<void>): Promise<Issued | Error> {
    await issue(randomUUID(), null);
    return inTransaction(database, async (owner) => {
      await owner.query('select 1 from sequence_counters where tenant_id = $1 for update', [seed.tenantId]);
      const issued = issue(id, null).catch((error: unknown) => error as Error);
      await lockAwaited(database);
      await end();
      await meanwhile();
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
      `set session_replication_role = replica;
       update documents set status = 'AUTHORIZED', authorization_number = access_key, authorization_date = now() where id = '${original}'`);
    const id = randomUUID();
    endAtNextWord('downstream');
    const issued = await issue(id, null, { documentType: '04', modifiedDocumentId: original, modifiedDocumentType: '01', modifiedDocumentNumber: '001-002-000000001', modifiedDocumentIssueDate: '2026-08-25', reason: 'Devolución' });
    const own = (await stored()).find((document) => document.id === id);
    expect(issued).toMatchObject(asIssued(own!));
  });

  it('of a database that is gone then: nobody knows, and the caller hears so', async () => {
    const issued = await issueUnderWay(randomUUID(), () => proxy.down(), async () => undefined);
    expect(isStoreOutage(issued)).toBe(true);
  });
});
