import type { DataSource } from 'typeorm';
import { TimerSleeper } from '../../src/platform/adapters/timer-sleeper.js';
import { TenantTransaction } from '../../src/platform/database/tenant-transaction.js';
import { DatabaseLife } from '../../src/platform/observability/database-life.js';
import type { RedisProbe } from '../../src/platform/observability/redis-probe.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { serviceConnections } from '../support/service-connections.js';

const away = (): Promise<never> => Promise.reject(new Error('Redis is not connected'));
const AWAY: RedisProbe = { isReachable: () => Promise.resolve(true), recall: away, note: away };

/** A database that went back while Redis, which remembers, is away (with it: `forgotten-restore.spec`). */
describe('a database that went back while Redis is away', () => {
  let database: TestDatabase;
  let service: DataSource;

  beforeAll(async () => {
    database = await createTestDatabase();
    await database.query(`insert into sello.deployment (environment) values ('TEST')`);
    service = await serviceConnections(database.url, 'api', 2);
  });
  afterAll(async () => {
    await service.destroy();
    await database.drop();
  });

  const life = (): DatabaseLife => new DatabaseLife(new TenantTransaction(service), AWAY, new TimerSleeper());

  it('is noticed by who saw it further, and by nobody else', async () => {
    const witness = life();
    await database.query('update sello.deployment set beats = 41');
    await witness.onModuleInit();
    await expect(witness.onModuleInit()).resolves.toBeUndefined();
    await database.query('update sello.deployment set beats = 40');
    await expect(witness.onModuleInit()).rejects.toThrow('the database is at an earlier point than it was');
    await expect(life().onModuleInit()).resolves.toBeUndefined();
  });

  it('is served again once another life of it has begun', async () => {
    const witness = life();
    await witness.onModuleInit();
    await database.query('update sello.deployment set beats = 0, id = gen_random_uuid()');
    await expect(witness.onModuleInit()).resolves.toBeUndefined();
  });
});
