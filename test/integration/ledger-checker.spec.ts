import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { DataSource } from 'typeorm';
import type { ClientRecord } from '../support/client-ledger.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { checkLedgers } from '../support/ledger-checker.js';
import { issueBySql, type SeededTenant, seedTenant } from '../support/seed.js';
import { serviceConnections } from '../support/service-connections.js';

const SIGNED = '<factura id="comprobante"/>';
const DIGEST = createHash('sha256').update(SIGNED).digest('hex');

interface Account {
  state: string;
  authorized: number;
  submissions: number;
  queries: number;
  digests: string[];
  stored_digests: string[];
}

/** The checker itself must be able to fail: each planted wrong is found, and named by its invariant. */
describe('the ledger checker', () => {
  let database: TestDatabase;
  let service: DataSource;
  let seed: SeededTenant;
  let simulator: Server;
  const accounts = new Map<string, Account>();
  let documentId = '';
  let accessKey = '';

  /** As the schema's owner with every guard off. */
  const tamper = async (sql: string, parameters: unknown[] = []): Promise<void> => {
    // One connection, so that the setting holds for the statement.
    const text = parameters.reduce<string>((filled, value, i) => filled.replaceAll(`$${i + 1}`, `'${String(value)}'`), sql);
    await database.query(`set local session_replication_role = replica; ${text}`);
  };
  const check = (quiescent = false, client?: ClientRecord[]): Promise<string[]> =>
    checkLedgers({
      query: (sql, parameters) => database.query<never>(sql, parameters),
      simulatorUrl: `http://127.0.0.1:${(simulator.address() as AddressInfo).port}`,
      quiescent,
      ...(client === undefined ? {} : { client }),
    });
  const invariants = async (...args: Parameters<typeof check>): Promise<string[]> =>
    [...new Set((await check(...args)).map((violation) => violation.split(':')[0]!))].sort();

  /** The document as it stands after a clean way to AUTHORIZED. */
  const authorize = async (): Promise<void> => {
    const moves: [string, string, string][] = [
      ['NUMBER_RESERVED', 'xml_built', 'XML_GENERATED'], ['XML_GENERATED', 'signed', 'SIGNED'], ['SIGNED', 'queued', 'RECEPTION_PENDING'],
      ['RECEPTION_PENDING', 'sending', 'SUBMITTED_TO_SRI'], ['SUBMITTED_TO_SRI', 'received', 'RECEIVED_BY_SRI'],
      ['RECEIVED_BY_SRI', 'awaiting', 'AUTHORIZATION_PENDING'], ['AUTHORIZATION_PENDING', 'authorized', 'AUTHORIZED'],
    ];
    for (const [i, [from, trigger, to]] of moves.entries()) {
      await tamper(`insert into document_history (tenant_id, document_id, version, from_status, trigger, to_status, at) values ($1, $2, $3, $4, $5, $6, now())`,
        [seed.tenantId, documentId, i + 2, from, trigger, to]);
    }
    await tamper(`update documents set status = 'AUTHORIZED', version = 8, authorization_number = access_key, signing_no = 1, first_sent_at = now(), reception_attempts = 1 where id = $1`, [documentId]);
    await tamper('delete from outbox where document_id = $1', [documentId]);
    await tamper(`insert into signed_documents (tenant_id, document_id, signing_no, certificate_id, access_key, signed_xml, digest, signed_at)
      values ($1, $2, 1, $3, $4, decode('${gzipSync(SIGNED).toString('hex')}', 'hex'), 'x', now() - interval '1 second')`, [seed.tenantId, documentId, seed.certificateId, accessKey]);
    await tamper(`insert into sri_attempts (tenant_id, id, document_id, service, signing_no, started_at, finished_at, outcome, messages) values
      ($1, gen_random_uuid(), $2, 'reception', 1, now(), now(), 'received', '[]'), ($1, gen_random_uuid(), $2, 'authorization', 1, now(), now(), 'AUTORIZADO', '[]')`, [seed.tenantId, documentId]);
    await tamper(`insert into document_authorizations (tenant_id, document_id, received_at, state, authorization_xml) values ($1, $2, now(), 'AUTORIZADO', 'x')`, [seed.tenantId, documentId]);
    await tamper(`insert into events (tenant_id, id, type, document_id, document_version, created_at) values ($1, gen_random_uuid(), 'document.authorized', $2, 8, now())`, [seed.tenantId, documentId]);
    accounts.set(accessKey, { state: 'authorized', authorized: 1, submissions: 1, queries: 1, digests: [DIGEST], stored_digests: [DIGEST] });
  };

  beforeEach(async () => {
    accounts.clear();
    simulator = createServer((request, response) => {
      const key = new URL(request.url ?? '', 'http://x').searchParams.get('access_key');
      const nothing: Account = { state: 'unknown', authorized: 0, submissions: 0, queries: 0, digests: [], stored_digests: [] };
      response.end(JSON.stringify(key === null ? { keys: accounts.size } : (accounts.get(key) ?? nothing)));
    }).listen(0, '127.0.0.1');
    database = await createTestDatabase();
    service = await serviceConnections(database.url, 'api', 2);
    seed = await seedTenant(database);
    const { response } = await issueBySql(service, seed, { idempotencyKey: 'order-1' });
    documentId = response.document_id;
    accessKey = response.access_key;
  });
  afterEach(async () => {
    simulator.close();
    simulator.closeAllConnections();
    await service.destroy();
    await database.drop();
  });

  it('is silent about what is right: accepted, and authorized', async () => {
    expect(await check()).toEqual([]);
    await authorize();
    expect(await check(true)).toEqual([]);
  });

  it.each<[string, string[], string, boolean?]>([
    ['a number that no document has', ['I2'], `update sequence_counters set last_value = 7`],
    ['a document that disappeared', ['I13', 'I2', 'I3'], `delete from documents; delete from document_history`],
    ['a refusal without a reason', ['I10', 'I2', 'I9'], `update documents set status = 'REJECTED'`],
    ['a state without work', ['I4'], `delete from outbox`],
    ['a document that never settled', ['I5'], `update documents set updated_at = now()`, true],
    ['work for another number', ['I13'], `update outbox set sequential = 9`],
    ['an authorization out of nowhere', ['I10', 'I8', 'I9'], `update documents set status = 'AUTHORIZED', authorization_number = access_key`],
    ['a move that the lifecycle does not know', ['I9'], `update document_history set to_status = 'RECEIVED_BY_SRI'; update documents set status = 'RECEIVED_BY_SRI'`],
    ['a gap in the history', ['I9'], `update document_history set version = 2; update documents set version = 2`],
    ['a person asked for nothing', ['I10', 'I5', 'I9'], `update documents set status = 'MANUAL_REVIEW_REQUIRED', error_code = 'X'`],
    ['two answers for one idempotency key', ['I3'], `update idempotency_keys set response = '{"document_id": "x", "access_key": "y"}'`],
    ['a transmission before the signature was stored', ['I12'],
      `insert into sri_attempts (tenant_id, id, document_id, service, signing_no, started_at) select tenant_id, gen_random_uuid(), id, 'reception', 1, now() from documents`],
  ])('finds %s', async (_name, expected, sql, quiescent = false) => {
    await tamper(sql);
    expect(await invariants(quiescent)).toEqual(expect.arrayContaining(expected));
  });

  it.each<[string, string, Partial<Account>]>([
    ['bytes at the SRI that are not stored', 'I12', { digests: [DIGEST, 'other'] }],
    ['more transmissions than were recorded', 'I12', { submissions: 2 }],
    ['a document that the SRI does not hold', 'I8', { state: 'unknown', authorized: 0 }],
    ['a document that was authorized twice', 'I3', { authorized: 2 }],
  ])('finds %s', async (_name, expected, change) => {
    await authorize();
    accounts.set(accessKey, { ...accounts.get(accessKey)!, ...change });
    expect(await invariants()).toContain(expected);
  });

  it('finds a second signature where nothing was refused', async () => {
    await authorize();
    const second = '<factura id="comprobante">2</factura>';
    await tamper(`insert into signed_documents select tenant_id, document_id, 2, certificate_id, access_key, decode('${gzipSync(second).toString('hex')}', 'hex'), 'y', signed_at from signed_documents`);
    await tamper('update documents set signing_no = 2');
    accounts.get(accessKey)!.digests.push(createHash('sha256').update(second).digest('hex'));
    expect(await invariants()).toContain('I6');
  });

  it('finds a number that was sent before its predecessor', async () => {
    await authorize();
    const { response } = await issueBySql(service, seed);
    await tamper(`insert into sri_attempts (tenant_id, id, document_id, service, signing_no, started_at)
      values ($1, gen_random_uuid(), $2, 'reception', 1, now() - interval '1 hour')`, [seed.tenantId, response.document_id]);
    expect(await invariants()).toContain('I17');
  });

  it('finds a document that is authorized at the SRI and refused here', async () => {
    await authorize();
    await tamper(`update documents set status = 'REJECTED'`);
    expect(await invariants(true)).toContain('I5');
  });

  it('finds keys at the SRI that no document explains', async () => {
    accounts.set('stranger', { state: 'authorized', authorized: 1, submissions: 1, queries: 0, digests: [], stored_digests: [] });
    expect(await invariants()).toContain('I4');
  });

  describe('with what callers were answered', () => {
    const record = (change: Partial<ClientRecord['answers'][number]> = {}, key: string | null = 'order-1'): ClientRecord => ({
      issuerId: seed.issuerId, idempotencyKey: key, answers: [{ at: 0, status: 202, documentId, accessKey, ...change }],
    });

    it('is silent when they agree', async () => {
      expect(await check(false, [record()])).toEqual([]);
    });

    it('is silent about a document whose answer was lost', async () => {
      expect(await check(false, [record({ status: null, documentId: '', accessKey: '' })])).toEqual([]);
    });

    it.each<[string, string, () => ClientRecord[]]>([
      ['a promise that was not kept', 'I4', () => [record(), record({ documentId: '00000000-0000-0000-0000-000000000000' }, 'order-2')]],
      ['another key than promised', 'I4', () => [record({ accessKey: '0' })]],
      ['a document that nobody asked for', 'I4', () => []],
      ['one document for two callers', 'I3', () => [record(), record({}, 'order-2')]],
      ['two documents for one key', 'I3', () => [{ ...record(), answers: [...record().answers, ...record({ documentId: 'another' }).answers] }]],
    ])('finds %s', async (_name, expected, records) => {
      expect(await invariants(false, records())).toContain(expected);
    });
  });
});
