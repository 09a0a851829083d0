import { Socket } from 'node:net';
import { jest } from '@jest/globals';
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

  it('is given up by either side when the other is gone without a word', async () => {
    const kept = jest.spyOn(Socket.prototype, 'setKeepAlive');
    const idle = `select current_setting('tcp_keepalives_idle') as idle`;
    try {
      for (const options of [serviceDataSourceOptions(database.url, 'worker', 1), ownerDataSourceOptions(database.ownerUrl, 'worker')]) {
        kept.mockClear();
        const source = await new DataSource(options).initialize();
        expect(await source.query(idle).finally(() => source.destroy())).toEqual([{ idle: '60' }]);
        expect(kept).toHaveBeenCalledWith(true, 10_000);
      }
      kept.mockClear();
      const client = await connectAsOwner(database.ownerUrl, 'backup');
      expect((await client.query(idle).finally(() => client.end())).rows).toEqual([{ idle: '60' }]);
      expect(kept).toHaveBeenCalledWith(true, 10_000);
    } finally {
      kept.mockRestore();
    }
  });
});
