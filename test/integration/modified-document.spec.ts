import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { DocumentActions } from '../../src/modules/documents/actions/document-actions.js';
import type { DocumentPatch } from '../../src/modules/documents/domain/document.js';
import type { Trigger } from '../../src/modules/documents/domain/lifecycle.js';
import { creditedInFull, misnamed, namedInFull, otherBuyer, supportAuthorization } from '../../src/modules/documents/domain/modified-document.js';
import { DocumentsRepository } from '../../src/modules/documents/persistence/documents.repository.js';
import { ModifiedDocumentsRepository } from '../../src/modules/documents/persistence/modified-documents.repository.js';
import { RandomIds } from '../../src/platform/adapters/random-ids.js';
import { TenantTransaction } from '../../src/platform/database/tenant-transaction.js';
import type { DomainError } from '../../src/shared/domain-error.js';
import type { TenantContext } from '../../src/shared/tenant-context.js';
import { type DocumentContent, PLAIN_CONTENT } from '../../src/sri/document-types/content.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { issueBySql, type IssueRow, type SeededTenant, seedTenant } from '../support/seed.js';
import { serviceConnections } from '../support/service-connections.js';

const NUMBER = '001-002-000000001';
const SENT = ['xml_built', 'signed', 'queued', 'sending'] as const;

const numberOf = ({ response }: IssueRow): string => `001-002-${response.access_key.slice(30, 39)}`;

