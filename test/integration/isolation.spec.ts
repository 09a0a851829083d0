import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { RandomIds } from '../../src/platform/adapters/random-ids.js';
import { SystemClock } from '../../src/platform/adapters/system-clock.js';
import { AuditTrail } from '../../src/platform/audit/audit-trail.js';
import { ListReads } from '../../src/platform/database/list-reads.js';
import { sqlState } from '../../src/platform/database/sql-error.js';
import { TenantTransaction } from '../../src/platform/database/tenant-transaction.js';
import { DomainError } from '../../src/shared/domain-error.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { issueBySql, type SeededTenant, seedTenant } from '../support/seed.js';
import { serviceConnections } from '../support/service-connections.js';

type Repository = Record<string, (...values: unknown[]) => unknown>;
type RepositoryClass = new (...parts: unknown[]) => Repository;

/** A tenant with a row of each kind that is looked up by an id. */
interface Tenant extends SeededTenant {
  readonly documentId: string;
  readonly draftId: string;
  readonly productId: string;
  readonly buyerId: string;
  readonly webhookId: string;
  readonly deliveryId: string;
  readonly documentMailId: string;
  readonly noticeMailId: string;
}

/** Of the withholding of each tenant. */
const SUPPORT_IN_CONTENT = { documentType: '01', number: '001-001-000000001' } as const;

