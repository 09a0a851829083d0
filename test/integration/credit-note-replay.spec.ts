import type { DataSource } from 'typeorm';
import { readSettings } from '../../src/config/settings.js';
import { CreateCreditNote, CreateCreditNoteHandler, type DraftedCreditNote } from '../../src/modules/documents/use-cases/create-credit-note.js';
import { DraftCreation } from '../../src/modules/documents/issuing/draft-creation.js';
import { IssuancePreflight } from '../../src/modules/documents/issuing/issuance-preflight.js';
import { CreditNoteDto } from '../../src/modules/documents/documents.credit-note.dto.js';
import { DocumentsRepository } from '../../src/modules/documents/persistence/documents.repository.js';
import { IssuingRepository } from '../../src/modules/documents/persistence/issuing.repository.js';
import { ModifiedDocumentsRepository } from '../../src/modules/documents/persistence/modified-documents.repository.js';
import { WithholdingsRepository } from '../../src/modules/documents/persistence/withholdings.repository.js';
import { StoredDocumentsRepository } from '../../src/modules/documents/persistence/stored-documents.repository.js';
import { CryptoChance } from '../../src/platform/adapters/crypto-chance.js';
import { RandomIds } from '../../src/platform/adapters/random-ids.js';
import { TenantTransaction } from '../../src/platform/database/tenant-transaction.js';
import { validateAs } from '../../src/platform/http/validation.pipe.js';
import type { TenantContext } from '../../src/shared/tenant-context.js';
import { createTestDatabase, fromSetup, type TestDatabase } from '../support/database.js';
import { issueBySql, type SeededTenant, seedTenant } from '../support/seed.js';
import { serviceConnections } from '../support/service-connections.js';

const BODY = {
  reason: 'Devolución', subtotal: '100.00', total_tax: '15.00', total: '115.00',
  lines: [{ line_number: 1, description: 'Servicio', quantity: '1', unit_price: '100.00', subtotal: '100.00', tax_rate_code: '4' }],
  taxes: [{ tax_code: '2', tax_rate_code: '4', taxable_base: '100.00', rate: '0.15', tax_amount: '15.00' }],
};

describe('a credit note asked for again', () => {
  let database: TestDatabase;
  let service: DataSource;
  let seed: SeededTenant;
  let tenant: TenantContext;
  let originalId: string;
  let now: Date;
  let credit: (body: object, key: string) => Promise<DraftedCreditNote>;

  beforeAll(async () => {
    database = await createTestDatabase();
    service = await serviceConnections(database.url, 'api', 2);
    seed = await seedTenant(database);
    tenant = { tenantId: seed.tenantId, principal: { kind: 'api_key', id: seed.apiKeyId }, environment: 'TEST' };
    const transaction = new TenantTransaction(service);
    const settings = readSettings({
      DATABASE_URL: database.url, REDIS_URL: fromSetup('TEST_REDIS_URL'), SRI_RECEPTION_URL: 'http://localhost/r', SRI_AUTHORIZATION_URL: 'http://localhost/a',
    });
    const ids = new RandomIds();
    const issuing = new IssuingRepository(transaction);
    const preflight = new IssuancePreflight(issuing, new ModifiedDocumentsRepository(transaction), new WithholdingsRepository(transaction), settings);
    const drafts = new DraftCreation(preflight, issuing, { now: () => now }, ids);
    const handler = new CreateCreditNoteHandler(new StoredDocumentsRepository(transaction), drafts, new CryptoChance(), settings);
    credit = (body, key) => handler.execute(new CreateCreditNote(tenant, originalId, validateAs(CreditNoteDto, body, 'body'), key));

    originalId = (await issueBySql(service, seed, { total: '115.00' })).response.document_id;
    const invoiced = {
      documentType: '01', issueDate: '2026-08-25', buyerIdType: '05', buyerId: '1710034065', buyerName: 'María Pérez', buyerEmail: null, buyerAddress: null,
    };
    await database.query('update document_contents set content = content || $1', [JSON.stringify(invoiced)]);
    const documents = new DocumentsRepository(transaction, ids);
    const { state } = (await documents.load(seed.tenantId, originalId))!;
    const moves = (['xml_built', 'signed', 'queued', 'sending', 'authorized'] as const).map((trigger) => ({ trigger }));
    await documents.advance(state, { moves, patch: { authorizationNumber: state.accessKey }, work: null }, null, new Date());
  });
  afterAll(async () => {
    await service.destroy();
    await database.drop();
  });

  const issueDates = async (): Promise<string[]> =>
    (await database.query<{ day: string }>(`select content ->> 'issueDate' as day from document_contents where content ->> 'documentType' = '04'`)).map(({ day }) => day);

  it('is the same draft on the next day and when its original has grown too old, dated as it was', async () => {
    now = new Date('2026-08-26T12:00:00Z');
    const first = await credit(BODY, 'k');
    expect(first.replayed).toBe(false);
    for (const later of ['2026-08-27T12:00:00Z', '2028-01-01T12:00:00Z']) {
      now = new Date(later);
      expect(await credit(BODY, 'k')).toEqual({ answer: first.answer, replayed: true });
    }
    await expect(credit(BODY, 'another')).rejects.toMatchObject({ code: 'FISCAL_RULE_VIOLATED' });
    expect(await issueDates()).toEqual(['2026-08-26']);
  });

  it('is another request when it names a day', async () => {
    now = new Date('2026-08-26T12:00:00Z');
    await expect(credit({ ...BODY, issue_date: '2026-08-26' }, 'k')).rejects.toMatchObject({ code: 'DUPLICATE_IDEMPOTENCY_KEY' });
    expect(await issueDates()).toHaveLength(1);
  });
});
