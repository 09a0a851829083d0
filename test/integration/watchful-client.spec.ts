import type { Socket } from 'node:net';
import { WatchfulClient } from '../../src/platform/database/watchful-client.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

/** The time after which a connection counts as silent, passed at once. */
describe('a connection on which nothing came for long', () => {
  let database: TestDatabase;
  let client: WatchfulClient;
  let stream: Socket;

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  beforeEach(async () => {
    client = new WatchfulClient({ connectionString: database.ownerUrl });
    client.on('error', () => undefined);
    await client.connect();
    ({ stream } = (client as unknown as { connection: { stream: Socket } }).connection);
  });
  afterEach(() => client.end().catch(() => undefined));
  afterAll(() => database.drop());

  it('is given up while a query is under way', async () => {
    const asked = client.query('select pg_sleep(60)');
    stream.emit('timeout');
    await expect(asked).rejects.toThrow('PostgreSQL fell silent');
  });

  it('is kept where the answer came while this process stood still', async () => {
    const asked = client.query('select 1 as one');
    // As the socket's timer does: whatever came meanwhile is read in the same turn, after the timers.
    setTimeout(() => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
      stream.emit('timeout');
    }, 0);
    expect((await asked).rows).toEqual([{ one: 1 }]);
    expect((await client.query('select 2 as two')).rows).toEqual([{ two: 2 }]);
  });

  it('is kept while nothing is asked', async () => {
    stream.emit('timeout');
    await new Promise(setImmediate);
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });
});
