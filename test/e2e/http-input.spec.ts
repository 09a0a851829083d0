import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import pg from 'pg';
import { CryptoChance } from '../../src/platform/adapters/crypto-chance.js';
import { generateApiKey } from '../../src/platform/security/api-key.js';
import { Business } from '../support/business.js';
import { fromSetup } from '../support/database.js';
import { type Answer, call } from '../support/http.js';
import { type Stack, startStack } from '../support/stack.js';

interface Refused {
  error: { code: string; message: string; detail: unknown; request_id: string };
  detail?: { loc: string[]; msg: string; type: string; input: unknown; ctx: object }[];
}

interface OpenApi {
  info: { version: string };
  paths: Record<string, Record<string, { description?: string; security?: unknown[]; responses: object }>>;
  components: { schemas: Record<string, { required?: string[] }> };
}

describe('what comes in over HTTP', () => {
  let stack: Stack;
  let business: Business;

  beforeAll(async () => {
    stack = await startStack({ workers: 0, simulator: false, env: { SRI_RECEPTION_URL: 'http://127.0.0.1:9/r', SRI_AUTHORIZATION_URL: 'http://127.0.0.1:9/a' } });
    business = await Business.open(stack);
  });
  afterAll(() => stack.stop());

  it('answers carry the headers that protect them', async () => {
    const { headers } = await business.call('GET', '/issuers');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-powered-by')).toBeNull();
    expect(headers.get('access-control-allow-origin')).toBeNull();
    expect(headers.get('etag')).toBeNull();
  });

  describe('errors', () => {
    it('speak Spanish, or English when asked; codes and types stay', async () => {
      const body = { ...business.invoice({ total: '-1', buyer_name: 'x'.repeat(301) }), extra: { a: 1 } };
      const spanish = await business.call<Refused>('POST', '/documents', body);
      const english = await business.call<Refused>('POST', '/documents', body, { 'accept-language': 'en-US,en' });
      expect(spanish.body.error.message).toMatch(/^Hay campos con tipo o formato inválido\. /);
      expect(english.body.error.message).toMatch(/^Some fields have an invalid type or format\. /);
      expect(spanish.body.detail).toEqual(spanish.body.error.detail);
      expect(english.body.detail).toEqual(
        expect.arrayContaining([
          { loc: ['body', 'total'], msg: 'Must be at least 0', type: 'greater_than_equal', input: '-1', ctx: { ge: 0 } },
          { loc: ['body', 'buyer_name'], msg: 'Takes at most 300 characters', type: 'string_too_long', input: 'x'.repeat(64), ctx: { max_length: 300 } },
          { loc: ['body', 'extra'], msg: 'Unknown field', type: 'extra_forbidden', input: 'object', ctx: {} },
        ]),
      );
      expect(english.body.detail?.map(({ type }) => type).sort()).toEqual(spanish.body.detail?.map(({ type }) => type).sort());
    });

    it('of a missing field beside others are 400 and name all', async () => {
      const answer = await business.call<Refused>('POST', '/documents', { ...business.invoice({ total: '-1' }), issuer_id: undefined });
      expect([answer.status, answer.body.error.code]).toEqual([400, 'INVALID_PAYLOAD']);
      expect(answer.body.detail?.map(({ type }) => type).sort()).toEqual(['greater_than_equal', 'missing']);
    });
  });

  it.each(['/buyers?name=Mu%F1oz', '/buyers?name=Mu%', '/documents?buyer_id=%zz', '/documents/export.csv?q=%C0%80', '/products?q=%ED%A0%80'])('does not answer %s, which cannot be read, with nothing found', async (path) => {
    const answer = await business.call<Refused>('GET', path);
    expect([answer.status, answer.body.error]).toMatchObject([400, { code: 'MALFORMED_REQUEST', detail: { reason: 'query_encoding' } }]);
  });

  /** The answer to a path whose letters are sent as bytes of that value: `fetch` would encode them. */
  const asWritten = (path: string): Promise<{ total?: number; error?: object }> =>
    new Promise((resolve, reject) => {
      get(stack.apiUrl + path, { path, headers: { 'x-api-key': business.apiKey } }, (response) => void json(response).then((body) => resolve(body as object), reject)).on('error', reject);
    });

  it('finds what is asked for in letters that are encoded, and tells what to do with others', async () => {
    expect((await business.call('POST', '/buyers', { buyer_id_type: 'EXTERIOR', buyer_id: 'Ñ-1', legal_name: 'José 100% Muñoz + Hijos' })).status).toBe(201);
    for (const name of [encodeURIComponent('100% Muñoz + Hijos'), '100%25+Mu%c3%b1oz+%2B']) expect([name, (await asWritten(`/buyers?name=${name}`)).total]).toEqual([name, 1]);
    for (const name of ['Mu\xc3\xb1oz', 'Mu\xf1oz'])
      expect((await asWritten(`/buyers?name=${name}`)).error).toMatchObject({ code: 'MALFORMED_REQUEST', detail: { reason: 'path_encoding' } });
  });

  it('tells a path that cannot be decoded, and a parameter given twice, for what they are', async () => {
    const path = await business.call<Refused>('GET', '/documents/%zz', undefined, { 'accept-language': 'en' });
    expect([path.status, path.body.error]).toMatchObject([400, { code: 'MALFORMED_REQUEST', message: 'The address cannot be decoded. Encode its parts with %.', detail: { reason: 'path_encoding' } }]);
    const twice = await business.call<Refused>('GET', '/documents?page=1&page=2&status=AUTHORIZED&status=REJECTED', undefined, { 'accept-language': 'en' });
    const repeated = { msg: 'The parameter was given more than once', type: 'repeated', input: 'array', ctx: {} };
    expect([twice.status, twice.body.detail]).toEqual([422, [{ loc: ['query', 'page'], ...repeated }, { loc: ['query', 'status'], ...repeated }]]);
  });

  describe('a call that there is not', () => {
    const id = randomUUID();
    const calls = [
      ['PUT', `/documents/${id}`], ['POST', `/documents/${id}`], ['GET', `/documents/${id}/retry`], ['GET', '/documents/'], ['GET', '/Documents'], ['POST', '/documents/'],
      ['GET', '/'], ['DELETE', '/documents'], ['GET', '/nothing?x=1'],
    ] as const;

    it.each(calls)('%s %s is told as such, whoever makes it', async (method, path) => {
      const refused = { code: 'NOT_FOUND', message: 'There is no such call. Check method and path: lower case, and no slash at its end.', detail: { reason: 'unknown_route' } };
      const credentials: Record<string, string>[] = [{ 'x-api-key': business.apiKey }, {}, { 'x-api-key': 'garbage' }, { authorization: 'Bearer abc' }, { 'x-api-key': 'garbage', authorization: 'Bearer abc' }];
      for (const credential of credentials) {
        const answer = await call<Refused>(stack.apiUrl, method, path, { headers: { ...credential, 'accept-language': 'en' } });
        expect([answer.status, answer.body.error]).toMatchObject([404, refused]);
      }
    });

    it.each([['GET', `/documents/${id}`], ['PATCH', `/issuers/${id}`], ['POST', `/documents/${id}/retry`]] as const)('%s %s is one, of an id that there is not', async (method, path) => {
      const answer = await business.call<Refused>(method, path, method === 'PATCH' ? { is_active: true } : undefined);
      expect([answer.status, answer.body.error]).toMatchObject([404, { code: 'NOT_FOUND', detail: null }]);
    });
  });

  describe('credentials', () => {
    const other = (): string => generateApiKey(new CryptoChance(), 'TEST').clear;
    const cases: [string, () => Record<string, string>][] = [
      ['none', () => ({})],
      ['empty', () => ({ 'x-api-key': '' })],
      ['another prefix', () => ({ 'x-api-key': business.apiKey.replace('svc_', 'sk_') })],
      ['a well-formed key that nobody has', () => ({ 'x-api-key': other() })],
      ['a broken checksum', () => ({ 'x-api-key': `${business.apiKey.slice(0, -1)}${business.apiKey.endsWith('0') ? '1' : '0'}` })],
      ['a truncated key', () => ({ 'x-api-key': business.apiKey.slice(0, -1) })],
      ['spaces inside', () => ({ 'x-api-key': business.apiKey.replace('_', ' _') })],
      ['10 KB', () => ({ 'x-api-key': 'svc_test_'.padEnd(10_240, 'x') })],
      ['Latin-1 letters', () => ({ 'x-api-key': 'svc_test_ñáé' })],
      ['a key of production', () => ({ 'x-api-key': generateApiKey(new CryptoChance(), 'PRODUCTION').clear })],
      ['two keys in one', () => ({ 'x-api-key': `${business.apiKey}, ${business.apiKey}` })],
      ['a bearer token alone', () => ({ authorization: `Bearer ${business.apiKey}` })],
    ];

    it.each(cases)('%s: 401, always the same body', async (_name, headers) => {
      const answer = await call<Refused>(stack.apiUrl, 'GET', '/issuers', { headers: headers() });
      expect(answer.status).toBe(401);
      expect({ ...answer.body.error, request_id: '' }).toEqual({
        code: 'UNAUTHENTICATED', message: 'Credencial ausente, inválida o revocada. Envíe una clave vigente de este ambiente en X-API-Key, o inicie sesión de nuevo.', detail: null, request_id: '',
      });
    });

    it.each([
      ['a bearer token', { authorization: 'Bearer abc' }],
      ['a session cookie', { cookie: 'a=b; service_access_token=abc' }],
    ])('a key beside %s: 401 for that, and not a word on whether the key is one', async (_name, beside) => {
      for (const key of [business.apiKey, other(), 'garbage']) {
        const answer = await call<Refused>(stack.apiUrl, 'GET', '/issuers', { headers: { 'x-api-key': key, ...beside } });
        expect([answer.status, answer.body.error]).toMatchObject([401, { code: 'UNAUTHENTICATED', detail: { reason: 'conflicting_credentials' } }]);
      }
    });

    it('a key in the address is no key, and stays out of the log', async () => {
      const key = other();
      expect((await call(stack.apiUrl, 'GET', `/issuers?x-api-key=${key}&api_key=${key}`)).status).toBe(401);
      const logs = readdirSync(stack.logFolder).map((file) => readFileSync(join(stack.logFolder, file), 'utf8')).join('\n');
      expect(logs).not.toContain(key);
    });

    it('X-Tenant-Id may name the own tenant only', async () => {
      const naming = (tenant: string): Promise<Answer> => business.call('GET', '/issuers', undefined, { 'x-tenant-id': tenant });
      expect((await naming(business.tenantId)).status).toBe(200);
      expect((await naming(business.tenantId.toUpperCase())).status).toBe(200);
      for (const tenant of [randomUUID(), 'garbage', `${business.tenantId}, ${randomUUID()}`, `${business.tenantId}, ${business.tenantId}`]) {
        expect((await naming(tenant)).status).toBe(403);
      }
    });

    it('a revocation acts on the next call, on every process', async () => {
      const second = await stack.startApi();
      const doomed = await Business.open(stack, { certificate: null });
      for (const url of [stack.apiUrl, second]) expect((await call(url, 'GET', '/issuers', { apiKey: doomed.apiKey })).status).toBe(200);
      await stack.database.query('update api_keys set revoked_at = now() where id = $1', [doomed.apiKeyId]);
      for (const url of [stack.apiUrl, second]) expect((await call(url, 'GET', '/issuers', { apiKey: doomed.apiKey })).status).toBe(401);
    });
  });

  describe('limits', () => {
    const LIMITS = { RATE_LIMIT_ISSUE_PER_MINUTE: '3', RATE_LIMIT_READ_PER_MINUTE: '4', RATE_LIMIT_OTHER_PER_MINUTE: '5' };

    it('hold per key over all processes, whatever the caller says of its address', async () => {
      const caller = await Business.open(stack, { certificate: null });
      const urls = [await stack.startApi(LIMITS), await stack.startApi(LIMITS)];
      // Setting up counted already, under the limits of the first process.
      await stack.redis.flushdb();
      const callFrom = (index: number): Promise<Answer<Refused>> =>
        call<Refused>(urls[index % 2]!, 'GET', '/issuers', { apiKey: caller.apiKey, headers: { 'x-forwarded-for': `10.0.0.${index}` } });
      const answers: Answer<Refused>[] = [];
      for (let index = 0; index < 7; index += 1) answers.push(await callFrom(index));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429, 429]);
      expect(answers.map(({ headers }) => headers.get('x-ratelimit-remaining'))).toEqual(['4', '3', '2', '1', '0', '0', '0']);
      const { headers, body } = answers[6]!;
      expect(body.error).toMatchObject({ code: 'RATE_LIMITED', detail: { limit: 5, window_seconds: 60 } });
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
      expect(headers.get('x-ratelimit-limit')).toBe('5');
      expect(headers.get('ratelimit-policy')).toBe('"other";q=5;w=60');
      expect(headers.get('ratelimit')).toMatch(/^"other";r=0;t=\d+$/);

      const documents = await Promise.all(Array.from({ length: 5 }, (_, index) => call(urls[index % 2]!, 'POST', '/documents', { apiKey: caller.apiKey, body: {} })));
      expect(documents.map(({ status }) => status).sort()).toEqual([400, 400, 400, 429, 429]);
      const reads = await Promise.all(Array.from({ length: 6 }, (_, index) => call(urls[index % 2]!, 'GET', `/documents/${randomUUID()}`, { apiKey: caller.apiKey })));
      expect(reads.map(({ status }) => status).sort()).toEqual([404, 404, 404, 404, 429, 429]);
      expect((await call(urls[0]!, 'GET', '/issuers', { apiKey: business.apiKey })).status).toBe(200);
    });

    it('go on per process when Redis cannot be reached, and readiness says so', async () => {
      const url = await stack.startApi({ ...LIMITS, REDIS_URL: 'redis://127.0.0.1:9' });
      const statuses: number[] = [];
      for (let index = 0; index < 6; index += 1) statuses.push((await call(url, 'GET', '/issuers', { apiKey: business.apiKey })).status);
      expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
      const ready = await call(url, 'GET', '/health/ready');
      expect([ready.status, ready.body]).toEqual([200, { status: 'degraded', checks: { postgresql: 'ok', migrations: 'ok', process: 'ok', signing: 'ok', redis: 'degraded' } }]);
    });
  });

  describe('operation', () => {
    it('describes itself', async () => {
      const { status, body } = await call<OpenApi>(stack.apiUrl, 'GET', '/openapi.json');
      expect([status, body.info.version]).toEqual([200, '0.1.0']);
      expect(body.components.schemas['DocumentCreate']?.required?.sort()).toEqual(
        [
          'issuer_id', 'establishment_id', 'emission_point_id', 'document_type', 'issue_date',
          'subtotal', 'total_tax', 'total', 'lines', 'taxes', 'numeric_code',
        ].sort(),
      );
      const issue = body.paths['/documents']?.['post'];
      expect(issue?.description).toContain('`documents:issue`');
      expect(Object.keys(issue?.responses ?? {})).toEqual(expect.arrayContaining(['202', '400', '401', '403', '409', '422', '429', '503']));
      for (const [path, operations] of Object.entries(body.paths)) {
        for (const [method, operation] of Object.entries(operations)) {
          expect([path, method, operation.security ?? path.startsWith('/health/')]).not.toContain(false);
        }
      }
      const page = await fetch(`${stack.apiUrl}/docs`);
      expect([page.status, (await page.text()).includes('swagger-ui')]).toEqual([200, true]);
      expect((await fetch(`${stack.apiUrl}/docs/swagger-ui-init.js`)).status).toBe(200);
    });

    it('describes itself as docs/openapi.json does, but for examples of the day and limits', async () => {
      const told = ['example', 'examples', 'description', 'servers'];
      const shape = (description: unknown): unknown =>
        JSON.parse(JSON.stringify(description, (name, value: unknown) => ((told.includes(name) && typeof value !== 'boolean') || (name === 'limit' && typeof value === 'number') ? undefined : value)));
      const { body } = await call<OpenApi>(stack.apiUrl, 'GET', '/openapi.json');
      expect(shape(body)).toEqual(shape(JSON.parse(readFileSync('docs/openapi.json', 'utf8'))));
    });

    it('health needs no key', async () => {
      expect((await call(stack.apiUrl, 'GET', '/health/live')).body).toEqual({ status: 'ok' });
      const ready = await call(stack.apiUrl, 'GET', '/health/ready');
      expect([ready.status, ready.body]).toEqual([200, { status: 'ok', checks: { postgresql: 'ok', migrations: 'ok', process: 'ok', signing: 'ok', redis: 'ok' } }]);
    });

    it('without PostgreSQL the process lives, is not ready, and answers 503', async () => {
      const before = await stack.startApi({ DATABASE_POOL_SIZE: '2' });
      const database = new URL(stack.ownerUrl).pathname.slice(1);
      const cluster = new pg.Client({ connectionString: fromSetup('TEST_POSTGRES_URL') });
      await cluster.connect();
      await cluster.query(`alter database ${database} connection limit 0`);
      await cluster.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [database]);
      await cluster.end();
      const issuers = await call<Refused>(before, 'GET', '/issuers', { apiKey: business.apiKey });
      expect([issuers.status, issuers.body.error.code, issuers.headers.get('retry-after')]).toEqual([503, 'SERVICE_UNAVAILABLE', '5']);
      const ready = await call<Refused>(before, 'GET', '/health/ready');
      expect([ready.status, ready.body.error.code, ready.headers.get('retry-after')]).toEqual([503, 'SERVICE_UNAVAILABLE', '5']);
      expect((await call(before, 'GET', '/health/live')).status).toBe(200);
    });
  });
});
