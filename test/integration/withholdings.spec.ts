import type { DataSource } from 'typeorm';
import { WithholdingsRepository } from '../../src/modules/documents/persistence/withholdings.repository.js';
import { TenantTransaction } from '../../src/platform/database/tenant-transaction.js';
import { guayaquilDay } from '../../src/shared/guayaquil.js';
import type { TenantContext } from '../../src/shared/tenant-context.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { issueBySql, type SeededTenant, seedTenant } from '../support/seed.js';
import { serviceConnections } from '../support/service-connections.js';

const SUPPORT = { type: '01', number: '001-002-000000003' };
const SUBJECT = '1790085783001';

describe('withholdings that have a supporting document', () => {
  const today = guayaquilDay(new Date());
  let database: TestDatabase;
  let service: DataSource;
  let seed: SeededTenant;
  let withholdings: WithholdingsRepository;
  let tenant: TenantContext;
  let certificate: string;
  let id: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    service = await serviceConnections(database.url, 'api', 2);
    seed = await seedTenant(database);
    withholdings = new WithholdingsRepository(new TenantTransaction(service));
    tenant = { tenantId: seed.tenantId, principal: { kind: 'api_key', id: seed.apiKeyId }, environment: 'TEST' };
    const { response } = await issueBySql(service, seed, { documentType: '07' });
    id = response.document_id;
    certificate = `001-002-${response.access_key.slice(30, 39)}`;
    await database.query('update documents set buyer_id = $2 where id = $1', [id, SUBJECT]);
    await database.query(
      `update document_contents set content = content || jsonb_build_object('modifiedDocumentType', $2::text, 'modifiedDocumentNumber', $3::text) where document_id = $1`,
      [id, SUPPORT.type, SUPPORT.number],
    );
  });
  afterAll(async () => {
    await service.destroy();
    await database.drop();
  });

  const find = (change: { tenant?: TenantContext; issuerId?: string; subjects?: string[]; since?: string } = {}) =>
    withholdings.findBySupports(change.tenant ?? tenant, change.issuerId ?? seed.issuerId, change.subjects ?? [SUBJECT], [SUPPORT], change.since ?? today);

  it('are found by type and number', async () => {
    expect(await find()).toEqual([{ ...SUPPORT, certificate }]);
    expect(await find({ subjects: ['1710034065', SUBJECT] })).toEqual([{ ...SUPPORT, certificate }]);
  });

  it('are not those of another subject, issuer, tenant, environment or time', async () => {
    const other = await seedTenant(database, { ruc: '0990012348001' });
    expect(await find({ subjects: ['1710034065'] })).toEqual([]);
    expect(await find({ issuerId: other.issuerId })).toEqual([]);
    expect(await find({ tenant: { ...tenant, tenantId: other.tenantId } })).toEqual([]);
    expect(await find({ tenant: { ...tenant, environment: 'PRODUCTION' } })).toEqual([]);
    expect(await find({ since: '9999-12-31' })).toEqual([]);
  });

  const asIfItWere = (status: string, errorCode = 'null', errorDetail = 'null'): Promise<unknown> =>
    database.query(`begin; set local session_replication_role = replica; update documents set status = '${status}', error_code = ${errorCode}, error_detail = ${errorDetail} where id = '${id}'; commit`);

  it.each(['DRAFT', 'REJECTED', 'FAILED_PERMANENT', 'CANCELLED'])('are none that came to nothing: %s', async (status) => {
    await asIfItWere(status);
    expect(await find()).toEqual([]);
    await asIfItWere('NUMBER_RESERVED');
    expect(await find()).toHaveLength(1);
  });

  it('are those that were given up while the SRI showed another under their key, until that is annulled', async () => {
    await asIfItWere('FAILED_PERMANENT', `'ANSWER_MISMATCH'`, `'{"abandoned":"x"}'`);
    expect(await find()).toHaveLength(1);
    await asIfItWere('FAILED_PERMANENT', `'ANSWER_MISMATCH'`, `'{"abandoned":"x","annulled":true}'`);
    expect(await find()).toEqual([]);
  });
});