describe('isolation, by the catalogue of the database and of the code', () => {
  let database: TestDatabase;
  let service: DataSource;
  let transaction: TenantTransaction;
  let mine: Tenant;
  let theirs: Tenant;

  beforeAll(async () => {
    database = await createTestDatabase();
    service = await serviceConnections(database.url, 'api', 2);
    transaction = new TenantTransaction(service);
    [mine, theirs] = [await furnished('1790012345001'), await furnished('0992345678001')];
  });
  afterAll(async () => {
    await service.destroy();
    await database.drop();
  });

  /** Codes and identifications are the RUC, so that no other tenant has the same. */
  const furnished = async (ruc: string): Promise<Tenant> => {
    const seed = await seedTenant(database, { ruc });
    const { tenantId } = seed;
    const added = async (table: string, row: Readonly<Record<string, unknown>>): Promise<string> => {
      const id = randomUUID();
      const values = { tenant_id: tenantId, id, created_at: new Date(), ...row };
      await database.query(`insert into ${table} (${Object.keys(values).join(', ')}) values (${Object.keys(values).map((_name, index) => `$${index + 1}`).join(', ')})`, Object.values(values));
      return id;
    };
    const updated_at = new Date();
    const { document_id: documentId } = (await issueBySql(service, seed, { idempotencyKey: 'k' })).response;
    await added('issuing_pauses', { scope: 'issuer', issuer_id: seed.issuerId, code: '2', document_id: documentId });
    const { document_id: withholdingId } = (await issueBySql(service, seed, { documentType: '07' })).response;
    await database.query(`update document_contents set content = content || '{"transport": null}' where tenant_id = $1`, [tenantId]);
    await database.query('update documents set buyer_id = $2 where tenant_id = $1 and id = $3', [tenantId, ruc, withholdingId]);
    await database.query('update document_contents set content = $2 where tenant_id = $1 and document_id = $3', [tenantId, JSON.stringify({ withholding: { supportingDocuments: [SUPPORT_IN_CONTENT] } }), withholdingId]);
    const draftId = await added('documents', {
      issuer_id: seed.issuerId, establishment_id: seed.establishmentId, emission_point_id: seed.emissionPointId, document_type: '01', sri_environment: 'TEST',
      status: 'DRAFT', issue_date: '2026-08-25', subtotal: 1, total_discount: 0, total_tax: 0, total: 1, updated_at,
    });
    await database.query(`insert into document_contents (tenant_id, document_id, revision, content, issuer_snapshot, created_at) values ($1, $2, 1, '{}', '{}', now())`, [tenantId, draftId]);
    await database.query('update issuers set logo = $2 where tenant_id = $1', [tenantId, Buffer.from('logo')]);
    await added('members', { email: 'a@b.co', role: 'viewer', status: 'invited', invited_at: updated_at, updated_at });
    const productId = await added('products', { main_code: ruc, name: 'Café', unit_price: 1, iva_rate_code: '4', search_text: 'a', updated_at });
    const buyerId = await added('buyers', { buyer_id_type: '04', buyer_id: ruc, legal_name: 'Ana Lema', updated_at });
    const webhookId = await added('webhooks', { url: 'https://receiver.example/', is_active: true, updated_at });
    const eventId = await added('events', { type: 'sequence.low', data: '{"sequence": {}}' });
    // Of the webhook there is one for each event since.
    const [delivery] = await database.query<{ id: string }>('select id from webhook_deliveries where tenant_id = $1 and event_id = $2', [tenantId, eventId]);
    const mail = { recipient: 'a@b.co', language: 'es', updated_at };
    const documentMailId = await added('mails', { ...mail, cause: 'authorized', document_id: documentId });
    const noticeMailId = await added('mails', { ...mail, cause: 'notice', notice: 'sequence.low', event_id: eventId, event_ids: [eventId] });
    await database.query('insert into mail_settings (tenant_id, updated_at) values ($1, $2)', [tenantId, updated_at]);
    await database.query(`select record_audit($1, $2)`, [tenantId, JSON.stringify({ at: new Date(), actor_kind: 'system', action: 'login.failed' })]);
    return { ...seed, documentId, draftId, productId, buyerId, webhookId, deliveryId: delivery!.id, documentMailId, noticeMailId };
  };

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
            const wanted = takes.map((type) => (type === TenantTransaction || type === ListReads ? transaction : (parts.find((part) => typeof type === 'function' && type !== Object && part instanceof type) ?? parts[2])));
            const methods = Object.getOwnPropertyNames(candidate.prototype).filter((method) => method !== 'constructor');
            found.push({ name, methods, made: new (candidate as unknown as RepositoryClass)(...wanted) });
          }
        }
      }
      return found;
    };
    /** Nothing: no row, no success, or a word for that; `issuer_id` names what is unknown. */
    const WORDS_FOR_NOTHING: readonly unknown[] = ['', 'unknown', 'unconfirmed', 'refused', 'issuer_id'];
    const isNothing = (value: unknown): boolean => {
      if (value === null || value === undefined || value === false || value === 0 || WORDS_FOR_NOTHING.includes(value)) return true;
      if (Array.isArray(value)) return value.length === 0;
      return typeof value === 'object' && Object.values(value).every(isNothing);
    };
    /** What a call answers, a refusal that is meant being nothing. Whatever else fails has asked nothing. */
    const outcome = async (call: () => unknown): Promise<unknown> => {
      try {
        return await call();
      } catch (error) {
        const isMeant = error instanceof DomainError || (error instanceof TypeError && error.message.startsWith('a tenant is required'));
        return isMeant ? null : error;
      }
    };

    const ONE_OF_A_TENANT = ['MailSettingsRepository.find', 'TenantRepository.find'];
    /** What is done for all tenants at once, and tells nobody of any. */
    const OF_ALL_TENANTS = ['DocumentCountsRepository.fold'];

    it('of every module give nothing to a caller whose ids are undefined or null', async () => {
      const all = await repositories();
      expect(all.length).toBeGreaterThan(6);
      const before = await database.query('select count(*)::int as n, sum(version)::int as versions from documents');
      // PostgreSQL is given null for it, and what is taken out of it is undefined.
      const hollow = { toPostgres: () => null };
      const wrong: unknown[] = [];
      let askedOf = 0;
      for (const { name, methods, made } of all) {
        for (const called of methods.map((method) => `${name}.${method}`).filter((one) => !OF_ALL_TENANTS.includes(one))) {
          const method = called.slice(name.length + 1);
          let asked = 0;
          for (const nothing of [undefined, null, hollow]) {
            for (const first of [nothing, mine.tenantId, { tenantId: mine.tenantId, principal: { kind: 'api_key', id: nothing }, environment: 'TEST' }]) {
              // Lists of the tenant, and what there is one of, are the tenant's own; what is looked up by an id is not.
              if (first !== nothing && (method === 'list' || ONE_OF_A_TENANT.includes(called))) continue;
              const answer = await outcome(() => made[method]!(first, ...Array<unknown>(6).fill(nothing)));
              if (answer instanceof Error) continue;
              asked += 1;
              // What was given, and where the reading of events stands, are nobody's.
              const told = called === 'EventsRepository.after' ? { ...(answer as object), at: null } : answer;
              if (answer !== nothing && !isNothing(told)) wrong.push([called, first, answer]);
            }
          }
          if (asked > 0) askedOf += 1;
        }
      }
      expect(wrong).toEqual([]);
      // The rest fails for want of whole objects before it asks anything.
      expect(askedOf).toBeGreaterThan(120);
      expect(await database.query('select count(*)::int as n, sum(version)::int as versions from documents')).toEqual(before);
    });

    /** What each method that looks up by ids takes behind the tenant; the first is the tenant's id, or the caller where it says so. */
    const LOOKUPS: Readonly<Record<string, (of: Tenant) => readonly unknown[]>> = {
      'BuyersRepository.find': ({ buyerId }) => [buyerId],
      'BuyersRepository.findIdentified': ({ ruc }) => [{ idType: '04', id: ruc }],
      'CertificatesRepository.find': ({ issuerId, certificateId }) => [issuerId, certificateId],
      'CertificatesRepository.findSealed': ({ issuerId, certificateId }) => [issuerId, certificateId],
      'CertificatesRepository.list': ({ issuerId }) => [issuerId],
      'DeliveriesRepository.find': ({ webhookId, deliveryId }) => [webhookId, deliveryId],
      'DeliveriesRepository.page': ({ webhookId }) => [webhookId, null, 10, 0],
      'DocumentFactsRepository.find': ({ documentMailId }) => [documentMailId],
      'EmissionPointsRepository.find': ({ issuerId, establishmentId, emissionPointId }) => [{ issuerId, establishmentId }, emissionPointId],
      'EmissionPointsRepository.list': ({ issuerId, establishmentId }) => [{ issuerId, establishmentId }, null, 10, 0],
      'EstablishmentsRepository.find': ({ issuerId, establishmentId }) => [issuerId, establishmentId],
      'EstablishmentsRepository.list': ({ issuerId }) => [issuerId, null, 10, 0],
      'IssuersRepository.find': ({ issuerId }) => [issuerId],
      'IssuersRepository.findLogo': ({ issuerId }) => [issuerId],
      'MailsRepository.list': ({ documentId }) => [documentId, 10, 0],
      'ModifiedDocumentsRepository.find': ({ issuerId, emissionPointId, documentId }) => [{ issuerId, emissionPointId }, { modifiedDocumentId: documentId, numericCode: '12345678' }],
      'ModifiedDocumentsRepository.identityOf': ({ issuerId, documentId }) => [issuerId, documentId],
      'NoticesRepository.find': ({ noticeMailId }) => [noticeMailId, new Date()],
      'PausesRepository.findOpen': ({ issuerId, establishmentId, emissionPointId }) => [{ issuerId, establishmentId, emissionPointId }, '01'],
      'PausesRepository.list': ({ issuerId }) => [issuerId, 10, 0],
      'ProductsRepository.find': ({ productId }) => [productId],
      'ProductsRepository.findActive': ({ ruc }) => [[ruc]],
      'ProductsRepository.findCoded': ({ ruc }) => [[ruc]],
      'SequencesRepository.list': ({ emissionPointId }) => [emissionPointId, ['01']],
      'StoredDocumentsRepository.find': ({ draftId }) => [draftId, 'issue'],
      'StoredDocumentsRepository.load': ({ documentId }) => [documentId],
      'WebhooksRepository.find': ({ webhookId }) => [webhookId],
      'WithholdingsRepository.findBySupports': ({ issuerId, ruc }) => [issuerId, [ruc], [{ type: SUPPORT_IN_CONTENT.documentType, number: SUPPORT_IN_CONTENT.number }], '2026-01-01'],
    };
    const OF_A_CALLER = ['ModifiedDocumentsRepository.find', 'SequencesRepository.list', 'StoredDocumentsRepository.find', 'StoredDocumentsRepository.load', 'WithholdingsRepository.findBySupports'];
    /** Asked before a tenant is known. */
    const OF_PEOPLE = ['IdentitiesRepository.find', 'PeopleRepository.find'];

    it('find what is the tenant\'s by its ids, and nothing of another tenant by that one\'s', async () => {
      const all = (await repositories()).flatMap(({ name, methods, made }) => methods.map((method) => ({ called: `${name}.${method}`, ask: (...values: unknown[]) => outcome(() => made[method]!(...values)) })));
      const finders = all.map(({ called }) => called).filter((called) => /\.find/.test(called));
      expect(finders.filter((called) => LOOKUPS[called] === undefined).sort()).toEqual([...ONE_OF_A_TENANT, ...OF_PEOPLE].sort());
      const asked = all.filter(({ called }) => LOOKUPS[called] !== undefined);
      expect(asked.map(({ called }) => called).sort()).toEqual(Object.keys(LOOKUPS).sort());
      const wrong: unknown[] = [];
      for (const { called, ask } of asked) {
        for (const [own, other] of [[mine, theirs], [theirs, mine]] as const) {
          const caller = OF_A_CALLER.includes(called) ? { tenantId: own.tenantId, principal: { kind: 'api_key', id: own.apiKeyId }, environment: 'TEST' } : own.tenantId;
          const [found, foreign] = [await ask(caller, ...LOOKUPS[called]!(own)), await ask(caller, ...LOOKUPS[called]!(other))];
          if (found instanceof Error || isNothing(found)) wrong.push([called, 'of its own', found]);
          if (!isNothing(foreign)) wrong.push([called, 'of another', foreign]);
        }
      }
      expect(wrong).toEqual([]);
    });

    it('are refused a tenant that is none', async () => {
      for (const nobody of [undefined, null, '', 'undefined', randomUUID().toUpperCase(), `${mine.tenantId}'`]) {
        await expect(transaction.run(nobody as string, async () => 1)).rejects.toThrow(TypeError);
        await expect(transaction.call(nobody as string, 'select 1')).rejects.toThrow(TypeError);
      }
    });
  });
});
