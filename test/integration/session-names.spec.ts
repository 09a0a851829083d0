import { DataSource } from 'typeorm';
import { ownerDataSourceOptions, serviceDataSourceOptions } from '../../src/platform/database/connection.js';
import { connectAsOwner } from '../../src/platform/database/owner-client.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

const NAME = `select current_setting('application_name') as name`;

describe('a session that the service or a command opened', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it('tells operators of which program it is', async () => {
    for (const options of [serviceDataSourceOptions(database.url, 'worker', 1), ownerDataSourceOptions(database.ownerUrl, 'worker')]) {
      const source = await new DataSource(options).initialize();
      expect(await source.query(NAME).finally(() => source.destroy())).toEqual([{ name: 'sello-worker' }]);
    }
    const client = await connectAsOwner(database.ownerUrl, 'backup');
    expect((await client.query(NAME).finally(() => client.end())).rows).toEqual([{ name: 'sello-backup' }]);
  });
});
