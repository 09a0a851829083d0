import type { DataSource } from 'typeorm';
import { StoredDocumentsRepository } from '../../src/modules/documents/persistence/stored-documents.repository.js';
import { TenantTransaction } from '../../src/platform/database/tenant-transaction.js';
import type { TenantContext } from '../../src/shared/tenant-context.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { issueBySql, type SeededTenant, seedTenant } from '../support/seed.js';
import { serviceConnections } from '../support/service-connections.js';

const [FORMER, PRESENT] = ['2026-08-25', '2026-08-24'];

describe('documents that name one by its former day', () => {
  let database: TestDatabase;
  let service: DataSource;
  let seed: SeededTenant;
  let documents: StoredDocumentsRepository;
  let tenant: TenantContext;
  let original: string;
  let number: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    service = await serviceConnections(database.url, 'api', 2);
    seed = await seedTenant(database);
    documents = new StoredDocumentsRepository(new TenantTransaction(service));
    tenant = { tenantId: seed.tenantId, principal: { kind: 'api_key', id: seed.apiKeyId }, environment: 'TEST' };
    const { response } = await issueBySql(service, seed, { documentType: '03' });
    original = response.document_id;
    number = `001-002-${response.access_key.slice(30, 39)}`;
  });
  afterAll(async () => {
    await service.destroy();
    await database.drop();
  });

  /** Another document that names the original by its id. */
  const naming = async (documentType: string, content: Record<string, unknown>): Promise<{ id: string; documentType: string; number: string }> => {
    const { response } = await issueBySql(service, seed, { documentType });
    await database.query('update documents set modified_document_id = $2 where id = $1', [response.document_id, original]);
    await database.query('update document_contents set content = content || $2::jsonb where document_id = $1', [response.document_id, JSON.stringify(content)]);
    return { id: response.document_id, documentType, number: `001-002-${response.access_key.slice(30, 39)}` };
  };
  const short = (day: string) => ({ modifiedDocumentNumber: number, modifiedDocumentIssueDate: day, withholding: null });
  const full = (day: string, named = number) => ({ modifiedDocumentIssueDate: FORMER, withholding: { supportingDocuments: [{ number: '001-002-000000999', issueDate: FORMER }, { number: named, issueDate: day }] } });
  const asIfItWere = (id: string, status: string): Promise<unknown> =>
    database.query(`begin; set local session_replication_role = replica; update documents set status = '${status}' where id = '${id}'; commit`);
  const found = (day = PRESENT, of = tenant) => documents.outdatedReferences(of, original, day);

  it('are found in every form, the oldest first, and not those that have the present day', async () => {
    expect(await found()).toEqual([]);
    const old = [await naming('06', short(FORMER)), await naming('05', short(FORMER)), await naming('07', short(FORMER)), await naming('07', full(FORMER))];
    const present = await naming('07', short(PRESENT));
    await naming('07', full(PRESENT));
    // Its supporting documents are others: it names no day of this one.
    await naming('07', full(FORMER, '001-002-000000998'));
    expect(await found()).toEqual(old);
    expect((await found(FORMER)).map(({ id }) => id)).toContain(present.id);
    const other = await seedTenant(database, { ruc: '0990012348001' });
    expect(await found(PRESENT, { ...tenant, tenantId: other.tenantId })).toEqual([]);
  });

  it.each([['DRAFT', false], ['CANCELLED', false], ['FAILED_PERMANENT', false], ['REJECTED', true], ['MANUAL_REVIEW_REQUIRED', true], ['AUTHORIZED', true]] as const)('%s: found is %s', async (status, isFound) => {
    const { id } = await naming('06', short(FORMER));
    await asIfItWere(id, status);
    expect((await found()).some((one) => one.id === id)).toBe(isFound);
  });
});
