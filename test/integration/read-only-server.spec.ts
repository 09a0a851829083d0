import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { DataSource } from 'typeorm';
import { Prepared, TenantTransaction } from '../../src/platform/database/tenant-transaction.js';
import { isStoreOutage } from '../../src/platform/database/store-outage.js';
import { createTestDatabase, fromSetup, type TestDatabase } from '../support/database.js';
import { serviceConnections } from '../support/service-connections.js';

/** As of a former primary that came back as a replica behind the same address: who is connected to it stays so. */
describe('connections to a server that only reads', () => {
  let database: TestDatabase;
  let service: DataSource;
  let transaction: TenantTransaction;
  const tenantId = randomUUID();
  /** For connections that are opened from now on. */
  const readsOnly = async (value: 'on' | 'off'): Promise<void> => {
    const client = new pg.Client({ connectionString: fromSetup('TEST_POSTGRES_URL') });
    await client.connect();
    await client.query(`alter database ${new URL(database.url).pathname.slice(1)} set default_transaction_read_only = ${value}`);
    await client.end();
  };

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterEach(() => service.destroy());
  afterAll(() => database.drop());
  const connect = async (): Promise<void> => {
    service = await serviceConnections(database.url, 'api', 1);
    transaction = new TenantTransaction(service);
  };

  const note = `insert into buyer_documents (tenant_id, buyer_id_type, buyer_id, document_id, authorized_at) values ($1, '05', '1710034065', $2, now())`;
  it.each([
    ['in a transaction of several statements', () => transaction.run(tenantId, (manager) => manager.query(note, [tenantId, randomUUID()]))],
    ['in one statement', () => transaction.withoutTenant('select beat()')],
    ['in a prepared statement', () => transaction.withoutTenant(new Prepared('beat-of-test', 'select beat()'))],
  ])('are given up once something was to be written, %s', async (_, write) => {
    await readsOnly('on');
    await connect();
    const [{ pid }] = (await transaction.withoutTenant<{ pid: number }>('select pg_backend_pid() as pid')) as [{ pid: number }];
    const refused: unknown = await write().catch((error: unknown) => error);
    expect(isStoreOutage(refused)).toBe(true);
    await readsOnly('off');
    await write();
    expect(await transaction.withoutTenant<{ pid: number }>('select pg_backend_pid() as pid')).not.toEqual([{ pid }]);
  });

  it('go on where a statement failed for another reason', async () => {
    await connect();
    const pid = (): Promise<unknown> => transaction.withoutTenant('select pg_backend_pid() as pid');
    const before = await pid();
    await transaction.withoutTenant('select 1 / 0').catch(() => undefined);
    expect(await pid()).toEqual(before);
  });
});
