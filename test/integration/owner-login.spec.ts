import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { migrate } from '../../src/operations/migrate.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

const ROLES = ['sello_app', 'sello_worker', 'sello_resolver'];

/** As on managed PostgreSQL, where nobody is a superuser. */
describe('an owner of the schema that is no superuser', () => {
  const login = `owner_${randomBytes(6).toString('hex')}`;
  let database: TestDatabase;
  let url: string;
  const asOwner = async <Row extends pg.QueryResultRow>(sql: string): Promise<Row[]> => {
    const client = new pg.Client({ connectionString: url, options: '-c search_path=sello' });
    await client.connect();
    try {
      return (await client.query<Row>(sql)).rows;
    } finally {
      await client.end();
    }
  };

  beforeAll(async () => {
    database = await createTestDatabase({ migrated: false });
    await database.query(`create role ${login} login createrole bypassrls password 'owner'`);
    const address = new URL(database.ownerUrl);
    [address.username, address.password] = [login, 'owner'];
    url = address.href;
    await database.query(`alter database ${address.pathname.slice(1)} owner to ${login}`);
    // What PostgreSQL gives who makes a role; here another database of the cluster made them.
    const [server] = await database.query<{ grants: string }>(
      `select case when current_setting('server_version_num')::int < 160000 then 'admin option' else 'admin true, inherit false, set false' end as grants`);
    for (const role of ROLES) await database.query(`grant ${role} to ${login} with ${server!.grants}`);
  });
  afterAll(async () => {
    await database.query(`reassign owned by ${login} to current_user`);
    await database.query(`drop owned by ${login}`);
    await database.query(`drop role ${login}`);
    await database.drop();
  });

  it('migrates, to what a superuser comes to', async () => {
    await migrate(url, () => undefined);
    const [state] = await asOwner<Record<string, unknown>>(`
      select (select rolsuper from pg_roles where rolname = current_user) as is_super,
        (select count(*)::int from pg_proc where pronamespace = 'sello'::regnamespace and proowner::regrole::text in ('sello_worker', 'sello_resolver')) as handed,
        has_schema_privilege('sello_worker', 'sello', 'create') or has_schema_privilege('sello_resolver', 'sello', 'create') as may_create`);
    expect(state).toEqual({ is_super: false, handed: expect.any(Number) as number, may_create: false });
    expect(state!['handed']).toBeGreaterThan(50);
  });

  it('calls what is for operators', async () => {
    await asOwner(`select provision_tenant(gen_random_uuid(), 'Business', gen_random_uuid(), 'key', 'svc_test_', '\\x00', 'TEST', now())`);
    expect(await asOwner('select count(*)::int as tenants from tenants')).toEqual([{ tenants: 1 }]);
    const removed = await asOwner(`
      select (select count(*)::int from months_past_keeping('2019-01-01')) + rows_past_keeping('events', now() - interval '1 year', 0, 1, true)
        + sign_ins_past_keeping('sessions', now() - interval '1 year', 0, 1, true) + remove_as_archived(gen_random_uuid(), '{}', '{}', '2019-01-01', now()) as rows`);
    expect(removed).toEqual([{ rows: 0 }]);
  });

  it('is refused a migration of data that it would not see', async () => {
    await database.query(`alter role ${login} nobypassrls`);
    await asOwner(`delete from migrations where name like 'LivesOfTheDatabase%'`);
    await expect(migrate(url, () => undefined)).rejects.toThrow(/BYPASSRLS/);
  });
});
