import { randomUUID } from 'node:crypto';
import { Business } from '../../support/business.js';
import { type Answer, call } from '../../support/http.js';
import { type RunningStack, sharedStack } from '../../support/stack.js';
import { breaches, BUYER, BUYER_ITEM, CERTIFICATE, CERTIFICATE_LIST, EMISSION_POINT, ESTABLISHMENT, LOOKUP, LOOKUP_BUYER, MEMBER, PAGE, PRODUCT } from './shapes.js';

type Body = Record<string, unknown>;
interface Page extends Body {
  items: Body[];
  total: number;
}

/** Interface specification, sections 2.7 and 4.9 to 4.18: everything that is no document. */
describe('specification: resources', () => {
  let stack: RunningStack;
  let business: Business;
  let stranger: Business;
  let points: string;

  beforeAll(async () => {
    stack = await sharedStack();
    [business, stranger] = [await Business.open(stack), await Business.open(stack)];
    points = `/issuers/${business.issuerId}/establishments/${business.establishmentId}/emission-points`;
  });
  afterAll(() => stack.stop());

  const get = <Answered = Body>(path: string): Promise<Answer<Answered>> => business.call<Answered>('GET', path);
  const refusesPages = async (path: string): Promise<void> => {
    for (const query of ['page=0', 'page_size=0', 'page_size=101']) expect([query, (await get(`${path}?${query}`)).status]).toEqual([query, 422]);
  };

  describe('4.9 PATCH /products/{product_id}', () => {
    let path: string;
    beforeAll(async () => {
      const { body } = await business.call('POST', '/products', { main_code: 'CAFE', name: 'Café', unit_price: 12.5, tax_code: '2', iva_rate_code: '4' });
      path = `/products/${String(body['id'])}`;
    });

    it('2.7 answers the product, prices as decimal strings of any fractional length', async () => {
      const { status, body } = await business.call('PATCH', path, { unit_price: 1.234567, default_discount: 0.5 });
      expect(status).toBe(200);
      expect(breaches(PRODUCT, body)).toEqual([]);
      expect(Number(body['unit_price'])).toBe(1.234567);
      expect(Number(body['default_discount'])).toBe(0.5);
    });

    it('changes nothing but what is sent', async () => {
      const before = (await get(path)).body;
      const { body } = await business.call('PATCH', path, { name: 'Café de altura' });
      expect({ ...body, updated_at: '' }).toEqual({ ...before, name: 'Café de altura', updated_at: '' });
      expect((await business.call('PATCH', path, {})).status).toBe(200);
    });

    it.each([
      ['main_code', '', 'x'.repeat(26)], ['aux_code', 5, 'x'.repeat(26)], ['name', '', 'x'.repeat(301)], ['unit_price', -1, 'x'], ['default_discount', -0.01, true],
      ['tax_code', '', 'x'.repeat(11)], ['iva_rate_code', '', 'x'.repeat(11)], ['applies_tourism_iva', 'yes', 1], ['applies_ice', 'no', 0], ['ice_code', 5, 'x'.repeat(11)],
      ['additional_fields', [], 'x'],
    ])('bounds %s', async (field, ...refused) => {
      for (const value of refused) expect([value, (await business.call('PATCH', path, { [field]: value })).status]).toEqual([value, 422]);
    });

    it('takes a free-form object as additional_fields', async () => {
      const additional_fields = { origin: { farm: 'Intag', altitude: 1600 }, tags: ['a', 'b'] };
      expect((await business.call('PATCH', path, { additional_fields })).body).toMatchObject({ additional_fields });
    });
  });

  it('4.10 POST …/emission-points answers an emission point', async () => {
    const { status, body } = await business.call('POST', points, { code: '077', initial_sequential: 7 });
    expect([status, body]).toMatchObject([201, { code: '077', initial_sequential: 7, is_active: true, establishment_id: business.establishmentId }]);
    expect(breaches(EMISSION_POINT, body)).toEqual([]);
  });

  it('4.11 GET …/emission-points pages them and filters by activity', async () => {
    const { status, body } = await get<Page>(`${points}?is_active=true&page=1&page_size=100`);
    expect(status).toBe(200);
    expect([...breaches(PAGE, body), ...body.items.flatMap((item) => breaches(EMISSION_POINT, item))]).toEqual([]);
    expect(body.total).toBe(body.items.length);
    expect((await get<Page>(`${points}?is_active=false`)).body.total).toBe(0);
    expect((await get(`${points}?is_active=maybe`)).status).toBe(422);
    await refusesPages(points);
  });

  it('4.12 GET …/emission-points/{id} answers one', async () => {
    const { status, body } = await get(`${points}/${business.emissionPointId}`);
    expect([status, breaches(EMISSION_POINT, body)]).toEqual([200, []]);
  });

  it('4.13 GET /issuers/{id}/establishments/{id} answers an establishment', async () => {
    const { status, body } = await get(`/issuers/${business.issuerId}/establishments/${business.establishmentId}`);
    expect([status, breaches(ESTABLISHMENT, body)]).toEqual([200, []]);
  });

  it('4.14 GET /issuers/{id}/certificates lists them with their status, never password or file; 404 for an issuer of nobody or another', async () => {
    const { status, body } = await get<Page>(`/issuers/${business.issuerId}/certificates`);
    expect([status, breaches(CERTIFICATE_LIST, body), body.items.flatMap((item) => breaches(CERTIFICATE, item))]).toEqual([200, [], []]);
    expect(body.items).toMatchObject([{ status: 'active' }]);
    expect(Object.keys(body.items[0] ?? {}).filter((name) => /password|file|p12|key$/.test(name))).toEqual([]);
    for (const issuer of [stranger.issuerId, randomUUID()]) expect((await get(`/issuers/${issuer}/certificates`)).status).toBe(404);
  });

  describe('4.15 GET /buyers', () => {
    beforeAll(async () => {
      const made = await business.call('POST', '/buyers', { buyer_id_type: 'CEDULA', buyer_id: '1710034065', legal_name: 'María José Peña', trade_name: 'Tostadora Intag', email: 'maria@example.com' });
      expect(made.status).toBe(201);
    });

    it('2.7 pages profiles without e-mail addresses, with total_pages', async () => {
      const { status, body } = await get<Page>('/buyers');
      expect([status, breaches(PAGE, body), body.items.flatMap((item) => breaches(BUYER_ITEM, item))]).toEqual([200, [], []]);
      expect(body['total_pages']).toBe(1);
      expect(body.items.filter((item) => 'email' in item)).toEqual([]);
      await refusesPages('/buyers');
    });

    it('filters by part of a legal or trade name and by the whole identifier', async () => {
      for (const query of ['name=jos', 'name=intag', 'buyer_id=1710034065']) expect([query, (await get<Page>(`/buyers?${query}`)).body.total]).toEqual([query, 1]);
      for (const query of ['name=nadie', 'buyer_id=171003406']) expect([query, (await get<Page>(`/buyers?${query}`)).body.total]).toEqual([query, 0]);
    });

    it('4.16 GET /buyers/{profile_id} answers one with its address', async () => {
      const { body: list } = await get<Page>('/buyers');
      const { status, body } = await get(`/buyers/${String(list.items[0]?.['id'])}`);
      expect([status, breaches(BUYER, body), body['email']]).toEqual([200, [], 'maria@example.com']);
      expect((await stranger.call('GET', `/buyers/${String(list.items[0]?.['id'])}`)).status).toBe(404);
    });

    it('4.17 GET /buyers/lookup: own profiles, then what is known of the authority, then the authority', async () => {
      const lookup = (query: string): Promise<Answer> => get(`/buyers/lookup?${query}`);
      const own = await lookup('identifier=1710034065&type=cedula');
      expect([own.status, breaches(LOOKUP, own.body), breaches(LOOKUP_BUYER, own.body['buyer'])]).toEqual([200, [], []]);
      expect(own.body).toMatchObject({ found: true, source: 'tenant_profile' });
      const [live, cached] = [await lookup('identifier=1790016919001&type=ruc'), await lookup('identifier=1790016919001&type=ruc')];
      expect([live.body, cached.body]).toMatchObject([{ found: true, source: 'sri_live' }, { found: true, source: 'sri_cache' }]);
      expect(breaches(LOOKUP_BUYER, live.body['buyer'])).toEqual([]);
      for (const query of ['identifier=1710034065&type=pasaporte', 'type=ruc', 'identifier=1710034065']) expect([400, 422]).toContain((await lookup(query)).status);
    });
  });

  describe('4.18 POST /tenant/members/invite', () => {
    const invite = (email: unknown, role: unknown = 'viewer'): Promise<Answer> => business.call('POST', '/tenant/members/invite', { email, role });

    it('2.7 answers a member who is invited', async () => {
      const { status, body } = await invite(`ana-${randomUUID()}@example.com`);
      expect([status, body, breaches(MEMBER, body)]).toMatchObject([201, { role: 'viewer', status: 'invited', last_login_at: null }, []]);
    });

    it('takes an address of at most 255 characters, local-part@domain.tld, and every role but platform_admin', async () => {
      const long = `${'x'.repeat(64)}@${'x'.repeat(63)}.${'x'.repeat(63)}.${'x'.repeat(59)}.ec`;
      expect([long.length, (await invite(long)).status]).toEqual([255, 201]);
      for (const address of [`x${long}`, `${'x'.repeat(64)}@${'x'.repeat(63)}.${'x'.repeat(63)}.${'x'.repeat(60)}.ec`, 'ana@example', 'ana example@example.com', '@example.com', 'ana', 5]) {
        expect([address, (await invite(address)).status]).toEqual([address, 422]);
      }
      for (const role of ['platform_admin', 'owner', 5]) expect([role, (await invite(`b-${randomUUID()}@example.com`, role)).status]).toEqual([role, 422]);
      for (const role of ['tenant_admin', 'billing_operator', 'accountant', 'viewer']) expect([role, (await invite(`c-${randomUUID()}@example.com`, role)).status]).toEqual([role, 201]);
    });
  });

  it('4.19 /auth/google/callback, /auth/login and /auth/api-keys exist', async () => {
    const withGoogle = await stack.startApi({ GOOGLE_CLIENT_ID: 'sello', GOOGLE_CLIENT_SECRET: 'secret' });
    expect((await call(withGoogle, 'GET', '/auth/google/callback')).status).toBe(401);
    expect((await business.call('POST', '/auth/login', { email: 'nobody@example.com', password: 'x' })).status).toBe(401);
    expect((await get('/auth/api-keys')).status).toBe(200);
  });
});
