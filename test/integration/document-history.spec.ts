import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { GetDocumentHistory, GetDocumentHistoryHandler } from '../../src/modules/documents/use-cases/get-document-history.js';
import { TenantTransaction } from '../../src/platform/database/tenant-transaction.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { issueBySql, seedTenant } from '../support/seed.js';
import { serviceConnections } from '../support/service-connections.js';

describe('the history of a document', () => {
  let database: TestDatabase;
  let service: DataSource;

  beforeAll(async () => {
    database = await createTestDatabase();
    service = await serviceConnections(database.url, 'api', 2);
  });
  afterAll(async () => {
    await service.destroy();
    await database.drop();
  });

  it('tells moves in the order in which they were made, whatever the clocks of those who made them say', async () => {
    const seed = await seedTenant(database);
    const ordered = async (documentId: string): Promise<unknown[]> => {
      const handler = new GetDocumentHistoryHandler(new TenantTransaction(service));
      const tenant = { tenantId: seed.tenantId, principal: { kind: 'api_key', id: seed.apiKeyId }, environment: 'TEST' } as const;
      return (await handler.execute(new GetDocumentHistory(tenant, documentId))).items.map(({ version, service: called, ...entry }) => {
        expect(Object.keys(entry)).not.toContain('place');
        return version ?? called;
      });
    };
    const { response: { document_id: documentId } } = await issueBySql(service, seed);
    const now = Date.now();
    const at = (seconds: number): Date => new Date(now + seconds * 1_000);
    for (const [version, from, to, seconds] of [[2, 'NUMBER_RESERVED', 'XML_GENERATED', 10], [3, 'XML_GENERATED', 'SIGNED', -3_600], [4, 'SIGNED', 'RECEPTION_PENDING', 30]] as const) {
      await database.query(
        `insert into document_history (tenant_id, document_id, version, from_status, trigger, to_status, at) values ($1, $2, $3, $4, 'x', $5, $6)`,
        [seed.tenantId, documentId, version, from, to, at(seconds)]);
    }
    await database.query(
      `insert into sri_attempts (tenant_id, id, document_id, service, signing_no, started_at) values ($1, $2, $3, 'reception', 1, $4)`, [seed.tenantId, randomUUID(), documentId, at(20)]);
    expect(await ordered(documentId)).toEqual([1, 2, 3, 'reception', 4]);
    // Who made the first move was ahead.
    await database.query('update document_history set at = $2 where document_id = $1 and version = 1', [documentId, at(600)]);
    expect(await ordered(documentId)).toEqual([1, 2, 3, 'reception', 4]);
  });
});
