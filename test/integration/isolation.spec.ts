import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { RandomIds } from '../../src/platform/adapters/random-ids.js';
import { SystemClock } from '../../src/platform/adapters/system-clock.js';
import { AuditTrail } from '../../src/platform/audit/audit-trail.js';
import { sqlState } from '../../src/platform/database/sql-error.js';
import { TenantTransaction } from '../../src/platform/database/tenant-transaction.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { issueBySql, type SeededTenant, seedTenant } from '../support/seed.js';
import { serviceConnections } from '../support/service-connections.js';

type Repository = Record<string, (...values: unknown[]) => unknown>;
type RepositoryClass = new (...parts: unknown[]) => Repository;

describe('isolation, by the catalogue of the database and of the code', () => {
  let database: TestDatabase;
  let service: DataSource;
  let transaction: TenantTransaction;
  let mine: SeededTenant;
  let theirs: SeededTenant;

  beforeAll(async () => {
    database = await createTestDatabase();
    service = await serviceConnections(database.url, 'api', 2);
    transaction = new TenantTransaction(service);
    [mine, theirs] = [await seedTenant(database), await seedTenant(database, { ruc: '0992345678001' })];
    for (const seed of [mine, theirs]) {
      await issueBySql(service, seed, { idempotencyKey: 'k' });
      await database.query('insert into issuing_pauses (tenant_id, id, scope, issuer_id, code, document_id, created_at) select tenant_id, gen_random_uuid(), $2, issuer_id, $3, id, now() from documents where tenant_id = $1', [
        seed.tenantId, 'issuer', '2',
      ]);
      await database.query(
        `insert into members (tenant_id, id, email, role, status, invited_at, created_at, updated_at) values ($1, gen_random_uuid(), 'a@b.co', 'viewer', 'invited', now(), now(), now())`, [seed.tenantId]);
      await database.query(
        `insert into products (tenant_id, id, main_code, name, unit_price, iva_rate_code, search_text, created_at, updated_at) values ($1, gen_random_uuid(), 'A', 'Café', 1, '4', 'a', now(), now())`, [seed.tenantId]);
      await database.query(`select record_audit($1, $2)`, [seed.tenantId, JSON.stringify({ at: new Date(), actor_kind: 'system', action: 'login.failed' })]);
    }
  });
  afterAll(async () => {
    await service.destroy();
    await database.drop();
  });

  describe('functions that step around row security', () => {
    it('belong to a role made for it, fix their search path, and are nobody\'s by default', async () => {
      const functions = await database.query<{ name: string; owner: string; config: string | null; public: boolean }>(
        `select p.oid::regprocedure::text as name, p.proowner::regrole::text as owner,
           -- What the planner is told of the machine steps around nothing.
           (select array_agg(setting) from unnest(p.proconfig) setting where setting !~ '^(random_page_cost|plan_cache_mode|enable_\\w+)=')::text as config,
           has_function_privilege('public', p.oid, 'execute') as public
         from pg_proc p where p.pronamespace = 'sello'::regnamespace and p.prosecdef`);
      expect(functions.length).toBeGreaterThan(10);
      for (const { name, owner, config, public: isPublic } of functions) {
        expect([name, ['sello_resolver', 'sello_worker'].includes(owner), config, isPublic]).toEqual([name, true, '{"search_path=sello, pg_temp"}', false]);
      }
    });

    it('are owned by roles that cannot log in, are no superusers, do not bypass row security, and own no table', async () => {
      const roles = await database.query(
        `select rolname::text as name from pg_roles r where rolname like 'sello\\_%'
           and (rolcanlogin or rolsuper or rolbypassrls or exists (select from pg_class c where c.relowner = r.oid and c.relkind = 'r' and c.relnamespace = 'sello'::regnamespace))
           and rolname in ('sello_app', 'sello_worker', 'sello_resolver')`);
      expect(roles).toEqual([]);
    });

    it('are not stood in for by views, of which there are none', async () => {
      expect(await database.query(`select relname from pg_class where relnamespace = 'sello'::regnamespace and relkind in ('v', 'm')`)).toEqual([]);
    });

    it('show members of the current tenant only', async () => {
      const cards = (tenantId: string): Promise<unknown[]> => transaction.run(mine.tenantId, (manager) => manager.query<unknown[]>('select * from member_cards($1)', [tenantId]));
      expect([(await cards(mine.tenantId)).length, await cards(theirs.tenantId)]).toEqual([1, []]);
    });
  });

  it('no table of a tenant takes a row of another, whatever links them: each foreign key between them carries the tenant', async () => {
    const keys = await database.query<{ name: string; from: string; to: string; columns: string[]; targets: string[] }>(
      `select conname::text as name, conrelid::regclass::text as from, confrelid::regclass::text as to,
         (select array_agg(a.attname::text order by k.place) from unnest(conkey) with ordinality k (num, place) join pg_attribute a on a.attrelid = conrelid and a.attnum = k.num) as columns,
         (select array_agg(a.attname::text order by k.place) from unnest(confkey) with ordinality k (num, place) join pg_attribute a on a.attrelid = confrelid and a.attnum = k.num) as targets
       from pg_constraint where connamespace = 'sello'::regnamespace and contype = 'f'`);
    const ofTenants = new Set((await database.query<{ name: string }>(`select table_name::text as name from information_schema.columns where table_schema = 'sello' and column_name = 'tenant_id'`)).map(({ name }) => name));
    const between = keys.filter(({ from, to }) => ofTenants.has(from.replace('sello.', '')) && ofTenants.has(to.replace('sello.', '')));
    expect(between.length).toBeGreaterThan(8);
    for (const { name, columns, targets } of between) {
      const place = columns.indexOf('tenant_id');
      expect([name, place >= 0 && targets[place] === 'tenant_id']).toEqual([name, true]);
    }
  });

  it('a tenant reaches no row of another by naming it: every table refuses to read, change, remove or add it', async () => {
    const tables = (await database.query<{ name: string }>(
      `select c.table_name::text as name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
       where table_schema = 'sello' and column_name = 'tenant_id' and table_type = 'BASE TABLE' order by 1`)).map(({ name }) => name);
    let seen = 0;
    for (const table of tables) {
      const [count] = await database.query<{ rows: number }>(`select count(*)::int as rows from ${table} where tenant_id = $1`, [theirs.tenantId]);
      const attempt = async (sql: string, parameters: unknown[]): Promise<unknown> =>
        transaction.run(mine.tenantId, (manager) => manager.query<unknown>(sql, parameters)).then((rows) => (Array.isArray(rows) && rows.length === 2 && typeof rows[1] === 'number' ? rows[1] : rows), sqlState);
      for (const [sql, refused] of [
        [`select 1 from ${table} where tenant_id = $1`, []],
        [`update ${table} set tenant_id = $2 where tenant_id = $1 returning 1`, 0],
        [`delete from ${table} where tenant_id = $1 returning 1`, 0],
      ] as const) {
        const outcome = await attempt(sql, sql.includes('$2') ? [theirs.tenantId, mine.tenantId] : [theirs.tenantId]);
        // Not a row, or no right to try.
        expect([sql, outcome === '42501' ? refused : outcome]).toEqual([sql, refused]);
      }
      // A copy of the tenant's own row, as if it were the other's.
      const columns = (await database.query<{ name: string }>(`select column_name::text as name from information_schema.columns where table_schema = 'sello' and table_name = $1`, [table])).map(({ name }) => name);
      const copied = columns.map((name) => (name === 'tenant_id' ? '$1::uuid' : name)).join(', ');
      const [own] = await database.query<{ rows: number }>(`select count(*)::int as rows from ${table} where tenant_id = $1`, [mine.tenantId]);
      const copy = await attempt(`insert into ${table} (${columns.join(', ')}) select ${copied} from ${table}`, [theirs.tenantId]);
      if (own?.rows !== 0) expect([table, ['42501', '428C9'].includes(String(copy))]).toEqual([table, true]);
      const [after] = await database.query<{ rows: number }>(`select count(*)::int as rows from ${table} where tenant_id = $1`, [theirs.tenantId]);
      expect([table, after?.rows]).toEqual([table, count?.rows]);
      seen += count?.rows ?? 0;
    }
    expect(seen).toBeGreaterThan(8);
  });

  describe('repositories', () => {
    /** Every class of every module's persistence that works through TenantTransaction, with its methods. */
    const repositories = async (): Promise<{ name: string; methods: string[]; made: Repository }[]> => {
      const audit = new AuditTrail(transaction, new SystemClock());
      const parts: unknown[] = [audit, new SystemClock(), new RandomIds()];
      const found = [];
      for (const module of readdirSync(join('src', 'modules'))) {
        const folder = join('src', 'modules', module, 'persistence');
        if (!existsSync(folder)) continue;
        for (const file of readdirSync(folder).filter((one) => one.endsWith('.repository.ts'))) {
          const exported = (await import(`../../${folder}/${file.replace(/\.ts$/, '.js')}`)) as Record<string, unknown>;
          for (const [name, candidate] of Object.entries(exported)) {
            if (!name.endsWith('Repository') || typeof candidate !== 'function') continue;
            const takes = (Reflect.getMetadata('design:paramtypes', candidate) as unknown[] | undefined) ?? [];
            const wanted = takes.map((type) => (type === TenantTransaction ? transaction : (parts.find((part) => typeof type === 'function' && type !== Object && part instanceof type) ?? parts[2])));
            const methods = Object.getOwnPropertyNames(candidate.prototype).filter((method) => method !== 'constructor');
            found.push({ name, methods, made: new (candidate as unknown as RepositoryClass)(...wanted) });
          }
        }
      }
      return found;
    };
    /** Nothing: no row, no success. */
    const isNothing = (value: unknown): boolean => {
      if (value === null || value === undefined || value === false || value === 0) return true;
      if (Array.isArray(value)) return value.length === 0;
      return typeof value === 'object' && Object.values(value).every(isNothing);
    };
    const outcome = async (call: () => unknown): Promise<unknown> => {
      try {
        return await call();
      } catch {
        return null;
      }
    };

    it('of every module give nothing to a caller whose ids are undefined or null', async () => {
      const all = await repositories();
      expect(all.length).toBeGreaterThan(6);
      const before = await database.query('select count(*)::int as n, sum(version)::int as versions from documents');
      let calls = 0;
      for (const { name, methods, made } of all) {
        for (const method of methods) {
          for (const nothing of [undefined, null]) {
            for (const first of [nothing, mine.tenantId, { tenantId: mine.tenantId, principal: { kind: 'api_key', id: nothing }, environment: 'TEST' }]) {
              // Lists of the tenant are the tenant's own; what is looked up by an id is not.
              if (method === 'list' && first !== nothing) continue;
              const answer = await outcome(() => made[method]!(first, ...Array<unknown>(6).fill(nothing)));
              const isOwnTenant = name === 'TenantRepository' && method === 'find' && first === mine.tenantId;
              expect([`${name}.${method}`, isOwnTenant || isNothing(answer) ? 'nothing' : answer]).toEqual([`${name}.${method}`, 'nothing']);
              calls += 1;
            }
          }
        }
      }
      expect(calls).toBeGreaterThan(100);
      expect(await database.query('select count(*)::int as n, sum(version)::int as versions from documents')).toEqual(before);
    });

    it('find nothing of another tenant by its ids', async () => {
      for (const { name, methods, made } of await repositories()) {
        for (const method of methods.filter((one) => one.startsWith('find') && name !== 'TenantRepository')) {
          const ids = [theirs.issuerId, theirs.establishmentId, theirs.emissionPointId, theirs.certificateId];
          for (const id of ids) {
            const answer = await outcome(() => made[method]!(mine.tenantId, id, id, id));
            expect([`${name}.${method}`, isNothing(answer)]).toEqual([`${name}.${method}`, true]);
          }
        }
      }
    });

    it('are refused a tenant that is none', async () => {
      for (const nobody of [undefined, null, '', 'undefined', randomUUID().toUpperCase(), `${mine.tenantId}'`]) {
        await expect(transaction.run(nobody as string, async () => 1)).rejects.toThrow(TypeError);
        await expect(transaction.call(nobody as string, 'select 1')).rejects.toThrow(TypeError);
      }
    });
  });
});
