import { readFileSync, writeFileSync } from 'node:fs';
import { distributingSql, NotDistributable, readTables } from '../../src/platform/database/citus-plan.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

/**
 * Stand-ins for Citus' functions that hold a table against the rules of its documentation: unique constraints contain the
 * distribution column; a foreign key between distributed tables contains it on both sides, in the same place, and the tables
 * lie together; no table that is kept whole refers to a distributed one; what is referred to was distributed before.
 */
const STAND_INS = `
  create table public.citus_tables (table_name regclass primary key, distribution_column text, beside regclass);
  create function public.create_reference_table(table_name regclass) returns void language plpgsql as $$
  declare wrong text;
  begin
    select string_agg(k.conname, ', ') into wrong from pg_constraint k
    where k.contype = 'f' and k.conrelid = $1 and not exists (select from public.citus_tables c where c.table_name = k.confrelid and c.distribution_column is null);
    if wrong is not null then raise exception 'reference table % refers to one that is none: %', $1, wrong; end if;
    insert into public.citus_tables values ($1, null, null);
  end $$;
  create function public.create_distributed_table(table_name regclass, distribution_column text, distribution_type text default 'hash', colocate_with text default 'default')
    returns void language plpgsql as $$
  declare
    wrong text;
    home regclass := case when $4 = 'none' then $1 else (select c.beside from public.citus_tables c where c.table_name = $4::regclass) end;
    place smallint := (select a.attnum from pg_attribute a where a.attrelid = $1 and a.attname = $2 and a.attnotnull);
  begin
    if home is null or place is null then raise exception '% has no % or nothing to lie beside', $1, $2; end if;
    if exists (select from pg_trigger t where t.tgrelid = $1 and not t.tgisinternal) and current_setting('citus.enable_unsafe_triggers', true) is distinct from 'on' then
      raise exception 'triggers of % are not enabled', $1;
    end if;
    select string_agg(x.indexrelid::regclass::text, ', ') into wrong from pg_index x where x.indrelid = $1 and x.indisunique and not place = any (x.indkey::int2[]);
    if wrong is not null then raise exception 'unique without the distribution column: %', wrong; end if;
    select string_agg(k.conname, ', ') into wrong
    from pg_constraint k left join public.citus_tables c on c.table_name = case when k.confrelid = $1 then null else k.confrelid end
    where k.contype = 'f' and k.conrelid = $1 and not case
      when k.confrelid = $1 then exists (select from unnest(k.conkey, k.confkey) pair (mine, theirs) where mine = place and theirs = place)
      when c.table_name is null then false
      when c.distribution_column is null then true
      else c.beside = home and exists (
        select from unnest(k.conkey, k.confkey) pair (mine, theirs)
        join pg_attribute a on a.attrelid = k.confrelid and a.attnum = theirs where mine = place and a.attname = c.distribution_column)
    end;
    if wrong is not null then raise exception 'foreign keys of % cannot be kept: %', $1, wrong; end if;
    if exists (select from pg_attribute a where a.attrelid = $1 and a.attidentity <> '' and a.atttypid <> 'bigint'::regtype) then
      raise exception 'identity columns of distributed tables are bigint: %', $1;
    end if;
    insert into public.citus_tables values ($1, $2, home);
  end $$`;

const GUIDE = 'docs/scaling.md';
const LISTED = /```sql\n(set citus[\s\S]*?)```/;

describe('the schema over the nodes of a Citus cluster', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
    await database.query(STAND_INS);
  });
  afterAll(() => database.drop());

  it('is distributed by tenant, every table once, by calls that keep the rules of Citus', async () => {
    const calls = distributingSql(await readTables(database.ownerUrl));
    await database.query(calls.join('\n'));
    const left = await database.query(
      `select c.relname from pg_class c left join public.citus_tables d on d.table_name = c.oid
       where c.relnamespace = 'sello'::regnamespace and c.relkind in ('r', 'p') and d.table_name is null`);
    expect(left).toEqual([]);
    const [{ homes, distributed } = { homes: '0', distributed: '0' }] = await database.query<{ homes: string; distributed: string }>(
      `select count(distinct beside) as homes, count(*) as distributed from public.citus_tables where distribution_column = 'tenant_id'`);
    expect(homes).toBe('1');
    expect(Number(distributed)).toBeGreaterThan(30);
  });

  it('is what the guide says', async () => {
    const calls = distributingSql(await readTables(database.ownerUrl));
    const guide = readFileSync(GUIDE, 'utf8');
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(GUIDE, guide.replace(LISTED, () => `\`\`\`sql\n${calls.join('\n')}\n\`\`\``));
    const [, listed] = LISTED.exec(readFileSync(GUIDE, 'utf8')) ?? [];
    expect(listed?.trim().split('\n')).toEqual(calls);
  });

  it.each([
    ['a unique index without the tenant', 'create table wrong (tenant_id uuid not null, id uuid primary key)', ['wrong.wrong_pkey: unique without tenant_id']],
    ['a foreign key without the tenant', 'create table wrong (tenant_id uuid not null, id uuid, issuer_id uuid, primary key (tenant_id, id), foreign key (id, issuer_id) references issuers (tenant_id, id))',
      ['wrong.wrong_id_issuer_id_fkey: refers to issuers without tenant_id on both sides']],
    ['a table of the platform that refers to a tenant’s', 'create table wrong (id uuid primary key, of uuid, issuer_id uuid, foreign key (of, issuer_id) references issuers (tenant_id, id))',
      ['wrong.wrong_of_issuer_id_fkey: a table that is kept whole refers to issuers, which is distributed']],
  ])('is refused with %s, by the generator and by the stand-in', async (_what, ddl, reasons) => {
    await database.query(ddl);
    try {
      const tables = await readTables(database.ownerUrl);
      expect(() => distributingSql(tables)).toThrow(NotDistributable);
      expect(() => distributingSql(tables)).toThrow(reasons[0]);
      const call = ddl.includes('tenant_id uuid') ? `select create_distributed_table('sello.wrong', 'tenant_id', colocate_with => 'sello.issuers')` : `select create_reference_table('sello.wrong')`;
      await expect(database.query(call)).rejects.toThrow(/distribution column|cannot be kept|that is none/);
    } finally {
      await database.query('drop table wrong');
    }
  });
});
