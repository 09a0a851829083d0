import pg from 'pg';
import { serviceAddress } from '../../src/local/foundation.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

describe('a local start on the database of an owner that was given', () => {
  let database: TestDatabase;
  let login: string;
  beforeAll(async () => {
    database = await createTestDatabase();
    login = `sello_local_${new URL(database.ownerUrl).pathname.slice(1)}`;
  });
  afterAll(async () => {
    await database.query(`drop role if exists ${login}`);
    await database.drop();
  });

  const passwords = (): Promise<{ password: string }[]> => database.query(`select rolpassword as password from pg_authid where rolname = 'sello_service'`);
  const whoComesIn = async (url: string): Promise<string | undefined> => {
    const client = new pg.Client({ connectionString: url, options: '-c role=sello_app' });
    await client.connect();
    try {
      return (await client.query<{ name: string }>('select session_user::text as name')).rows[0]?.name;
    } finally {
      await client.end();
    }
  };

  it('comes in by a login of its own, again and again, and leaves that of a service that runs there alone', async () => {
    const before = await passwords();
    for (let start = 0; start < 2; start += 1) expect(await whoComesIn(await serviceAddress({ DATABASE_OWNER_URL: database.ownerUrl }, database.ownerUrl))).toBe(login);
    expect(await passwords()).toEqual(before);
    expect(before).toHaveLength(1);
    expect(await whoComesIn(database.url)).toBe('sello_service');
  });

  it('takes the login of the service that it is given', async () => {
    expect(await serviceAddress({ DATABASE_OWNER_URL: database.ownerUrl, DATABASE_URL: database.url }, database.ownerUrl)).toBe(database.url);
  });
});
