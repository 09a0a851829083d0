import { DataSource } from 'typeorm';
import { readSettings, SettingsError } from '../../src/config/settings.js';
import { BoundEnvironment } from '../../src/platform/database/bound-environment.js';
import { serviceDataSourceOptions } from '../../src/platform/database/connection.js';
import { TenantTransaction } from '../../src/platform/database/tenant-transaction.js';
import { createTestDatabase } from '../support/database.js';

it('binds a database to the environment that starts on it first and keeps the other one out', async () => {
  const database = await createTestDatabase();
  const service = await new DataSource(serviceDataSourceOptions(database.url, 4)).initialize();
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
