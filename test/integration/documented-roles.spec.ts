import { readFileSync } from 'node:fs';
import pg from 'pg';
import { migrate } from '../../src/operations/migrate.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/embedded/postgres.js';

const PAGE = readFileSync('docs/operating.md', 'utf8');
/** Statements of the block of the page that begins with these words. */
function documented(beginning: string): string[] {
  const block = [...PAGE.matchAll(/```sql\n([^]*?)```/g)].map(([, sql = '']) => sql.trim()).find((sql) => sql.startsWith(beginning))!;
  return block.replaceAll('…', 'secret').split(/;(?: +--.*)?\n|;$/).map((sql) => sql.trim()).filter((sql) => sql !== '');
}

/** On a server of its own: roles belong to all databases of one. */
describe('the roles and the database that docs/operating.md makes', () => {
  let server: EmbeddedPostgres;
  let superuser: string;
  let version: number;
  const address = (login: string, database: string): string => {
    const url = new URL(server.url);
    [url.username, url.password, url.pathname] = [login, 'secret', `/${database}`];
    return url.href;
  };
  const run = async (url: string, statements: readonly string[]): Promise<pg.QueryResult[]> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      const results = [];
      for (const statement of statements) results.push(await client.query(statement));
      return results;
    } finally {
      await client.end();
    }
  };
  beforeAll(async () => {
    server = await startEmbeddedPostgres({ throwAway: true });
    superuser = address('superuser', 'postgres');
    // The embedded server's own superuser has the name that the page gives to its owner.
    await run(server.url, [`create role superuser superuser login password 'secret'`]);
    const [, setting] = await run(superuser, ['alter role sello_owner rename to embedded', 'show server_version']);
    version = Number.parseInt((setting!.rows as { server_version: string }[])[0]!.server_version);
  });
  afterAll(() => server.stop());

  const cameIn = (login: string): Promise<boolean> => run(address(login, 'sello'), ['set role sello_app', 'select from sello.documents']).then(() => true);
  const NO_WAY_IN = /permission denied for database/;

  it('let the owner migrate and the service in, and nobody else of the server', async () => {
    // As on managed PostgreSQL; before 16 the page wants a superuser.
    const rights = version < 16 ? 'superuser' : 'createdb createrole bypassrls';
    await run(superuser, [`create role admin login ${rights} password 'secret'`, `create role stranger login password 'secret'`]);
    const statements = documented('create role sello_owner');
    const ofOwner = statements.findIndex((statement) => statement.startsWith('-- From here as sello_owner'));
    expect(ofOwner).toBeGreaterThan(0);
    await run(address('admin', 'postgres'), statements.slice(0, ofOwner));
    await run(address('sello_owner', 'sello'), statements.slice(ofOwner));
    await migrate(address('sello_owner', 'sello'), () => undefined);
    expect(await cameIn('sello_service')).toBe(true);
    await expect(cameIn('stranger')).rejects.toThrow(NO_WAY_IN);
    // A sandbox's login on the same server would be a member as well.
    await run(superuser, ['grant sello_app to stranger']);
    await expect(cameIn('stranger')).rejects.toThrow(NO_WAY_IN);
  });

  it('let the password of the service be changed by a second login', async () => {
    await run(address('sello_owner', 'sello'), documented('create role sello_service_2'));
    expect(await Promise.all(['sello_service', 'sello_service_2'].map(cameIn))).toEqual([true, true]);
    const [, former = ''] = /`(revoke connect on database sello from sello_service; [^`]*)`/.exec(PAGE)!;
    await run(address('sello_owner', 'sello'), [former]);
    expect(await cameIn('sello_service_2')).toBe(true);
    await expect(cameIn('sello_service')).rejects.toThrow(/authentication failed|does not exist/);
  });

  it('are for one owner: a second one is refused unless it is handed the roles', async () => {
    await run(superuser, [`create role other_owner login createrole bypassrls password 'secret'`, 'create database other owner other_owner']);
    const migrated = (): Promise<void> => migrate(address('other_owner', 'other'), () => undefined);
    // Before 16 who may make roles may hand out any.
    if (version >= 16) await expect(migrated()).rejects.toThrow(/^permission denied to grant role/);
    await run(superuser, ['grant sello_app, sello_worker, sello_resolver to other_owner with admin option']);
    await migrated();
  });
});
