import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { exampleDocuments } from '../../src/modules/documents/documents.examples.js';
import { guayaquilDay } from '../../src/shared/guayaquil.js';
import { Business, type Invoice } from '../support/business.js';
import type { Answer } from '../support/http.js';
import { type RunningStack, sharedStack } from '../support/stack.js';

interface Profile extends Record<string, unknown> {
  id: string;
  buyer_id: string;
  email?: string | null;
}
interface Page {
  items: Profile[];
  total: number;
  page: number;
  page_size: number;
  total_pages: number;
}
type Refusal = { error: { code: string; detail: { field?: string; loc?: string[]; type?: string }[] & { field?: string } } };

const COMPANY = { buyer_id_type: 'RUC', buyer_id: '1790012345001', legal_name: 'Comercial Ñandú & Compañía' } as const;
const FIELDS = ['id', 'tenant_id', 'buyer_id', 'buyer_id_type', 'legal_name', 'trade_name', 'contributor_status', 'contributor_type', 'address', 'notes', 'is_active', 'created_at', 'updated_at', 'sri_last_verified_at'];

describe('buyer profiles', () => {
  let stack: RunningStack;
  beforeAll(async () => {
    stack = await sharedStack();
  });
  afterAll(() => stack.stop());

  const list = async (business: Business, query = ''): Promise<Page> => (await business.call<Page>('GET', `/buyers${query}`)).body;
  const create = (business: Business, body: object = COMPANY): Promise<Answer<Profile>> => business.call<Profile>('POST', '/buyers', body);
  const profile = async (business: Business, id: string): Promise<Profile> => (await business.call<Profile>('GET', `/buyers/${id}`)).body;
  /** Tenants without a certificate: nothing is issued. */
  const open = (): Promise<Business> => Business.open(stack, { certificate: null });

  describe('kept by people', () => {
    it('are created, read, changed and deleted', async () => {
      const business = await open();
      const created = await create(business, { ...COMPANY, trade_name: '  El Ñandú ', email: 'ventas@example.com', notes: 'Paga a 30 días', address: null });
      expect([created.status, created.body]).toEqual([201, {
        id: expect.any(String), tenant_id: business.tenantId, ...COMPANY, buyer_id_type: '04', trade_name: 'El Ñandú', email: 'ventas@example.com', notes: 'Paga a 30 días', address: null, is_active: true,
        contributor_status: null, contributor_type: null, sri_last_verified_at: null, created_at: expect.any(String), updated_at: expect.any(String),
        is_frequent: false, document_count: 0, last_document_at: null,
      }]);
      const path = `/buyers/${created.body.id}`;
      expect((await business.call('GET', path)).body).toEqual(created.body);
      const changed = await business.call<Profile>('PATCH', path, { trade_name: null, is_active: false });
      expect([changed.status, changed.body]).toEqual([200, { ...created.body, trade_name: null, is_active: false, updated_at: expect.any(String) }]);
      expect((await business.call('PATCH', path, {})).body).toEqual(changed.body);
      expect((await business.call('DELETE', path)).status).toBe(204);
      for (const method of ['GET', 'DELETE']) expect((await business.call(method, path)).status).toBe(404);
      expect((await business.call('PATCH', path, { notes: 'x' })).status).toBe(404);
      expect((await create(business)).status).toBe(201);
    });

    it.each([
      ['RUC', '04', '1790012345001'], ['04', '04', '1710034065002'], ['CEDULA', '05', '1710034065'], ['05', '05', '1710034065'],
      ['PASAPORTE', '06', 'ab 12.3/4'], ['EXTERIOR', '08', 'VAT 12/3'], ['08', '08', 'Ñ-123_4'],
    ])('of type %p are stored as %p', async (buyer_id_type, code, buyer_id) => {
      expect((await create(await open(), { buyer_id_type, buyer_id, legal_name: 'X' })).body).toMatchObject({ buyer_id_type: code, buyer_id });
    });

    it.each([
      ['CONSUMIDOR_FINAL', '9999999999999', 'buyer_id_type', 'identification_final_consumer'],
      ['07', '9999999999999', 'buyer_id_type', 'identification_final_consumer'],
      ['RUC', '9999999999999', 'buyer_id', 'identification_final_consumer'],
      ['RUC', '1790012345000', 'buyer_id', 'identification_ruc'],
      ['RUC', '1710034066001', 'buyer_id', 'identification_ruc'],
      ['RUC', '9910034065001', 'buyer_id', 'identification_ruc'],
      ['RUC', '1710034065', 'buyer_id', 'identification_ruc'],
      ['CEDULA', '1710034066', 'buyer_id', 'identification_cedula'],
      ['CEDULA', '17-1003406', 'buyer_id', 'identification_cedula'],
      ['PASAPORTE', '9999999999999', 'buyer_id', 'identification_final_consumer'],
      ['03', '1710034065', 'buyer_id_type', 'identification_type'],
      ['ruc', '1790012345001', 'buyer_id_type', 'identification_type'],
      ['toString', '1790012345001', 'buyer_id_type', 'identification_type'],
    ])('of type %p with %p are refused at %s', async (buyer_id_type, buyer_id, field, type) => {
      const business = await open();
      const refused = await business.call<Refusal>('POST', '/buyers', { buyer_id_type, buyer_id, legal_name: 'X' });
      expect([refused.status, refused.body.error.code, refused.body.error.detail]).toMatchObject([422, 'VALIDATION_FAILED', [{ loc: ['body', field], type }]]);
      expect((await list(business)).total).toBe(0);
    });

    it('are refused with all that is wrong at once, the identification too', async () => {
      const refused = await (await open()).call<Refusal>('POST', '/buyers', { buyer_id_type: 'CEDULA', buyer_id: '1710034066', legal_name: 'X', email: 'a@b' });
      expect([refused.status, refused.body.error.code, refused.body.error.detail]).toMatchObject([
        422, 'VALIDATION_FAILED', [{ loc: ['body', 'email'], type: 'email' }, { loc: ['body', 'buyer_id'], type: 'identification_cedula', input: '1710034066' }],
      ]);
      const lacking = await (await open()).call<Refusal>('POST', '/buyers', { buyer_id_type: '03', legal_name: 'X' });
      expect([lacking.status, lacking.body.error.detail]).toMatchObject([400, [{ loc: ['body', 'buyer_id'], type: 'missing' }, { loc: ['body', 'buyer_id_type'], type: 'identification_type' }]]);
    });

    it.each([
      ['contributor_status', 'ACTIVO', 'extra_forbidden'], ['sri_last_verified_at', '2026-01-01T00:00:00Z', 'extra_forbidden'], ['kept_fields', [], 'extra_forbidden'],
      ['email', 'a@b', 'email'], ['legal_name', '', 'string_too_short'], ['is_active', 'yes', 'bool_type'], ['address', 'x'.repeat(501), 'string_too_long'],
    ])('take no such %s', async (field, value, type) => {
      const refused = await (await open()).call<Refusal>('POST', '/buyers', { ...COMPANY, [field]: value });
      expect([refused.status, refused.body.error.detail]).toMatchObject([422, [{ loc: ['body', field], type }]]);
    });

    it('keep their identification: another one is another buyer', async () => {
      const business = await open();
      const { id } = (await create(business)).body;
      const refused = await business.call<Refusal>('PATCH', `/buyers/${id}`, { buyer_id: '1790012346001', legal_name: 'Y' });
      expect([refused.status, refused.body.error.detail]).toMatchObject([422, [{ loc: ['body', 'buyer_id'], type: 'extra_forbidden' }]]);
      expect((await profile(business, id))['legal_name']).toBe(COMPANY.legal_name);
    });

    it('are one per identification, however many are sent at once', async () => {
      const [business, other] = [await open(), await open()];
      const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => create(business, { ...COMPANY, buyer_id_type: index % 2 === 0 ? 'RUC' : '04' })));
      expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(7).fill(409)]);
      const refused = answers.find(({ status }) => status === 409)!;
      expect(refused.body).toMatchObject({ error: { code: 'ALREADY_EXISTS', detail: { field: 'buyer_id' } } });
      expect((await create(business, { ...COMPANY, buyer_id_type: 'EXTERIOR' })).status).toBe(201);
      expect((await create(other)).status).toBe(201);
      expect([(await list(business)).total, (await list(other)).total]).toEqual([2, 1]);
    });
  });

  describe('in lists', () => {
    let business: Business;
    beforeAll(async () => {
      business = await open();
      const names: [string, string | null][] = [['FERRETERÍA Vera S.A.', 'El Clavo'], ['Núñez Pérez Ana', null], ['100% Natural_Cía. (Ñ)', 'Áéíóú'], ['Otra', 'La Ferreteria']];
      for (const [index, [legal_name, trade_name]] of names.entries()) expect((await create(business, { buyer_id_type: 'EXTERIOR', buyer_id: `X-${index}`, legal_name, trade_name })).status).toBe(201);
    });
    const found = async (query: string): Promise<string[]> => (await list(business, query)).items.map(({ buyer_id }) => buyer_id);

    it('come newest first, page by page, without e-mail', async () => {
      const page = await list(business, '?page=1&page_size=3');
      expect([page.items.map(({ buyer_id }) => buyer_id), page.total, page.page, page.page_size, page.total_pages]).toEqual([['X-3', 'X-2', 'X-1'], 4, 1, 3, 2]);
      for (const item of page.items) expect(Object.keys(item).sort()).toEqual([...FIELDS].sort());
      expect(await found('?page=2&page_size=3')).toEqual(['X-0']);
      expect(await list(business, '?page=3&page_size=3')).toMatchObject({ items: [], total: 4, total_pages: 2 });
      expect(await list(await open())).toMatchObject({ items: [], total: 0, total_pages: 0 });
    });

    it.each([
      ['ferreteria', ['X-3', 'X-0']], ['FERRETERÍA', ['X-3', 'X-0']], ['clavo', ['X-0']], ['nunez', ['X-1']], ['NU\u0301N\u0303EZ', ['X-1']], ['aeiou', ['X-2']], ['pérez ana', ['X-1']],
      ['100%', ['X-2']], ['%', ['X-2']], ['_', ['X-2']], ['\\', []], ['(ñ)', ['X-2']], ["'; drop table buyers; --", []], ['vera s.a. el', []],
    ])('are those with %p in a name', async (name, ids) => {
      expect(await found(`?name=${encodeURIComponent(name)}`)).toEqual(ids);
    });

    it('are those with exactly this number', async () => {
      expect(await found('?buyer_id=X-1')).toEqual(['X-1']);
      expect(await found('?buyer_id=X-')).toEqual([]);
      expect(await found('?buyer_id=X-0&name=clavo')).toEqual(['X-0']);
      expect(await found('?buyer_id=X-0&name=nunez')).toEqual([]);
      const [{ id } = { id: '' }] = (await list(business, '?buyer_id=X-0')).items;
      await business.call('PATCH', `/buyers/${id}`, { is_active: false });
      expect([await found('?is_active=false'), (await list(business, '?is_active=false')).total]).toEqual([['X-0'], 1]);
      expect(await found('?is_active=true')).not.toContain('X-0');
      expect(await found('')).toContain('X-0');
    });

    it.each(['page=0', 'page_size=101', 'page_size=0', 'name=', 'name=%00', `name=${'x'.repeat(301)}`, 'buyer_id=', 'email=x', 'name=a&name=b', 'page=1.5'])('are not asked for by %p', async (query) => {
      expect((await business.call('GET', `/buyers?${query}`)).status).toBe(422);
    });
  });

  it('are of their tenant alone', async () => {
    const [business, other] = [await open(), await open()];
    const { id } = (await create(business)).body;
    for (const [method, body] of [['GET', undefined], ['PATCH', { notes: 'x' }], ['DELETE', undefined]] as const) {
      const [foreign, nowhere] = [await other.call(method, `/buyers/${id}`, body), await other.call(method, `/buyers/${randomUUID()}`, body)];
      expect([foreign.status, nowhere.status]).toEqual([404, 404]);
    }
    expect((await list(other)).items).toEqual([]);
    expect(await profile(business, id)).toMatchObject({ notes: null });
  });

  describe('learned from documents', () => {
    /** Within what may be sold to the final consumer. */
    const small: Invoice = {
      subtotal: '10.00', total_tax: '1.50', total: '11.50',
      lines: [{ line_number: 1, description: 'Café', quantity: '1', unit_price: '10.00', subtotal: '10.00', tax_rate_code: '4' }],
      taxes: [{ tax_code: '2', tax_rate_code: '4', taxable_base: '10.00', rate: '0.15', tax_amount: '1.50' }],
      payments: [{ line_number: 1, payment_method_code: '01', total: '11.50' }],
    };
    /** A buyer of another number each time. */
    let numbers = 0;
    const somebody = (): Invoice => ({ buyer_id_type: 'PASAPORTE', buyer_id: `P-${(numbers += 1)}`, buyer_name: 'Ana Núñez', buyer_email: null, buyer_address: null });
    const authorized = async (business: Business, ...changes: Invoice[]): Promise<void> => {
      for (const { document_id } of await Promise.all(changes.map((change) => business.accepted(change)))) expect((await business.settled(document_id)).status).toBe('AUTHORIZED');
    };
    const of = async (business: Business, { buyer_id }: Invoice): Promise<Profile | undefined> => {
      const { items } = await list(business, `?buyer_id=${String(buyer_id)}`);
      return items[0] === undefined ? undefined : profile(business, items[0].id);
    };

    it('are one for documents of several emission points at once, and frequent from the third', async () => {
      const business = await Business.open(stack);
      const points = [business.emissionPointId];
      for (const code of ['002', '003', '004']) points.push(await business.emissionPoint(code));
      const buyer: Invoice = { ...somebody(), buyer_email: 'ana@example.com', buyer_address: 'Cuenca' };
      await authorized(business, ...points.flatMap((emission_point_id) => [1, 2, 3].map(() => ({ ...buyer, emission_point_id }))));
      expect((await list(business)).items.map(({ buyer_id }) => buyer_id)).toEqual([buyer['buyer_id']]);
      expect(await of(business, buyer)).toMatchObject({
        buyer_id_type: '06', legal_name: 'Ana Núñez', email: 'ana@example.com', address: 'Cuenca', is_active: true, is_frequent: true, document_count: 12, last_document_at: expect.any(String),
      });
      const rare = { ...somebody(), buyer_id_type: 'CEDULA', buyer_id: '1710034065' };
      for (const [count, frequent] of [[1, false], [2, false], [3, true]] as const) {
        await authorized(business, rare);
        expect(await of(business, rare)).toMatchObject({ document_count: count, is_frequent: frequent });
        expect((await business.call('GET', '/buyers/lookup?identifier=1710034065&type=cedula')).body).toMatchObject({ found: true, source: 'tenant_profile', is_frequent: frequent });
      }
    });

    it('have no part in taking a number, and their documents do not wait for each other', async () => {
      const business = await Business.open(stack);
      const buyer = somebody();
      await authorized(business, buyer);
      const somebodyElse = new pg.Client({ connectionString: stack.ownerUrl, options: '-c search_path=sello' });
      await somebodyElse.connect();
      try {
        // Somebody holds the profile: documents of its buyer are authorized all the same.
        await somebodyElse.query('begin');
        const { rowCount } = await somebodyElse.query('select from buyers where tenant_id = $1 for update', [business.tenantId]);
        expect(rowCount).toBe(1);
        await authorized(business, buyer, buyer, buyer);
        await somebodyElse.query('commit');
        // Somebody holds all profiles: numbers are taken all the same.
        await somebodyElse.query('begin');
        await somebodyElse.query('lock table buyers, buyer_documents in access exclusive mode');
        const waiting = await business.accepted(buyer);
        await somebodyElse.query('rollback');
        expect((await business.settled(waiting.document_id)).status).toBe('AUTHORIZED');
      } finally {
        await somebodyElse.end();
      }
      expect(await of(business, buyer)).toMatchObject({ document_count: 5, is_frequent: true });
    });

    it('fill only what is empty and was never set by a person', async () => {
      const business = await Business.open(stack);
      const buyer = somebody();
      await authorized(business, buyer);
      expect(await of(business, buyer)).toMatchObject({ email: null, address: null });
      await authorized(business, { ...buyer, buyer_name: 'Another name', buyer_email: 'first@example.com', buyer_address: 'Quito' });
      const learned = await of(business, buyer);
      expect(learned).toMatchObject({ legal_name: 'Ana Núñez', email: 'first@example.com', address: 'Quito' });
      const path = `/buyers/${learned!.id}`;
      expect((await business.call('PATCH', path, { email: null, legal_name: 'Ana Núñez de Vera' })).status).toBe(200);
      await authorized(business, { ...buyer, buyer_email: 'second@example.com', buyer_address: 'Loja' });
      expect(await of(business, buyer)).toMatchObject({ legal_name: 'Ana Núñez de Vera', email: null, address: 'Quito', document_count: 3, is_frequent: true });

      const kept = somebody();
      await create(business, { buyer_id_type: kept['buyer_id_type'], buyer_id: kept['buyer_id'], legal_name: 'Kept', address: null });
      await authorized(business, { ...kept, buyer_email: 'kept@example.com', buyer_address: 'Loja' });
      expect(await of(business, kept)).toMatchObject({ legal_name: 'Kept', email: 'kept@example.com', address: null, document_count: 1 });
    });

    it('are not made of drafts, refused documents and the final consumer; of a supplier they are', async () => {
      const business = await Business.open(stack);
      const [draft, refused, supplier] = [somebody(), somebody(), somebody()];
      expect((await business.call('POST', '/documents/drafts', business.invoice(draft))).status).toBe(201);
      const { document_id } = await business.accepted({ ...refused, additional_info: [{ name: 'Simulador', value: 'refuse:52' }] });
      expect((await business.settled(document_id)).status).toBe('REJECTED');
      await authorized(business, { buyer_id_type: 'CONSUMIDOR_FINAL', buyer_id: '9999999999999', buyer_name: 'CONSUMIDOR FINAL', ...small });
      const place = { issuer_id: business.issuerId, establishment_id: business.establishmentId, emission_point_id: business.emissionPointId };
      const withholding = exampleDocuments(place, guayaquilDay(new Date()), '').find(({ type }) => type === '07')!;
      await authorized(business, { payments: undefined, ...withholding.body('12345678'), ...supplier });
      expect((await list(business)).items.map(({ buyer_id }) => buyer_id)).toEqual([supplier['buyer_id']]);
      // Mended, it counts; for the buyer that it is issued to then.
      expect((await business.call('POST', `/documents/${document_id}/correct`, business.invoice(refused))).status).toBe(202);
      expect((await business.settled(document_id)).status).toBe('AUTHORIZED');
      expect(await of(business, refused)).toMatchObject({ document_count: 1 });
    });

    it('come back with a further document after they were deleted, and count the former ones', async () => {
      const business = await Business.open(stack);
      const buyer = somebody();
      await authorized(business, buyer, buyer);
      const { id } = (await of(business, buyer))!;
      expect((await business.call('DELETE', `/buyers/${id}`)).status).toBe(204);
      expect(await of(business, buyer)).toBeUndefined();
      await authorized(business, buyer);
      const again = await of(business, buyer);
      expect([again?.['document_count'], again?.id === id]).toEqual([3, false]);
    });
  });
});
