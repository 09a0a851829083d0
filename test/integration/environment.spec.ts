import { randomBytes } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { readSettings, SettingsError } from '../../src/config/settings.js';
import { BoundEnvironment } from '../../src/platform/database/bound-environment.js';
import { TenantTransaction } from '../../src/platform/database/tenant-transaction.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { serviceConnections } from '../support/service-connections.js';

it('binds a database to the environment that starts on it first and keeps the other one out', async () => {
  const database = await createTestDatabase();
  const service = await serviceConnections(database.url, 'api', 4);
  try {
    const start = (environment: string): Promise<void> => {
      const settings = readSettings({ APP_ENV: environment, DATABASE_URL: database.url, REDIS_URL: 'redis://127.0.0.1:1' });
      return new BoundEnvironment(new TenantTransaction(service), settings).onModuleInit();
    };
    await Promise.all([start('sandbox'), start('sandbox'), start('sandbox')]);
    await expect(start('production')).rejects.toThrow(SettingsError);
    await expect(start('sandbox')).resolves.toBeUndefined();
  } finally {
    await service.destroy();
    await database.drop();
  }
});

describe('a login of the service', () => {
  const login = `service_${randomBytes(6).toString('hex')}`;
  let database: TestDatabase;
  let warned: string[];

  const start = async (url: string): Promise<string[]> => {
    warned = [];
    const service = await serviceConnections(url, 'api', 1);
    try {
      await new BoundEnvironment(new TenantTransaction(service), readSettings({ APP_ENV: 'sandbox', DATABASE_URL: url, REDIS_URL: 'redis://127.0.0.1:1' })).onModuleInit();
    } finally {
      await service.destroy();
    }
    return warned;
  };
  const ownUrl = (): string => {
    const address = new URL(database.url);
    [address.username, address.password] = [login, 'service'];
    return address.href;
  };

  beforeAll(async () => {
    database = await createTestDatabase();
    await database.query(`create role ${login} login noinherit password 'service'`);
    await database.query(`grant sello_app to ${login}`);
    Logger.overrideLogger({ log: () => undefined, error: () => undefined, warn: (line: string) => void warned.push(line) });
  });
  afterAll(async () => {
    await database.query(`drop owned by ${login}`);
    await database.query(`drop role ${login}`);
    await database.drop();
    Logger.overrideLogger(true);
  });

  it('that is only a member of sello_app is not spoken of', async () => {
    expect(await start(database.url)).toEqual([]);
    expect(await start(ownUrl())).toEqual([]);
  });

  it('that may more is warned of, once', async () => {
    expect(await start(database.ownerUrl)).toEqual([expect.stringMatching(/^DATABASE_URL: its login is a superuser, .*only a member of sello_app/)]);
    await database.query(`alter role ${login} bypassrls`);
    expect(await start(ownUrl())).toEqual([expect.stringMatching(/^DATABASE_URL: its login has BYPASSRLS, /)]);
    await database.query(`alter role ${login} nobypassrls`);
    const [schema] = await database.query<{ owner: string }>(`select nspowner::regrole::text as owner from pg_namespace where nspname = 'sello'`);
    await database.query(`alter schema sello owner to ${login}`);
    expect(await start(ownUrl())).toEqual([expect.stringMatching(/^DATABASE_URL: its login owns the schema, /)]);
    await database.query(`alter schema sello owner to ${schema!.owner}`);
  });
});
