import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import pg from 'pg';
import type { DataSource } from 'typeorm';
import { sqlState } from '../../src/platform/database/sql-error.js';
import { TenantTransaction } from '../../src/platform/database/tenant-transaction.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { issueBySql, type SeededTenant, seedTenant } from '../support/seed.js';
import { serviceConnections } from '../support/service-connections.js';

/** Platform-wide by design. */
const WITHOUT_TENANT = ['document_moves', 'migrations'];
/** People belong to no tenant: only the functions of sello_resolver reach them. */
const PEOPLE = ['users', 'user_identities', 'sessions', 'refresh_tokens', 'one_time_tokens', 'invited_addresses'];

describe('row security', () => {
  let database: TestDatabase;
  let service: DataSource;
  let mine: SeededTenant;
  let theirs: SeededTenant;

  beforeAll(async () => {
    database = await createTestDatabase();
    service = await serviceConnections(database.url, 'api', 2);
    mine = await seedTenant(database);
    theirs = await seedTenant(database, { ruc: '0992345678001' });
    await issueBySql(service, mine, { idempotencyKey: 'k' });
    await issueBySql(service, theirs, { idempotencyKey: 'k' });
    for (const { tenantId } of [mine, theirs]) {
      await database.query(
        `insert into products (tenant_id, id, main_code, name, unit_price, iva_rate_code, search_text, created_at, updated_at) values ($1, gen_random_uuid(), 'A', 'Café', 1, '4', 'a', now(), now())`, [tenantId]);
    }
  });
  afterAll(async () => {
    await service.destroy();
    await database.drop();
  });

  const tenantTables = async (): Promise<string[]> =>
    (await database.query<{ name: string }>(
      `select c.relname as name from pg_class c where c.relnamespace = 'sello'::regnamespace and c.relkind = 'r' order by 1`,
    )).map((row) => row.name).filter((name) => !WITHOUT_TENANT.includes(name));

  it('is forced on every table and has a policy for reading and writing', async () => {
    for (const table of await tenantTables()) {
      const [flags] = await database.query<{ on: boolean; forced: boolean; policies: string }>(
        `select c.relrowsecurity as on, c.relforcerowsecurity as forced,
           (select count(*) from pg_policy p where p.polrelid = c.oid and p.polqual is not null and p.polwithcheck is not null) as policies
         from pg_class c where c.oid = format('sello.%I', $1::text)::regclass`, [table]);
      expect([table, flags?.on, flags?.forced, Number(flags?.policies) > 0]).toEqual([table, true, true, true]);
    }
  });

  it('acts on a service that is neither owner nor superuser and cannot step around it', async () => {
    const [role] = await service.query<{ rolsuper: boolean; rolbypassrls: boolean; owns: string; login_super: boolean }[]>(
      `select r.rolsuper, r.rolbypassrls, (select count(*) from pg_class c where c.relowner = r.oid and c.relnamespace = 'sello'::regnamespace) as owns,
         (select s.rolsuper from pg_roles s where s.rolname = session_user) as login_super
       from pg_roles r where r.rolname = current_user`);
    expect(role).toEqual({ rolsuper: false, rolbypassrls: false, owns: '0', login_super: false });
  });

  it('lets an operator ask for mails that failed with the login of the service, as the page has it', async () => {
    const page = readFileSync('docs/operating.md', 'utf8');
    const sql = [...page.matchAll(/```sql\n([^]*?)```/g)].map(([, block = '']) => block).find((block) => block.includes('sello.mails'))!;
    const operator = new pg.Client({ connectionString: database.url });
    await operator.connect();
    try {
      const results = (await operator.query(sql.replace('<tenant id>', mine.tenantId))) as unknown as pg.QueryResult[];
      expect(results.map(({ command }) => command)).toEqual(['SET', 'SELECT', 'SELECT']);
    } finally {
      await operator.end();
    }
  });

  it('shows nothing and takes nothing without a tenant', async () => {
    for (const table of await tenantTables()) {
      const seen = await service.query(`select * from ${table}`).catch((error: unknown) => sqlState(error));
      // Tables the service may not read at all answer "permission denied".
      expect([table, Array.isArray(seen) ? seen : seen]).toEqual([table, Array.isArray(seen) ? [] : '42501']);
    }
    const attempt = service.query('insert into sequence_counters values ($1, $2, $3, $4, 1)', [mine.tenantId, mine.emissionPointId, '05', 'TEST']);
    await expect(attempt).rejects.toThrow(/row-level security/);
  });

  it('shows a tenant its own rows only', async () => {
    const transaction = new TenantTransaction(service);
    for (const table of await tenantTables()) {
      if (['tenants', 'verified_rucs', 'deployment', 'taxpayers', 'replica_beat', ...PEOPLE].includes(table)) continue;
      const rows = await transaction.run(mine.tenantId, (manager) => manager.query<{ tenant_id: string }[]>(`select tenant_id from ${table}`));
      expect([table, rows.filter((row) => row.tenant_id !== mine.tenantId)]).toEqual([table, []]);
    }
  });

  it('holds on a pool of two connections with interleaved tenants, also after errors', async () => {
    const transaction = new TenantTransaction(service);
    const wrong: unknown[] = [];
    const once = async (index: number): Promise<void> => {
      const seed = index % 2 === 0 ? mine : theirs;
      await transaction.run(seed.tenantId, async (manager) => {
        const rows = await manager.query<{ tenant_id: string }[]>('select tenant_id from documents');
        if (rows.length !== 1 || rows[0]?.tenant_id !== seed.tenantId) wrong.push(rows);
        if (index % 7 === 0) await manager.query('select 1 / 0');
      }).catch((error: unknown) => { if (sqlState(error) !== '22012') throw error; });
    };
    // Ten callers at a time, of whom most wait for a connection.
    await Promise.all(Array.from({ length: 10 }, async (_unused, caller) => {
      for (let round = 0; round < 100; round += 1) await once(caller * 101 + round);
    }));
    expect(wrong).toEqual([]);
    const [left] = await service.query<{ tenant: string | null }[]>('select current_tenant() as tenant');
    expect(left?.tenant).toBeNull();
  });

  it('refuses a tenant context that is none', async () => {
    const transaction = new TenantTransaction(service);
    for (const nobody of ['', 'undefined', undefined as unknown as string]) {
      await expect(transaction.run(nobody, async () => 1)).rejects.toThrow(TypeError);
    }
  });

  it('keeps tenants apart in every foreign key and unique index, where row security does not reach', async () => {
    const keys = await database.query<{ name: string; kind: string; columns: string[] }>(
      `select conrelid::regclass::text || '.' || conname as name, contype::text as kind,
         (select array_agg(a.attname::text) from unnest(conkey) k join pg_attribute a on a.attrelid = conrelid and a.attnum = k) as columns
       from pg_constraint where connamespace = 'sello'::regnamespace and contype = 'f'
       union all
       select indexrelid::regclass::text, 'u', (select array_agg(a.attname::text) from unnest(indkey::int2[]) k join pg_attribute a on a.attrelid = indrelid and a.attnum = k)
       from pg_index join pg_class c on c.oid = indrelid where c.relnamespace = 'sello'::regnamespace and indisunique`);
    const exempt = new RegExp(`^(sello\\.)?(migrations|document_moves|tenants|verified_rucs|deployment|taxpayers|replica_beat|${PEOPLE.join('|')}|members_user_id_fkey|PK_)`);
    const loose = keys.filter((key) => !key.columns.includes('tenant_id') && !exempt.test(key.name.replaceAll('"', '').replace('members.', '')));
    expect(loose).toEqual([]);
  });

  it('refuses rows that would link two tenants, even for the owner', async () => {
    const link = database.query(
      `insert into establishments (tenant_id, id, issuer_id, code, address, created_at, updated_at) values ($1, $2, $3, '009', 'x', now(), now())`,
      [mine.tenantId, randomUUID(), theirs.issuerId],
    );
    await expect(link).rejects.toThrow(/foreign key/);
  });

  it('lets nobody but an operator create tenants', async () => {
    const attempt = service.query(`select provision_tenant($1, 'x', $2, 'k', 'p', $3, 'TEST', now())`, [randomUUID(), randomUUID(), Buffer.from('h')]);
    await expect(attempt).rejects.toThrow(/permission denied/);
  });
});
