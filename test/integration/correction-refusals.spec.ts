import type { DataSource } from 'typeorm';
import type { Trigger } from '../../src/modules/documents/domain/lifecycle.js';
import { DocumentsRepository } from '../../src/modules/documents/persistence/documents.repository.js';
import { StoredDocumentsRepository } from '../../src/modules/documents/persistence/stored-documents.repository.js';
import { RandomIds } from '../../src/platform/adapters/random-ids.js';
import { TenantTransaction } from '../../src/platform/database/tenant-transaction.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { issueBySql, type SeededTenant, seedTenant } from '../support/seed.js';
import { serviceConnections } from '../support/service-connections.js';

const SENT: readonly Trigger[] = ['xml_built', 'signed', 'queued', 'sending'];

describe('whether the SRI keeps a refusal under the access key', () => {
  let database: TestDatabase;
  let service: DataSource;
  let seed: SeededTenant;
  let transaction: TenantTransaction;

  beforeAll(async () => {
    database = await createTestDatabase();
    service = await serviceConnections(database.url, 'api', 2);
    seed = await seedTenant(database);
    transaction = new TenantTransaction(service);
  });
  afterAll(async () => {
    await service.destroy();
    await database.drop();
  });

  it.each<[string, boolean, readonly Trigger[], unknown]>([
    ['reception refused what was sent', false, [], { service: 'reception' }],
    ['a question during the sending found it not authorized', true, [], { service: 'authorization' }],
    ['authorization refused what was received', true, ['received', 'awaiting'], { service: 'authorization' }],
    ['an older row, refused while being sent', false, [], undefined],
    ['an older row, refused later', true, ['received', 'awaiting'], undefined],
  ])('%s: %s', async (_name, kept, more, detail) => {
    const id = (await issueBySql(service, seed)).response.document_id;
    const documents = new DocumentsRepository(transaction, new RandomIds());
    const { state } = (await documents.load(seed.tenantId, id))!;
    const moves = [...[...SENT, ...more].map((trigger) => ({ trigger })), { trigger: 'refused' as const, detail }];
    await documents.advance(state, { moves, patch: { errorCode: 'SRI_REJECTED' }, work: null }, null, new Date());
    const tenant = { tenantId: seed.tenantId, principal: { kind: 'api_key', id: seed.apiKeyId }, environment: 'TEST' } as const;
    await expect(new StoredDocumentsRepository(transaction).wasRefusedAtAuthorization(tenant, id)).resolves.toBe(kept);
    // Of what was neither signed nor corrected nor retried it is not asked.
    const isDateFixed = async (signingNo: number, revision: number): Promise<boolean> => {
      await database.query('update documents set signing_no = $2, content_revision = $3 where id = $1', [id, signingNo, revision]);
      return (await documents.load(seed.tenantId, id))!.state.isDateFixed;
    };
    expect([await isDateFixed(1, 1), await isDateFixed(2, 1), await isDateFixed(1, 2)]).toEqual([false, kept, kept]);
    await documents.advance((await documents.load(seed.tenantId, id))!.state, { moves: [{ trigger: 'retry_sending' }], patch: {}, work: null }, null, new Date());
    expect(await isDateFixed(1, 1)).toBe(kept);
  });
});
