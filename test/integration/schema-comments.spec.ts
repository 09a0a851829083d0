import { createTestDatabase, type TestDatabase } from '../support/database.js';

interface Commented extends Record<string, unknown> {
  readonly name: string;
  readonly comment: string | null;
  readonly body: string;
}

/** The subject under which it stands in `docs/schema/`, and sentences. */
const FORM = /^[A-Z][a-z -]+: [A-Z].*\.$/s;

describe('tables and functions of the schema', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  const tables = (): Promise<Commented[]> =>
    database.query<Commented>(
      `select c.relname as name, obj_description(c.oid, 'pg_class') as comment, '' as body from pg_class c
       where c.relnamespace = 'sello'::regnamespace and c.relkind in ('r', 'p') and c.relname <> 'migrations' order by 1`);
  const functions = (): Promise<Commented[]> =>
    database.query<Commented>(
      `select p.oid::regprocedure::text as name, obj_description(p.oid, 'pg_proc') as comment, coalesce(p.prosrc, '') as body from pg_proc p
       where p.pronamespace = 'sello'::regnamespace
         and not exists (select from pg_depend e where e.classid = 'pg_proc'::regclass and e.objid = p.oid and e.deptype = 'e')
       order by 1`);

  it('each say what they are for, under a subject', async () => {
    for (const all of [await tables(), await functions()]) {
      expect(all.length).toBeGreaterThan(40);
      expect(all.filter(({ comment }) => !FORM.test(comment ?? '')).map(({ name }) => name)).toEqual([]);
    }
  });

  it('name every refusal of their own', async () => {
    const raising = (await functions()).map(({ name, comment, body }) => ({
      name, left: [...body.matchAll(/errcode = '(\w{5})'/g)].map(([, code = '']) => code).filter((code) => !comment?.includes(code)),
    }));
    expect(raising.filter(({ left }) => left.length > 0)).toEqual([]);
  });
});
