import { DataSource } from 'typeorm';
import { DocumentsRepository } from '../../src/modules/documents/persistence/documents.repository.js';
import { findModified, misnamed, otherBuyer } from '../../src/modules/documents/use-cases/modified-document.js';
import { RandomIds } from '../../src/platform/adapters/random-ids.js';
import { serviceDataSourceOptions } from '../../src/platform/database/connection.js';
import { TenantTransaction } from '../../src/platform/database/tenant-transaction.js';
import type { TenantContext } from '../../src/shared/tenant-context.js';
import { type DocumentContent, PLAIN_CONTENT } from '../../src/sri/document-types/document.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { issueBySql, type SeededTenant, seedTenant } from '../support/seed.js';

const NUMBER = '001-002-000000001';

describe('the document that a note modifies', () => {
  let database: TestDatabase;
  let service: DataSource;
  let seed: SeededTenant;
  let transaction: TenantTransaction;
  let tenant: TenantContext;
  let id: string;

  const note = (change: Partial<DocumentContent>): DocumentContent => {
    const unnamed = { modifiedDocumentId: null, modifiedDocumentType: null, modifiedDocumentNumber: null, modifiedDocumentIssueDate: null };
    return { ...PLAIN_CONTENT, documentType: '04', ...unnamed, ...change } as DocumentContent;
  };

  beforeAll(async () => {
    database = await createTestDatabase();
    service = await new DataSource(serviceDataSourceOptions(database.url, 2)).initialize();
    seed = await seedTenant(database);
    transaction = new TenantTransaction(service);
    tenant = { tenantId: seed.tenantId, principal: { kind: 'api_key', id: seed.apiKeyId }, environment: 'TEST' };
    id = (await issueBySql(service, seed)).response.document_id;
  });
  afterAll(async () => {
    await service.destroy();
    await database.drop();
  });

  it('is none of ours by number while the SRI has not authorized it', async () => {
    await expect(findModified(transaction, tenant, seed.issuerId, note({ modifiedDocumentNumber: NUMBER }))).resolves.toBeNull();
  });

  it('is found by its number without its id once it is authorized, so that its balance holds', async () => {
    const documents = new DocumentsRepository(transaction, new RandomIds());
    const { state } = (await documents.load(seed.tenantId, id))!;
    const moves = (['xml_built', 'signed', 'queued', 'sending', 'authorized'] as const).map((trigger) => ({ trigger }));
    await documents.advance(state, { moves, patch: { authorizationNumber: state.accessKey }, work: null }, null, new Date());
    await expect(findModified(transaction, tenant, seed.issuerId, note({ modifiedDocumentNumber: NUMBER }))).resolves.toMatchObject({ id, status: 'AUTHORIZED' });
    await expect(findModified(transaction, tenant, seed.issuerId, note({ modifiedDocumentNumber: '009-002-000000001' }))).resolves.toBeNull();
  });

  it('is not found for another issuer', async () => {
    await expect(findModified(transaction, tenant, seed.tenantId, note({ modifiedDocumentId: id }))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('is named wrongly when id and number, type or date disagree', async () => {
    const content = note({ modifiedDocumentId: id, modifiedDocumentNumber: '001-002-000000009', modifiedDocumentType: '01', modifiedDocumentIssueDate: '2026-08-24' });
    const original = await findModified(transaction, tenant, seed.issuerId, content);
    expect(misnamed(content, original!).map(({ pointer }) => pointer)).toEqual(['/modified_document_number', '/modified_document_issue_date']);
    expect(misnamed(note({ modifiedDocumentId: id, modifiedDocumentNumber: NUMBER }), original!)).toEqual([]);
  });

  it('is told to have another buyer than the note, unless both are one person', async () => {
    const found = await findModified(transaction, tenant, seed.issuerId, note({ modifiedDocumentId: id }));
    const buyer = '1710034065';
    const original = { ...found!, buyerId: buyer };
    const told = (buyerId: string | null, documentType: DocumentContent['documentType'] = '04') => otherBuyer(note({ documentType, buyerId }), original);
    expect([buyer, `${buyer}001`, null].map((id) => told(id))).toEqual([[], [], []]);
    for (const type of ['04', '05'] as const) expect(told('1790012345001', type)).toMatchObject([{ rule: 'modified.other_buyer', pointer: '/buyer_id', severity: 'warning', expected: buyer, actual: '1790012345001' }]);
    expect(otherBuyer(note({ buyerId: buyer }), { ...original, buyerId: `${buyer}001` })).toEqual([]);
    // Another establishment of the same taxpayer.
    expect(otherBuyer(note({ buyerId: '1790012345002' }), { ...original, buyerId: '1790012345001' })).toEqual([]);
    expect(otherBuyer(note({ buyerId: '9999999999' }), { ...original, buyerId: '9999999999999' })).toHaveLength(1);
    expect(told('1790012345001', '07')).toEqual([]);
  });
});