describe('the document that a note modifies', () => {
  let database: TestDatabase;
  let service: DataSource;
  let seed: SeededTenant;
  let transaction: TenantTransaction;
  let originals: ModifiedDocumentsRepository;
  let tenant: TenantContext;
  let id: string;

  const note = (change: Partial<DocumentContent>): DocumentContent => {
    const unnamed = { modifiedDocumentId: null, modifiedDocumentType: null, modifiedDocumentNumber: null, modifiedDocumentIssueDate: null };
    return { ...PLAIN_CONTENT, documentType: '04', ...unnamed, ...change } as DocumentContent;
  };

  beforeAll(async () => {
    database = await createTestDatabase();
    service = await serviceConnections(database.url, 'api', 2);
    seed = await seedTenant(database);
    transaction = new TenantTransaction(service);
    originals = new ModifiedDocumentsRepository(transaction);
    tenant = { tenantId: seed.tenantId, principal: { kind: 'api_key', id: seed.apiKeyId }, environment: 'TEST' };
    id = (await issueBySql(service, seed)).response.document_id;
  });
  afterAll(async () => {
    await service.destroy();
    await database.drop();
  });

  const byNumber = (number: string): Promise<unknown> => originals.find(tenant, seed, note({ modifiedDocumentNumber: number }));
  const move = async (documentId: string, triggers: readonly Trigger[], patch: DocumentPatch = {}): Promise<void> => {
    const documents = new DocumentsRepository(transaction, new RandomIds());
    const { state } = (await documents.load(seed.tenantId, documentId))!;
    await documents.advance(state, { moves: triggers.map((trigger) => ({ trigger })), patch, work: null }, null, new Date());
  };

  const issueNote = async (modifiedDocumentId: string, total: string): Promise<IssueRow['response']> => {
    const header = {
      issuer_id: seed.issuerId, establishment_id: seed.establishmentId, emission_point_id: seed.emissionPointId, sri_environment: 'TEST', document_type: '04', issue_date: '2026-08-25',
      subtotal: total, total_discount: '0.00', total_tax: '0.00', total, modified_document_id: modifiedDocumentId,
    };
    const content = { numericCode: '12345678', modifiedDocumentId };
    const snapshot = { ruc: seed.ruc, establishmentCode: '001', emissionPointCode: '002' };
    const [issued] = await service.query<IssueRow[]>('select * from issue_document($1, $2, $3, now(), $4, $5, $6, $7, null, $8)', [
      seed.tenantId, seed.apiKeyId, randomUUID(), JSON.stringify(header), JSON.stringify(content), JSON.stringify(snapshot), '[]', 'v1:b',
    ]);
    return issued!.response;
  };

  /** Another emission point of the issuer, whose next invoice is 51: `001-009`. */
  const createPlace = async (): Promise<string> => {
    const point = randomUUID();
    await database.query(`insert into emission_points (tenant_id, id, establishment_id, code, initial_sequential, created_at, updated_at) values ($1, $2, $3, '009', 50, now(), now())`, [seed.tenantId, point, seed.establishmentId]);
    await issueBySql(service, { ...seed, emissionPointId: point });
    return '001-009';
  };

  it('is found by its number without its id, so that its balance holds: before it is authorized', async () => {
    await expect(byNumber(NUMBER)).resolves.toMatchObject({ id, status: 'NUMBER_RESERVED', number: NUMBER });
    await expect(originals.find(tenant, seed, note({ documentType: '05', modifiedDocumentNumber: NUMBER }))).resolves.toMatchObject({ id });
    await expect(originals.find(tenant, seed, note({ documentType: '07', modifiedDocumentNumber: NUMBER }))).resolves.toBeNull();
    await expect(byNumber('009-002-000000001')).resolves.toBeNull();
    const other = { ...tenant, environment: 'PRODUCTION' as const };
    await expect(originals.find(other, seed, note({ modifiedDocumentNumber: NUMBER }))).resolves.toBeNull();
  });

  it('and once it is authorized', async () => {
    const accessKey = (await database.query<{ access_key: string }>('select access_key from documents where id = $1', [id]))[0]!.access_key;
    await move(id, [...SENT, 'authorized'], { authorizationNumber: accessKey });
    await expect(byNumber(NUMBER)).resolves.toMatchObject({ id, status: 'AUTHORIZED' });
  });

  it('gives a guide that rests on it its authorization number, which is the access key of one on its way', async () => {
    const guide = note({ documentType: '06', modifiedDocumentId: id });
    const original = (await originals.find(tenant, seed, guide))!;
    expect(original.authorizationNumber).toMatch(/^\d{49}$/);
    expect(supportAuthorization(guide, original)).toBe(original.authorizationNumber);
    expect(supportAuthorization(note({ documentType: '04', modifiedDocumentId: id }), original)).toBeNull();

    const onItsWay = await issueBySql(service, seed);
    const { document_id: documentId, access_key: accessKey } = onItsWay.response;
    const now = async () => supportAuthorization(guide, (await originals.find(tenant, seed, note({ documentType: '06', modifiedDocumentId: documentId })))!);
    expect(await now()).toBe(accessKey);
    await move(documentId, [...SENT, 'sequential_taken', 'sequential_taken'], { errorCode: 'SEQUENTIAL_TAKEN' });
    expect(await now()).toBeNull();
  });

  it('and when it was refused or given up, for it may be authorized yet', async () => {
    const refused = await issueBySql(service, seed);
    const number = numberOf(refused);
    await move(refused.response.document_id, [...SENT, 'refused'], { errorCode: 'SRI_REJECTED' });
    await expect(byNumber(number)).resolves.toMatchObject({ status: 'REJECTED' });
    await move(refused.response.document_id, ['abandoned'], { errorDetail: { abandoned: 'x' } });
    await expect(byNumber(number)).resolves.toMatchObject({ status: 'FAILED_PERMANENT' });
    const unsent = await issueBySql(service, seed);
    await move(unsent.response.document_id, ['failed']);
    await expect(byNumber(numberOf(unsent))).resolves.toMatchObject({ status: 'FAILED_PERMANENT' });
  });

  it('is none of ours once it was given up because the SRI gave its number to another', async () => {
    const taken = await issueBySql(service, seed);
    await move(taken.response.document_id, [...SENT, 'sequential_taken', 'sequential_taken'], { errorCode: 'SEQUENTIAL_TAKEN' });
    await expect(byNumber(numberOf(taken))).resolves.toMatchObject({ status: 'MANUAL_REVIEW_REQUIRED' });
    await move(taken.response.document_id, ['abandoned'], { errorDetail: { abandoned: 'x' } });
    await expect(byNumber(numberOf(taken))).resolves.toBeNull();
    await expect(originals.find(tenant, seed, note({ modifiedDocumentId: taken.response.document_id }))).resolves.toMatchObject({ status: 'FAILED_PERMANENT' });
  });

  it('is a purchase settlement where a withholding names its number, unless the SRI holds another of that number', async () => {
    const settlement = await issueBySql(service, seed, { documentType: '03' });
    const number = numberOf(settlement);
    const { document_id: documentId, access_key: accessKey } = settlement.response;
    const named = (of: { tenant?: TenantContext; issuerId?: string } = {}) => originals.settlementsNumbered(of.tenant ?? tenant, of.issuerId ?? seed.issuerId, [number, number, '009-002-000000001', 'x']);
    expect(await named()).toEqual([{ number, documentType: '03', accessKey, status: 'NUMBER_RESERVED', errorCode: null, sriMessages: [] }]);
    const other = await seedTenant(database, { ruc: '0990012348001' });
    for (const foreign of [{ tenant: { ...tenant, tenantId: other.tenantId } }, { issuerId: other.issuerId }, { tenant: { ...tenant, environment: 'PRODUCTION' as const } }]) expect(await named(foreign)).toEqual([]);
    await move(documentId, [...SENT, 'refused'], { errorCode: 'SRI_REJECTED' });
    expect(await named()).toMatchObject([{ status: 'REJECTED' }]);
    const taken = await issueBySql(service, seed, { documentType: '03' });
    await move(taken.response.document_id, [...SENT, 'sequential_taken', 'sequential_taken'], { errorCode: 'SEQUENTIAL_TAKEN' });
    await move(taken.response.document_id, ['abandoned'], { errorDetail: { abandoned: 'x' } });
    expect(await originals.settlementsNumbered(tenant, seed.issuerId, [numberOf(taken)])).toEqual([]);
    expect(await originals.settlementsNumbered(tenant, seed.issuerId, ['001-002-000000003'])).toEqual([]);
  });

  it('is not found for another issuer', async () => {
    await expect(originals.find(tenant, { ...seed, issuerId: seed.tenantId }, note({ modifiedDocumentId: id }))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('is named wrongly when id and number, type or date disagree', async () => {
    const content = note({ modifiedDocumentId: id, modifiedDocumentNumber: '001-002-000000009', modifiedDocumentType: '01', modifiedDocumentIssueDate: '2026-08-24' });
    const original = await originals.find(tenant, seed, content);
    expect(misnamed(content, original!).map(({ pointer }) => pointer)).toEqual(['/modified_document_number', '/modified_document_issue_date']);
    expect(misnamed(note({ modifiedDocumentId: id, modifiedDocumentNumber: NUMBER }), original!)).toEqual([]);
    for (const documentType of ['05', '06', '07'] as const) expect(misnamed({ ...content, documentType }, original!)).toHaveLength(2);
    expect(misnamed({ ...content, documentType: '07', withholding: {} as never }, original!)).toEqual([]);
    // By another code than its own, a settlement for reimbursements is the same document.
    const bought = { ...original!, documentType: '03' };
    const called = (documentType: '04' | '07', modifiedDocumentType: string) => misnamed(note({ documentType, modifiedDocumentId: id, modifiedDocumentType }), bought).length;
    expect([called('07', '41'), called('07', '01'), called('04', '41')]).toEqual([0, 1, 1]);
  });

  it('is told to have another buyer than the note, unless both are one person', async () => {
    const found = await originals.find(tenant, seed, note({ modifiedDocumentId: id }));
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

  it('tells its type, number and day to what rests on it alone, and to nothing else', () => {
    const original = { id, documentType: '01', number: NUMBER, issueDate: '2026-08-25' };
    const full = { modifiedDocumentId: id, modifiedDocumentType: '01', modifiedDocumentNumber: NUMBER, modifiedDocumentIssueDate: '2026-08-25' };
    for (const documentType of ['04', '05', '06', '07'] as const) expect(namedInFull(note({ documentType, withholding: null }), original)).toMatchObject(full);
    const others = [note({ documentType: '01' }), note({ documentType: '03' }), note({ documentType: '07', withholding: {} as never })];
    for (const content of others) expect(namedInFull(content, original)).toBe(content);
  });

  it('tells a note that failed, and is taken up again, which notes hold the balance by now: the newest', async () => {
    const invoice = (await issueBySql(service, seed)).response;
    await move(invoice.document_id, [...SENT, 'authorized'], { authorizationNumber: invoice.access_key });
    const issued = async (total: string): Promise<string> => (await issueNote(invoice.document_id, total)).document_id;
    const failed = await issued('100.00');
    await move(failed, ['failed']);
    const parts: string[] = [];
    for (let note = 0; note < 11; note += 1) parts.push(await issued('1.00'));
    const actions = new DocumentActions(new DocumentsRepository(transaction, new RandomIds()), { now: () => new Date() });
    const retried = actions.perform(tenant, failed, { action: 'document.retried' }, () => ({ decision: { moves: [{ trigger: 'retry_sending' }], patch: {}, work: null } }));
    const { detail } = await retried.then(() => { throw new Error('it was taken up again'); }, (error: unknown) => error as DomainError);
    expect(detail).toMatchObject({ field: 'total', available: '89.00' });
    expect((detail as { held_by: { document_id: string }[] }).held_by.map(({ document_id }) => document_id)).toEqual(parts.slice(1).reverse());
  });

  it('is told to be none that was given out where the note names a number that its own place has not reached', async () => {
    const place = await createPlace();
    const last = (number: string, change: Partial<DocumentContent> = {}, environment: 'TEST' | 'PRODUCTION' = 'TEST') =>
      originals.lastIssuedBefore({ ...tenant, environment }, seed.issuerId, note({ modifiedDocumentNumber: `${place}-${number}`, ...change }));
    expect([await last('000000050'), await last('000000051'), await last('000000050', { documentType: '05' })]).toEqual([null, `${place}-000000050`, null]);
    // A former system's, of a type or an environment that this one has numbered nothing of, another's, or no number.
    const others = [last('000000007'), last('000000051', { modifiedDocumentType: '03' }), last('000000051', {}, 'PRODUCTION'), last('000000051', { documentType: '06' }), last('51')];
    expect(await Promise.all(others)).toEqual(Array(others.length).fill(null));
    expect(await originals.lastIssuedBefore(tenant, seed.tenantId, note({ modifiedDocumentNumber: `${place}-000000051` }))).toBeNull();
  });

  it('is said to be credited in full already to a debit note, guide or withholding that rests on it', async () => {
    const found = (await originals.find(tenant, seed, note({ modifiedDocumentId: id })))!;
    const told = (documentType: DocumentContent['documentType'], status: 'AUTHORIZED' | 'VOIDED_BY_NC') => creditedInFull(note({ documentType, withholding: null }), { ...found, status }, 'modified_document_number');
    for (const type of ['05', '06', '07'] as const) expect([told(type, 'AUTHORIZED'), told(type, 'VOIDED_BY_NC')]).toMatchObject([[], [{ rule: 'modified.credited_in_full', pointer: '/modified_document_number', severity: 'warning' }]]);
    expect(told('04', 'VOIDED_BY_NC')).toEqual([]);
  });

  it('over nothing at all is void while a note for it stands, and valid again once that is annulled', async () => {
    const invoice = (await issueBySql(service, seed, { total: '0.00' })).response;
    const statusNow = async (): Promise<unknown> => (await database.query('select status from documents where id = $1', [invoice.document_id]))[0];
    await move(invoice.document_id, [...SENT, 'authorized'], { authorizationNumber: invoice.access_key });
    const { document_id: noteId, access_key: key } = await issueNote(invoice.document_id, '0.00');
    await move(noteId, [...SENT, 'authorized'], { authorizationNumber: key });
    expect(await statusNow()).toEqual({ status: 'VOIDED_BY_NC' });
    await move(noteId, ['cancellation_requested'], { cancellation: {} as never });
    await move(noteId, ['annulled']);
    expect(await statusNow()).toEqual({ status: 'AUTHORIZED' });
  });
});
