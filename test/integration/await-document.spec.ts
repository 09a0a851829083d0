import { DataSource } from 'typeorm';
import { AwaitDocument, AwaitDocumentHandler } from '../../src/modules/documents/use-cases/await-document.js';
import { SystemClock } from '../../src/platform/adapters/system-clock.js';
import { TimerSleeper } from '../../src/platform/adapters/timer-sleeper.js';
import { serviceDataSourceOptions } from '../../src/platform/database/connection.js';
import { Shutdown } from '../../src/platform/shutdown/shutdown.js';
import { TenantTransaction } from '../../src/platform/database/tenant-transaction.js';
import type { TenantContext } from '../../src/shared/tenant-context.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { issueBySql, type SeededTenant, seedTenant } from '../support/seed.js';

describe('waiting for an accepted document', () => {
  let database: TestDatabase;
  let service: DataSource;
  let seed: SeededTenant;
  let handler: AwaitDocumentHandler;

  beforeAll(async () => {
    database = await createTestDatabase();
    service = await new DataSource(serviceDataSourceOptions(database.url, 1)).initialize();
    seed = await seedTenant(database);
    handler = new AwaitDocumentHandler(new TenantTransaction(service), new SystemClock(), new TimerSleeper(), new Shutdown({ SHUTDOWN_SECONDS: 1 }));
  });
  afterAll(async () => {
    await service.destroy();
    await database.drop();
  });

  const query = (documentId: string): AwaitDocument => {
    const tenant: TenantContext = { tenantId: seed.tenantId, principal: { kind: 'api_key', id: seed.apiKeyId }, environment: 'TEST' };
    return new AwaitDocument(tenant, documentId, 1, false);
  };

  it('answers that it was accepted, not that the service failed, while the database is out of reach', async () => {
    const { document_id } = (await issueBySql(service, seed)).response;
    // The only connection is taken: every look times out.
    const busy = service.createQueryRunner();
    await busy.connect();
    try {
      await expect(handler.execute(query(document_id))).resolves.toMatchObject({ document_id, status: 'NUMBER_RESERVED', action_taken: 'pending' });
    } finally {
      await busy.release();
    }
  });

  it('refuses a key that was revoked meanwhile', async () => {
    const { document_id } = (await issueBySql(service, seed)).response;
    await database.query('update api_keys set revoked_at = now() where id = $1', [seed.apiKeyId]);
    await expect(handler.execute(query(document_id))).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });
});
