import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import type { DocumentFilter } from '../../src/modules/documents/domain/document-filter.js';
import { DOCUMENT_STATUSES, isMoving } from '../../src/modules/documents/domain/lifecycle.js';
import { DocumentListsRepository } from '../../src/modules/documents/persistence/document-lists.repository.js';
import { ownerDataSourceOptions } from '../../src/platform/database/connection.js';
import { TenantTransaction } from '../../src/platform/database/tenant-transaction.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { SeededRandom } from '../support/seeded-random.js';
import { type SeededTenant, seedTenant } from '../support/seed.js';
import { serviceConnections } from '../support/service-connections.js';

const EVERYTHING: DocumentFilter = { status: null, documentType: null, issuerId: null, buyerId: null, issuedFrom: null, issuedTo: null, accessKey: null, modifiedDocumentId: null, text: null };
const NAMES = ['María Pérez', 'MARIA PEREZ', 'Ñandú & Compañía', '100% Real', 'a_b\\c', 'Consumidor final', null];

describe('lists of documents', () => {
  let database: TestDatabase;
  let service: DataSource;
  let owner: DataSource;
  let lists: DocumentListsRepository;
  let mine: SeededTenant;
  let theirs: SeededTenant;
  /** What some of a tenant's documents refer to; never deleted. */
  const originals = new Map<SeededTenant, string>();
  /** Issuer, establishment and emission point with their codes. */
  const places = new Map<SeededTenant, (readonly [string, string, string, string])[]>();
  const random = new SeededRandom(20_260_801);
  const pick = <T>(values: readonly T[]): T => random.pick(values);
  const integer = (from: number, to: number): number => Math.floor(random.between(from, to + 1));

  beforeAll(async () => {
    database = await createTestDatabase();
    service = await serviceConnections(database.url, 'api', 4);
    owner = await new DataSource(ownerDataSourceOptions(database.ownerUrl, 'provision')).initialize();
    lists = new DocumentListsRepository(new TenantTransaction(service));
    // Any state at once, without the way there.
    await database.query('alter table documents disable trigger guard_document; alter table documents disable trigger guard_draft_deletion');
    mine = await seedTenant(database);
    theirs = await seedTenant(database, { ruc: '0992345678001' });
    for (const tenant of [mine, theirs]) {
      const [issuer, establishment, point] = [randomUUID(), randomUUID(), randomUUID()];
      const place = [tenant.tenantId, issuer, establishment, point];
      await database.query(
        `with added as (
           insert into issuers (tenant_id, id, ruc, razon_social, direccion_matriz, obligado_contabilidad, created_at, updated_at) values ($1, $2, '1790099999001', 'Otro', 'Quito', true, now(), now())
         ), placed as (
           insert into establishments (tenant_id, id, issuer_id, code, address, created_at, updated_at) values ($1, $3, $2, '005', 'Quito', now(), now())
         )
         insert into emission_points (tenant_id, id, establishment_id, code, created_at, updated_at) values ($1, $4, $3, '005', now(), now())`, place);
      await database.query(
        `insert into sequence_counters (tenant_id, emission_point_id, document_type, environment, last_value)
         select p.tenant_id, p.id, type, 'TEST', 900 from emission_points p, unnest(array['01', '04', '05']) type where p.tenant_id = $1`, [tenant.tenantId]);
      places.set(tenant, [[tenant.issuerId, tenant.establishmentId, tenant.emissionPointId, '001002'], [issuer, establishment, point, '005005']]);
      for (let number = 1; number <= 90; number += 1) await insert(tenant, number);
    }
  });
  afterAll(async () => {
    await service.destroy();
    await owner.destroy();
    await database.drop();
  });

  async function insert(tenant: SeededTenant, number: number): Promise<void> {
    const id = randomUUID();
    const original = originals.get(tenant) ?? null;
    if (original === null) originals.set(tenant, id);
    const refers = original !== null && integer(0, 3) === 0;
    const status = pick(DOCUMENT_STATUSES);
    const numbered = status !== 'DRAFT' && status !== 'VALIDATED';
    const [issuer, establishment, point, series] = pick(places.get(tenant) ?? []);
    await owner.query(
      `insert into documents (tenant_id, id, issuer_id, establishment_id, emission_point_id, document_type, sri_environment, sequential, access_key, status, issue_date,
         subtotal, total_discount, total_tax, total, buyer_id, buyer_name, created_at, modified_document_id, updated_at)
       values ($1, $2, $3, $4, $5, $6, 'TEST', $7, $8, $9, $10, 1, 0, 0, 1, $11, $12, $13, $14, now())`,
      [
        tenant.tenantId, id, issuer, establishment, point, refers ? '05' : pick(['01', '04']),
        numbered ? number : null, numbered ? `2508202601${tenant.ruc}1${series}${String(number).padStart(9, '0')}1234567810` : null, status,
        `2026-08-${10 + integer(0, 5)}`, pick(['1710034065', '1790012345001', null]), pick(NAMES),
        // Few instants, so that many documents share one.
        `2026-08-${10 + integer(0, 5)} ${pick(['00:00:00', '04:59:59', '23:59:59.999', '12:00:00'])}Z`, refers ? original : null,
      ],
    );
  }

  /** The same by looking at every row. */
  async function expected(tenant: SeededTenant, filter: DocumentFilter): Promise<string[]> {
    const rows = await database.query<{ id: string }>(
      `select id from documents d where tenant_id = $1 and ($2::text is null or status = $2) and ($3::text is null or document_type = $3)
         and ($4::uuid is null or issuer_id = $4) and ($5::text is null or buyer_id = $5) and ($6::date is null or issue_date >= $6)
         and ($7::date is null or issue_date <= $7) and ($8::text is null or access_key = $8) and ($9::uuid is null or modified_document_id = $9)
       order by created_at desc, id desc`,
      [tenant.tenantId, filter.status, filter.documentType, filter.issuerId, filter.buyerId, filter.issuedFrom, filter.issuedTo, filter.accessKey, filter.modifiedDocumentId],
    );
    return rows.map(({ id }) => id);
  }

  async function agree(tenant: SeededTenant, filter: DocumentFilter): Promise<void> {
    const whole = await expected(tenant, filter);
    const size = pick([1, 3, 20, 100]);
    const offset = size * integer(0, Math.ceil(whole.length / size));
    const { items, total } = await lists.page(tenant.tenantId, filter, size, offset);
    expect({ filter, size, offset, total, ids: items.map(({ id }) => id) }).toEqual({ filter, size, offset, total: whole.length, ids: whole.slice(offset, offset + size) });
  }

  function anyFilter(tenant: SeededTenant): DocumentFilter {
    const issuers = (places.get(tenant) ?? []).map(([issuer]) => issuer);
    const sometimes = <T>(value: T): T | null => (integer(0, 2) === 0 ? value : null);
    return {
      status: sometimes(pick(DOCUMENT_STATUSES)), documentType: sometimes(pick(['01', '04', '05', '07'])), issuerId: sometimes(pick([...issuers, randomUUID()])),
      buyerId: integer(0, 5) === 0 ? '1710034065' : null, accessKey: null, text: null,
      modifiedDocumentId: integer(0, 3) === 0 ? pick([...originals.values()]) : null,
      issuedFrom: sometimes(`2026-08-${10 + integer(0, 5)}`), issuedTo: sometimes(`2026-08-${10 + integer(0, 5)}`),
    };
  }

  it('hold exactly what the filter lets through, newest first, on every page; before, while and after counts are folded', async () => {
    for (const filter of [EVERYTHING, ...DOCUMENT_STATUSES.map((status) => ({ ...EVERYTHING, status }))]) await agree(mine, filter);
    for (let round = 0; round < 90; round += 1) {
      const tenant = pick([mine, theirs]);
      await agree(tenant, anyFilter(tenant));
      const act = integer(0, 4);
      if (act === 0) await service.query('select fold_document_counts($1)', [integer(1, 40)]);
      if (act === 1) await insert(tenant, 200 + round);
      if (act === 2) {
        await database.query('update documents set status = $2, issue_date = $3, version = version + 1 where id = (select id from documents where tenant_id = $1 order by md5(id::text || $4) limit 1)', [
          tenant.tenantId, pick(DOCUMENT_STATUSES.filter((status) => !['DRAFT', 'VALIDATED'].includes(status))), `2026-08-${10 + integer(0, 5)}`, String(round),
        ]);
      }
      if (act === 3) await database.query(`delete from documents where tenant_id = $1 and id = (select id from documents where tenant_id = $1 and status <> 'DRAFT' and id <> $3 order by md5(id::text || $2) limit 1)`, [tenant.tenantId, String(round), originals.get(tenant)]);
    }
    await service.query('select fold_document_counts(100000)');
    expect(await database.query('select 1 from document_count_changes')).toEqual([]);
    for (const tenant of [mine, theirs]) await agree(tenant, EVERYTHING);
    const referring = { ...EVERYTHING, modifiedDocumentId: originals.get(mine)! };
    expect((await expected(mine, referring)).length).toBeGreaterThan(3);
    for (const filter of [referring, { ...referring, text: 'perez' }]) {
      const { items, total } = await lists.page(mine.tenantId, filter, 100, 0);
      expect([items.length, items.length > 0]).toEqual([total, true]);
    }
    expect((await lists.page(theirs.tenantId, referring, 100, 0)).total).toBe(0);
  });

  it('stay exact while workers fold at once', async () => {
    const whole = (await expected(mine, EVERYTHING)).length;
    await database.query('update documents set status = status, issue_date = issue_date + 1 where tenant_id = $1', [mine.tenantId]);
    const folding = Array.from({ length: 8 }, () => service.query<{ folded: number }[]>('select fold_document_counts(25) as folded'));
    for (let look = 0; look < 10; look += 1) expect((await lists.page(mine.tenantId, EVERYTHING, 1, 0)).total).toBe(whole);
    await Promise.all(folding);
  });

  const search = async (text: string, filter: Partial<DocumentFilter> = {}): Promise<{ names: (string | null)[]; total: number }> => {
    const { items, total } = await lists.page(mine.tenantId, { ...EVERYTHING, ...filter, text }, 100, 0);
    return { names: [...new Set(items.map(({ buyer_name }) => buyer_name))].sort(), total };
  };

  it.each([
    ['perez', ['MARIA PEREZ', 'María Pérez']],
    ['RÍA PÉ', ['MARIA PEREZ', 'María Pérez']],
    ['nandu', ['Ñandú & Compañía']],
    ['ñ', ['Ñandú & Compañía', 'Consumidor final', 'María Pérez', 'MARIA PEREZ'].filter((name) => /[ñn]/i.test(name))],
    ['%', ['100% Real']],
    ['_', ['a_b\\c']],
    ['\\', ['a_b\\c']],
    ["'; drop table documents; --", []],
    ['nobody', []],
  ])('find %j by a part of the name', async (text, names) => {
    expect((await search(text)).names).toEqual([...names].sort());
  });

  it('find a buyer’s identifier, an access key and a number, each whole only', async () => {
    const [one] = await database.query<{ access_key: string; sequential: number; document_type: string }>('select access_key, sequential, document_type from documents where tenant_id = $1 and sequential is not null and issuer_id = $2 limit 1', [mine.tenantId, mine.issuerId]);
    expect((await search(one!.access_key)).total).toBe(1);
    expect((await search(one!.access_key.slice(1))).total).toBe(0);
    const number = String(one!.sequential).padStart(9, '0');
    for (const text of [`001-002-${number}`, `001-002-${one!.sequential}`, `001002${number}`]) expect([text, (await search(text)).total]).toEqual([text, 1]);
    for (const text of [`001-001-${number}`, `002-002-${number}`, '001-002-999999999']) expect([text, (await search(text)).total]).toEqual([text, 0]);
    const buyers = (await expected(mine, { ...EVERYTHING, buyerId: '1710034065' })).length;
    expect((await search('1710034065')).total).toBe(buyers);
    expect((await search('171003406')).total).toBe(0);
    expect((await search('1710034065', { status: 'DRAFT', documentType: '01' })).total).toBe((await expected(mine, { ...EVERYTHING, status: 'DRAFT', documentType: '01', buyerId: '1710034065' })).length);
  });

  it('know the states that documents pass by themselves as the lifecycle does', async () => {
    const rows = await database.query<{ status: string; moving: boolean }>('select status, is_moving(status) as moving from unnest($1::text[]) status', [DOCUMENT_STATUSES]);
    expect(rows).toEqual(DOCUMENT_STATUSES.map((status) => ({ status, moving: isMoving(status) })));
  });
});
