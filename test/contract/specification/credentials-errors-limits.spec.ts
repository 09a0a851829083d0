import { Business } from '../../support/business.js';
import { type Answer, call } from '../../support/http.js';
import { type Somebody, member } from '../../support/people.js';
import { WITHOUT_SRI } from '../../support/bad-input.js';
import { type Stack, startStack } from '../../support/stack.js';
import { breaches, ERROR, FIELD_FINDING } from './shapes.js';

type Refused = Record<string, unknown> & { error: { code: string; detail: unknown }; detail?: unknown[] };

/** Interface specification, sections 5, 7, 8 and 9. */
describe('specification: credentials, errors, limits, versioning', () => {
  let stack: Stack;
  let business: Business;
  let viewer: Somebody;

  beforeAll(async () => {
    // The limits of the specification, which are the defaults.
    const limits = { RATE_LIMIT_ISSUE_PER_MINUTE: '60', RATE_LIMIT_READ_PER_MINUTE: '300', RATE_LIMIT_AUTH_PER_MINUTE: '10' };
    stack = await startStack({ workers: 0, simulator: false, env: { ...WITHOUT_SRI, ...limits } });
    business = await Business.open(stack);
    viewer = await member(stack, business.tenantId, 'viewer');
  });
  beforeEach(() => stack.redis.flushdb());
  afterAll(() => stack.stop());

  const bare = (method: string, path: string, headers: Record<string, string> = {}, body?: unknown): Promise<Answer<Refused>> => call<Refused>(stack.apiUrl, method, path, { body, headers });

  describe('5 authentication', () => {
    it('takes a key in X-API-Key, a bearer token in Authorization, and the cookie service_access_token', async () => {
      for (const [name, value] of [['x-api-key', business.apiKey], ['authorization', `Bearer ${viewer.token}`], ['cookie', `service_access_token=${viewer.token}`]] as const) {
        expect([name, (await bare('GET', '/documents', { [name]: value })).status]).toEqual([name, 200]);
      }
    });

    it('takes X-Tenant-Id of the own tenant', async () => {
      expect((await bare('GET', '/documents', { 'x-api-key': business.apiKey, 'x-tenant-id': business.tenantId })).status).toBe(200);
    });

    it('401: a missing, invalid or revoked key, the last at once; 403: a credential without the permission', async () => {
      const invalid = `${business.apiKey.slice(0, -1)}${business.apiKey.endsWith('0') ? '1' : '0'}`;
      for (const key of ['', invalid, 'svc_test_']) {
        const { status, body } = await bare('GET', '/documents', key === '' ? {} : { 'x-api-key': key });
        expect([status, body.error.code]).toEqual([401, 'UNAUTHENTICATED']);
      }
      const made = await business.call<{ id: string; key: string }>('POST', '/auth/api-keys', { name: 'leaked' });
      expect((await bare('GET', '/documents', { 'x-api-key': made.body.key })).status).toBe(200);
      await business.call('DELETE', `/auth/api-keys/${made.body.id}`);
      expect((await bare('GET', '/documents', { 'x-api-key': made.body.key })).status).toBe(401);
      const { status, body } = await viewer.call<Refused>('POST', '/documents', business.invoice());
      expect([status, body.error.code]).toEqual([403, 'FORBIDDEN']);
    });

    it('keys have a name, are shown once, and tell their environment by the prefix', async () => {
      const { status, body } = await business.call('POST', '/auth/api-keys', { name: 'Caja 1' });
      expect([status, body]).toMatchObject([201, { name: 'Caja 1' }]);
      expect(body['key']).toMatch(/^svc_test_/);
      expect(JSON.stringify((await business.call('GET', '/auth/api-keys')).body)).not.toContain(body['key']);
    });
  });

  describe('7 errors', () => {
    it('7.1 come in the envelope, with an id that support can look up', async () => {
      const { body, headers } = await business.call<Refused>('GET', '/documents/8a1f0000-0000-4000-8000-000000000000');
      expect(breaches(ERROR, body.error)).toEqual([]);
      expect((body.error as unknown as { request_id: string }).request_id).toBe(headers.get('x-request-id'));
    });

    it('7.1 of fields carry the list of findings too', async () => {
      const { status, body } = await business.call<Refused>('POST', '/documents', business.invoice({ total: 'x' }));
      expect([status, breaches(ERROR, body.error), body.detail?.flatMap((finding) => breaches(FIELD_FINDING, finding))]).toEqual([422, [], []]);
      expect(body.error.detail).toEqual(body.detail);
    });

    it('7.2 400 for what is no JSON, 404 for no route of ours', async () => {
      const { status, body } = await bare('POST', '/documents', { 'x-api-key': business.apiKey, 'content-type': 'application/json' }, '{"total": ');
      expect([status, body.error.code]).toEqual([400, 'MALFORMED_REQUEST']);
      expect((await business.call('GET', '/nowhere')).status).toBe(404);
    });

    it('7.3 a certificate that is missing, an issuer with a bad RUC, one that is disabled, numbers that are used up', async () => {
      const bareBusiness = await Business.open(stack, { certificate: null });
      expect((await bareBusiness.issue()).body).toMatchObject({ error: { code: 'CERTIFICATE_NOT_FOUND' } });
      for (const ruc of ['1790012345', '9990012345001', '1790012345000']) {
        const { body } = await business.call<Refused>('POST', '/issuers', { ruc, razon_social: 'X', direccion_matriz: 'X', obligado_contabilidad: false });
        expect([ruc, body.error.code]).toEqual([ruc, 'INVALID_RUC']);
      }
      const spent = await Business.open(stack, { initialSequential: 999_999_999 });
      expect((await spent.issue()).status).toBe(202);
      expect((await spent.issue()).body).toMatchObject({ error: { code: 'SEQUENCE_EXHAUSTED' } });
      await stack.database.query('update issuers set disabled_at = now() where id = $1', [spent.issuerId]);
      expect((await spent.issue()).body).toMatchObject({ error: { code: 'ISSUER_DISABLED' } });
    });
  });

  describe('8 limits', () => {
    const upTo = async (limit: number, call: () => Promise<Answer<unknown>>): Promise<void> => {
      const answers: Answer<unknown>[] = [];
      for (let sent = 0; sent <= limit; sent += 20) answers.push(...(await Promise.all(Array.from({ length: Math.min(20, limit + 1 - sent) }, call))));
      const refused = answers.filter(({ status }) => status === 429);
      expect([answers.length, refused.length]).toEqual([limit + 1, 1]);
      const [{ headers }] = refused as [Answer<unknown>];
      expect([headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]).toEqual([String(limit), '0']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    };

    it('60 POST /documents a minute, per key', async () => {
      await upTo(60, () => business.issue({ total: 'x' }));
      const other = await Business.open(stack, { certificate: null });
      expect((await other.issue({ total: 'x' })).status).toBe(422);
    });

    it('300 GET /documents/{document_id}', async () => {
      const id = (await business.call<{ id: string }>('POST', '/documents/drafts', business.invoice())).body.id;
      await upTo(300, () => business.call('GET', `/documents/${id}`));
    });

    it('10 POST /auth/*', async () => {
      await upTo(10, () => bare('POST', '/auth/login', {}, { email: 'nobody@example.com', password: 'x' }));
    });
  });

  it('9 the interface description is of version 0.1.0, and no path carries one', async () => {
    const { body } = await call<{ info: { version: string }; paths: Record<string, unknown> }>(stack.apiUrl, 'GET', '/openapi.json');
    expect(body.info.version).toBe('0.1.0');
    expect(Object.keys(body.paths).filter((path) => /\/v\d/.test(path))).toEqual([]);
  });
});
