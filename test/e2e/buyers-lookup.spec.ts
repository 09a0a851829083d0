import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { addFaults, Business } from '../support/business.js';
import type { Answer } from '../support/http.js';
import { type Stack, startStack } from '../support/stack.js';

interface Found {
  found: boolean;
  source: string;
  is_frequent: boolean;
  buyer: Record<string, unknown> | null;
  verified_at: string | null;
  age_seconds: number | null;
  registry: string | null;
}

/** A company of another RUC each time. */
let companies = 0;
const someRuc = (): string => `179${String(2_000_000 + (companies += 1))}001`;
const CEDULA = '1710034065';

describe('the look-up of a buyer', () => {
  let stack: Stack;
  let business: Business;
  beforeAll(async () => {
    stack = await startStack({ workers: 0 });
    business = await Business.open(stack, { certificate: null });
  });
  afterAll(() => stack.stop());
  // A question that is answered ends a row of failures.
  afterEach(async () => {
    await control('DELETE', 'faults');
    await control('PUT', 'services/registry', { up: true });
    while ((await lookUp(someRuc())).status !== 200) await sleep(200);
  });

  const control = async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
    const response = await fetch(`${stack.simulatorUrl}/control/${path}`, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Record<string, unknown>;
  };
  const lookUp = (identifier: string, { type = 'ruc', more = '', by = business, api = stack.apiUrl } = {}): Promise<Answer<Found>> =>
    by.call<Found>('GET', `/buyers/lookup?identifier=${encodeURIComponent(identifier)}&type=${type}${more}`, undefined, {}, api);
  /** What the registry was asked about a RUC. */
  const asked = async (ruc: string): Promise<string[]> => {
    const { entries } = (await control('GET', 'ledger?operation=registry')) as { entries: { taxpayer: string; outcome: string }[] };
    return entries.filter(({ taxpayer }) => taxpayer === ruc).map(({ outcome }) => outcome);
  };
  const kept = (ruc: string): Promise<{ found: boolean }[]> => stack.database.query<{ found: boolean }>('select found from taxpayers where ruc = $1', [ruc]);
  const older = (ruc: string, age: string): Promise<unknown> => stack.database.query('update taxpayers set verified_at = now() - $2::interval where ruc = $1', [ruc, age]);
  const unavailable = { error: { code: 'SRI_UNAVAILABLE' } };

  it('asks the authority about who is not known, once for all tenants', async () => {
    const ruc = someRuc();
    const live = await lookUp(ruc);
    expect([live.status, live.body]).toEqual([200, {
      found: true, source: 'sri_live', is_frequent: false, verified_at: expect.any(String), age_seconds: expect.any(Number), registry: 'confirmed',
      buyer: { id: null, id_type: '04', buyer_id: ruc, legal_name: expect.stringMatching(/ S\.A\.$/), trade_name: expect.any(String), contributor_status: 'ACTIVO', contributor_type: 'SOCIEDAD', address: expect.stringMatching(/QUITO$/), is_active: null },
    }]);
    const cached = await lookUp(ruc, { by: await Business.open(stack, { certificate: null }) });
    expect(cached.body).toEqual({ ...live.body, source: 'sri_cache', age_seconds: expect.any(Number), registry: null });
    expect(await asked(ruc)).toEqual(['taxpayer true', 'establishments true']);
  });

  it('answers with the tenant’s own profile and asks nobody; what a tenant typed is nobody else’s', async () => {
    const ruc = someRuc();
    const { body: profile } = await business.call('POST', '/buyers', { buyer_id_type: 'RUC', buyer_id: ruc, legal_name: 'Typed by us', trade_name: 'Ours', address: 'Here' });
    expect((await lookUp(ruc)).body).toEqual({
      found: true, source: 'tenant_profile', is_frequent: false, verified_at: null, age_seconds: null, registry: null,
      buyer: { id: profile['id'], id_type: '04', buyer_id: ruc, legal_name: 'Typed by us', trade_name: 'Ours', contributor_status: null, contributor_type: null, address: 'Here', is_active: true },
    });
    expect(await asked(ruc)).toEqual([]);
    const theirs = await lookUp(ruc, { by: await Business.open(stack, { certificate: null }) });
    expect([theirs.body.source, theirs.body.buyer?.['id'], JSON.stringify(theirs.body).includes('Typed')]).toEqual(['sri_live', null, false]);
    // What the authority said meanwhile shows on the profile; what was typed stays.
    const verified = (await lookUp(ruc)).body;
    expect(verified).toMatchObject({ source: 'tenant_profile', verified_at: theirs.body.verified_at, buyer: { legal_name: 'Typed by us', address: 'Here', contributor_status: 'ACTIVO', contributor_type: 'SOCIEDAD' } });
    expect((await business.call('GET', `/buyers/${String(profile['id'])}`)).body).toMatchObject({ ...profile, contributor_status: 'ACTIVO', contributor_type: 'SOCIEDAD', sri_last_verified_at: theirs.body.verified_at });
    await business.call('PATCH', `/buyers/${String(profile['id'])}`, { is_active: false });
    expect((await lookUp(ruc)).body).toMatchObject({ source: 'tenant_profile', buyer: { id: profile['id'], is_active: false } });
  });

  it('gives a new profile what the authority said before', async () => {
    const ruc = someRuc();
    const { body } = await lookUp(ruc);
    const created = await business.call('POST', '/buyers', { buyer_id_type: 'RUC', buyer_id: ruc, legal_name: 'X' });
    expect([created.status, created.body]).toMatchObject([201, { contributor_status: 'ACTIVO', contributor_type: 'SOCIEDAD', sri_last_verified_at: body.verified_at }]);
  });

  it('knows people by their cedula, which is that of their RUC, and verifies the profile of either', async () => {
    const own = await Business.open(stack, { certificate: null });
    const { body: profile } = await own.call('POST', '/buyers', { buyer_id_type: 'RUC', buyer_id: `${CEDULA}001`, legal_name: 'X' });
    const { body } = await lookUp(CEDULA, { type: 'cedula', by: own });
    expect(body).toMatchObject({ found: true, source: 'sri_live', buyer: { id: null, id_type: '05', buyer_id: CEDULA, legal_name: expect.stringContaining(' '), contributor_type: 'PERSONA NATURAL' } });
    expect((await own.call('GET', `/buyers/${String(profile['id'])}`)).body).toMatchObject({ legal_name: 'X', contributor_type: 'PERSONA NATURAL', sri_last_verified_at: body.verified_at });
    expect((await lookUp(`${CEDULA}001`)).body).toMatchObject({ source: 'sri_cache', buyer: { id_type: '04' } });
    expect(await asked(`${CEDULA}001`)).toEqual(['taxpayer true', 'establishments true']);
  });

  it('says who does not exist, believes it for a day, and asks again', async () => {
    const [cedula, ruc] = ['3000000004', '3000000004001'];
    expect((await lookUp(cedula, { type: 'cedula' })).body).toEqual({ found: false, source: 'sri_live', is_frequent: false, buyer: null, verified_at: expect.any(String), age_seconds: expect.any(Number), registry: 'unknown' });
    await older(ruc, '23 hours');
    expect((await lookUp(cedula, { type: 'cedula' })).body).toMatchObject({ found: false, source: 'sri_cache', age_seconds: expect.any(Number), registry: null });
    expect(await asked(ruc)).toEqual(['taxpayer false', 'exists false']);
    await older(ruc, '25 hours');
    await control('PUT', 'services/registry', { up: false });
    expect((await lookUp(cedula, { type: 'cedula' })).status).toBe(503);
    await control('PUT', 'services/registry', { up: true });
    expect((await lookUp(cedula, { type: 'cedula' })).body).toMatchObject({ found: false, source: 'sri_live' });
  });

  it('asks again what is a month old, and goes by it with its age while the authority is away', async () => {
    const ruc = someRuc();
    const first = (await lookUp(ruc)).body;
    await older(ruc, '29 days');
    expect((await lookUp(ruc)).body.source).toBe('sri_cache');
    await older(ruc, '40 days');
    await control('PUT', 'services/registry', { up: false });
    const stale = await lookUp(ruc);
    expect([stale.status, stale.body]).toMatchObject([200, { found: true, source: 'sri_cache', buyer: first.buyer, registry: 'unavailable' }]);
    expect(stale.body.age_seconds).toBeGreaterThanOrEqual(40 * 86_400);
    await control('PUT', 'services/registry', { up: true });
    expect((await lookUp(ruc)).body.source).toBe('sri_live');
  });

  it.each([['', '1792009001001', true], ['&refresh=true', '1792009002001', true], ['', '1799999404001', false]])(
    'does not believe an answer from a time to come (%p, %p)', async (more, ruc, found) => {
      await lookUp(ruc);
      await older(ruc, '-1 year');
      const { body } = await lookUp(ruc, { more });
      expect(body).toMatchObject({ found, source: 'sri_live' });
      expect((await lookUp(ruc)).body).toMatchObject({ found, source: 'sri_cache', verified_at: body.verified_at });
    });

  it('asks anew on request, also about a profile, whose typed fields stay', async () => {
    const ruc = someRuc();
    await lookUp(ruc);
    const { body: profile } = await business.call('POST', '/buyers', { buyer_id_type: 'RUC', buyer_id: ruc, legal_name: 'Typed' });
    await control('PUT', `taxpayers/${ruc}`, { active: false });
    // What was said a moment ago is the newest.
    expect((await lookUp(ruc, { more: '&refresh=true' })).body).toMatchObject({ source: 'tenant_profile', buyer: { contributor_status: 'ACTIVO' } });
    await older(ruc, '2 minutes');
    expect((await lookUp(ruc)).body.buyer?.['contributor_status']).toBe('ACTIVO');
    const { body } = await lookUp(ruc, { more: '&refresh=true' });
    expect(body).toMatchObject({ source: 'tenant_profile', buyer: { id: profile['id'], legal_name: 'Typed', contributor_status: 'SUSPENDIDO' } });
    expect(await asked(ruc)).toHaveLength(4);
    await older(ruc, '2 minutes');
    await control('PUT', 'services/registry', { up: false });
    expect((await lookUp(ruc, { more: '&refresh=true' })).body).toMatchObject({ source: 'tenant_profile', verified_at: body.verified_at });
  });

  it('tells of a profile what the registry said, or that it did not say', async () => {
    const [ruc, nobodys] = [someRuc(), someRuc()];
    await control('PUT', `taxpayers/${nobodys}`, { exists: false });
    for (const buyer_id of [ruc, nobodys]) await business.call('POST', '/buyers', { buyer_id_type: 'RUC', buyer_id, legal_name: 'Typed' });
    const told = async (number: string, more = '&refresh=true'): Promise<unknown[]> => {
      const { status, body } = await lookUp(number, { more });
      return [status, body.found, body.source, body.registry];
    };
    const profile = (registry: string | null): unknown[] => [200, true, 'tenant_profile', registry];
    // The second time from the answer of a moment ago.
    for (const _time of [1, 2]) expect([await told(ruc), await told(nobodys)]).toEqual([profile('confirmed'), profile('unknown')]);
    expect([await told(ruc, ''), await told(nobodys, '')]).toEqual([profile(null), profile(null)]);
    const neverAsked = someRuc();
    await business.call('POST', '/buyers', { buyer_id_type: 'RUC', buyer_id: neverAsked, legal_name: 'Typed' });
    for (const number of [ruc, nobodys]) await older(number, '2 minutes');
    await control('PUT', 'services/registry', { up: false });
    expect([await told(ruc), await told(neverAsked)]).toEqual([profile('unavailable'), profile('unavailable')]);
    // What was said of nobody less than a day ago is known still, with its age.
    expect(await told(nobodys)).toEqual(profile('unavailable'));
  });

  it('verifies profiles of a RUC of another establishment, on request and when they are made', async () => {
    const first = someRuc();
    const [second, third] = [first.replace(/001$/, '002'), first.replace(/001$/, '999')];
    const make = async (buyer_id: string): Promise<Record<string, unknown>> => (await business.call('POST', '/buyers', { buyer_id_type: 'RUC', buyer_id, legal_name: 'Typed' })).body;
    const { id } = await make(second);
    const { body } = await lookUp(second, { more: '&refresh=true' });
    expect(body).toMatchObject({ source: 'tenant_profile', verified_at: expect.any(String), buyer: { id, buyer_id: second, legal_name: 'Typed', contributor_status: 'ACTIVO' } });
    expect((await business.call('GET', `/buyers/${String(id)}`)).body).toMatchObject({ contributor_status: 'ACTIVO', sri_last_verified_at: body.verified_at });
    expect(await make(third)).toMatchObject({ contributor_status: 'ACTIVO', sri_last_verified_at: body.verified_at });
  });

  it('asks once, however many ask for the same at once', async () => {
    const slow = '1799999408001';
    const answers = await Promise.all(Array.from({ length: 12 }, () => lookUp(slow)));
    expect(answers.map(({ status, body }) => [status, body.found])).toEqual(Array.from({ length: 12 }, () => [200, true]));
    expect(await asked(slow)).toEqual(['taxpayer true', 'establishments true']);
  });

  const FAULTS: [string, object][] = [
    ['is down', { kind: 'http', status: 503 }],
    ['shows a page', { kind: 'http', status: 200, body: '<html>Mantenimiento</html>' }],
    ['leads elsewhere', { kind: 'http', status: 302, headers: { location: 'http://127.0.0.1:9/' } }],
    ['does not know the page', { kind: 'http', status: 404, body: '[]', content_type: 'application/json' }],
    ['says nothing', { kind: 'malformed', body: 'empty' }],
    ['says half', { kind: 'malformed', body: 'truncated' }],
    ['says something else', { kind: 'malformed', body: 'not_xml' }],
    ['does not stop', { kind: 'malformed', body: 'oversized' }],
    ['hangs up', { kind: 'reset', phase: 'after' }],
    ['does not answer', { kind: 'hang', phase: 'after' }],
    ['answers byte by byte', { kind: 'drip', bytes_per_second: 5 }],
  ];
  it.each(FAULTS)('B132 is 503 when the authority %s and nothing is known, and nothing is learned from it', async (_what, action) => {
    const ruc = someRuc();
    await addFaults(stack, { match: { service: 'registry', ruc }, times: null, action });
    const answer = await lookUp(ruc);
    expect([answer.status, answer.body, answer.headers.get('retry-after')]).toMatchObject([503, unavailable, '5']);
    expect(await kept(ruc)).toEqual([]);
    await control('DELETE', 'faults');
    expect((await lookUp(ruc)).body).toMatchObject({ found: true, source: 'sri_live' });
  });

  it.each(['exists', 'establishments'])('is whole or not at all: 503 where the question %p stays open', async (question) => {
    const ruc = someRuc();
    if (question === 'exists') await control('PUT', `taxpayers/${ruc}`, { exists: false });
    await addFaults(stack, { match: { service: 'registry', ruc }, nth: [2], action: { kind: 'http', status: 500 } });
    expect((await lookUp(ruc)).body).toMatchObject(unavailable);
    expect(await asked(ruc)).toHaveLength(2);
    expect(await kept(ruc)).toEqual([]);
  });

  it('without a registry goes by what is known', async () => {
    const [known, unknown] = [someRuc(), someRuc()];
    await lookUp(known);
    const api = await stack.startApi({ SRI_REGISTRY_URL: '' });
    expect((await lookUp(known, { api })).body).toMatchObject({ found: true, source: 'sri_cache' });
    const answer = await lookUp(unknown, { api });
    expect([answer.status, answer.body, await asked(unknown)]).toMatchObject([503, unavailable, []]);
    await stack.killApi(stack.apiUrls.length - 1);
  });

  it.each([
    ['1799999404001', { found: false, buyer: null }], ['1799999423001', { found: true, buyer: { contributor_status: 'SUSPENDIDO' } }],
    ['1799999502001', unavailable], ['1799999503001', unavailable],
  ])('of the simulator’s number %p comes to what is told of it', async (ruc, body) => {
    expect((await lookUp(ruc)).body).toMatchObject(body);
  });

  it('asks nobody about what is no identification', async () => {
    const before = ((await control('GET', 'ledger?operation=registry')) as { entries: unknown[] }).entries.length;
    // Known to the tenant, as a buyer of a document that was warned of, it is found by its number as it is.
    const [odd, knowing] = ['1710034066', await Business.open(stack, { certificate: null })];
    await stack.database.query(
      `insert into buyers (tenant_id, id, buyer_id_type, buyer_id, legal_name, kept_fields, created_at, updated_at) values ($1, gen_random_uuid(), '05', $2, 'Ana Lema', '{}', now(), now())`, [knowing.tenantId, odd]);
    expect((await lookUp(odd, { type: 'cedula', by: knowing })).body).toMatchObject({ found: true, source: 'tenant_profile', buyer: { buyer_id: odd, legal_name: 'Ana Lema' } });
    for (const [identifier, type] of [['1710034066', 'cedula'], ['1710034065', 'ruc'], ['9999999999999', 'ruc'], ['../../x', 'ruc'], ['1790012345001', 'cedula']]) expect((await lookUp(identifier!, { type: type! })).status).toBe(422);
    expect(((await control('GET', 'ledger?operation=registry')) as { entries: unknown[] }).entries).toHaveLength(before);
  });

  it('leaves no identification and no name in the log', () => {
    const log = readdirSync(stack.logFolder).filter((name) => name.startsWith('api')).map((name) => readFileSync(join(stack.logFolder, name), 'utf8')).join('');
    expect(log).toContain('/buyers/lookup');
    expect(log).not.toMatch(/1792000[0-9]{3}|1799999|1710034065|Typed|P[ÉE]REZ|S\.A\./);
  });

  it('stops asking an authority that is down', async () => {
    const rucs = Array.from({ length: 9 }, someRuc);
    await control('PUT', 'services/registry', { up: false });
    for (const ruc of rucs.slice(0, 5)) expect((await lookUp(ruc)).status).toBe(503);
    // At once: five seconds later one of them would be asked about.
    expect((await Promise.all(rucs.slice(5).map((ruc) => lookUp(ruc)))).map(({ status }) => status)).toEqual(Array(4).fill(503));
    expect((await Promise.all(rucs.map(asked))).flat()).toEqual(Array<string>(5).fill('NOT_PROCESSED'));
  });
});
