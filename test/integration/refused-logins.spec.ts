import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { DataSource } from 'typeorm';
import { isHindered } from '../../src/platform/database/hindered.js';
import { isNoConnection } from '../../src/platform/database/no-connection.js';
import { isStoreOutage } from '../../src/platform/database/store-outage.js';
import { TenantTransaction } from '../../src/platform/database/tenant-transaction.js';
import { createTestDatabase, fromSetup, type TestDatabase } from '../support/database.js';
import { serviceConnections } from '../support/service-connections.js';

/** As when its password is changed before the service knows the new one. */
describe('a login that PostgreSQL refuses while the service runs', () => {
  const login = `test_login_${randomBytes(6).toString('hex')}`;
  let database: TestDatabase;
  let service: DataSource;
  const asSuperuser = async (statement: string): Promise<void> => {
    const client = new pg.Client({ connectionString: fromSetup('TEST_POSTGRES_URL') });
    await client.connect();
    await client.query(statement);
    await client.end();
  };

  beforeAll(async () => {
    database = await createTestDatabase();
    await asSuperuser(`create role ${login} login password 'of-the-test' in role sello_app`);
    const address = new URL(database.url);
    address.username = login;
    address.password = 'of-the-test';
    service = await serviceConnections(address.href, 'api', 2);
  });
  afterAll(async () => {
    await service.destroy();
    await database.drop();
    await asSuperuser(`drop role ${login}`);
  });

  it.each([
    ['in one statement', (transaction: TenantTransaction) => transaction.withoutTenant('select 1')],
    ['in a transaction', (transaction: TenantTransaction) => transaction.run('3f0a4c1e-6f55-4c55-9d5e-2f6c7f3f9f10', (manager) => manager.query('select 1'))],
  ])('is an outage of the database, no fault of what was asked, %s', async (_, ask) => {
    const transaction = new TenantTransaction(service);
    const held = service.createQueryRunner();
    await held.connect();
    try {
      await asSuperuser(`alter role ${login} nologin`);
      const refused: unknown = await ask(transaction).catch((error: unknown) => error);
      expect((refused as Error).message).toContain('not permitted to log in');
      expect([isNoConnection(refused), isHindered(refused), isStoreOutage(refused)]).toEqual([true, true, true]);
    } finally {
      await asSuperuser(`alter role ${login} login`);
      await held.release();
    }
    await ask(transaction);
  });

  it('leaves what a statement is refused for a fault of it', async () => {
    const refused: unknown = await new TenantTransaction(service).withoutTenant('select 1 / 0').catch((error: unknown) => error);
    expect([isNoConnection(refused), isHindered(refused), isStoreOutage(refused)]).toEqual([false, false, false]);
  });
});
