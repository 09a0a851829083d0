import { createHmac, createPrivateKey, createPublicKey, createHash, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ApiClient } from '../../src/local/api-client.js';
import { createDemoTenant, makeDemoCompany } from '../../src/local/demo-tenant.js';
import { cookiesOf, logIn, newAddress, type Owner, PASSWORD, rawStatus, signUp } from '../support/callers.js';
import { fromSetup } from '../support/database.js';
import { type Answer, call, type Json } from '../support/http.js';
import { type Stack, startStack } from '../support/stack.js';

const PANEL = 'https://panel.example';
/** More of them for a closer look: 1000. */
const LOGIN_SAMPLES = Number(process.env['LOGIN_SAMPLES'] ?? '60');
const plain = ({ status, body }: Answer<Json>): unknown => [status, body?.error?.code, body?.error?.message, body?.error?.detail];
const REFUSED = expect.arrayContaining([401, 'UNAUTHENTICATED', null]) as unknown;

describe('credentials', () => {
  let stack: Stack;
  let api: string;
  let owner: Owner;
  let apiKey: string;

  beforeAll(async () => {
    stack = await startStack({ workers: 0, simulator: false, env: { ALLOWED_ORIGINS: PANEL } });
    api = stack.apiUrl;
    owner = await signUp(api);
    apiKey = (await createDemoTenant(stack.ownerUrl, api, await makeDemoCompany())).api_key;
  });
  afterAll(() => stack.stop());

  it('lets pages of the panel show logos and printed documents, and others frame nothing', async () => {
    const { headers } = await call(api, 'GET', '/issuers', { apiKey });
    expect([headers.get('cross-origin-resource-policy'), headers.get('x-frame-options')]).toEqual(['same-site', null]);
    expect(headers.get('content-security-policy')?.split(';')).toContain(`frame-ancestors 'self' ${PANEL}`);
  });

  const issuers = (options: Parameters<typeof call>[3]) => call(api, 'GET', '/issuers', options);

  describe('API keys (B106, B107)', () => {
    it.each([
      ['none', {}],
      ['empty', { 'X-API-Key': '' }],
      ['a wrong prefix', { 'X-API-Key': `svc_prod_${'a'.repeat(38)}` }],
      ['a right prefix and a wrong secret', { 'X-API-Key': `svc_test_${'a'.repeat(38)}` }],
      ['of 8 KB', { 'X-API-Key': 'x'.repeat(8_192) }],
      ['with a scheme', { Authorization: 'ApiKey svc_test_x' }],
      ['basic credentials', { Authorization: `Basic ${Buffer.from('a:b').toString('base64')}` }],
      ['bytes above ASCII', { 'X-API-Key': 'svc_test_\u00f1' }],
    ])('refuses %s', async (_what, headers) => {
      expect(plain(await issuers({ headers }))).toEqual(REFUSED);
    });

    it('refuses a key that is cut, spaced, doubled, or sent elsewhere', async () => {
      expect((await issuers({ apiKey })).status).toBe(200);
      for (const spoiled of [apiKey.slice(0, -1), `${apiKey}x`, `${apiKey} ${apiKey}`, `${apiKey},${apiKey}`, apiKey.toUpperCase()]) {
        expect(plain(await issuers({ apiKey: spoiled }))).toEqual(REFUSED);
      }
      expect((await call(api, 'GET', `/issuers?api_key=${apiKey}&X-API-Key=${apiKey}`)).status).toBe(401);
      expect((await call(api, 'POST', '/issuers', { body: { api_key: apiKey, 'X-API-Key': apiKey } })).status).toBe(401);
      expect((await issuers({ cookie: `X-API-Key=${apiKey}` })).status).toBe(401);
      const logged = readdirSync(stack.logFolder).map((file) => readFileSync(join(stack.logFolder, file), 'utf8')).join('');
      expect(logged).not.toContain(apiKey);
    });

    it('refuses a header given twice, even when both are good', async () => {
      expect(await rawStatus(api, ['GET /issuers HTTP/1.1', `X-API-Key: ${apiKey}`])).toBe(200);
      expect(await rawStatus(api, ['GET /issuers HTTP/1.1', `X-API-Key: ${apiKey}`, `X-API-Key: ${apiKey}`])).toBe(401);
      expect(await rawStatus(api, ['GET /issuers HTTP/1.1', `Authorization: Bearer ${owner.token}`])).toBe(200);
      expect(await rawStatus(api, ['GET /issuers HTTP/1.1', `Authorization: Bearer ${owner.token}`, `authorization: Bearer ${owner.token}`])).toBe(401);
      expect(await rawStatus(api, ['GET /issuers HTTP/1.1', `Authorization: Bearer ${owner.token}`, `X-Tenant-Id: ${owner.tenantId}`, `X-Tenant-Id: ${owner.tenantId}`])).toBe(403);
    });

    it('answers an unknown key as a wrong one, and a key on a route for people with 403', async () => {
      const known = await issuers({ apiKey: apiKey.slice(0, -1) });
      expect(plain(await issuers({ apiKey: 'svc_test_x' }))).toEqual(plain(known));
      expect((await call(api, 'GET', '/auth/me', { apiKey })).status).toBe(403);
    });
  });

  describe('of several principals', () => {
    it('are refused together, those of one session are not', async () => {
      const cookie = `service_access_token=${owner.token}`;
      const other = await signUp(api);
      expect((await issuers({ apiKey, token: owner.token })).status).toBe(401);
      expect((await issuers({ apiKey, cookie })).status).toBe(401);
      expect((await issuers({ token: owner.token, cookie })).status).toBe(200);
      expect((await issuers({ token: other.token, cookie })).status).toBe(401);
      expect((await issuers({ token: owner.token, cookie: 'service_access_token=garbage' })).status).toBe(401);
      expect((await issuers({ cookie: `${cookie}; service_access_token=${other.token}` })).status).toBe(401);
      const basic = `Basic ${Buffer.from('a:b').toString('base64')}`;
      for (const beside of [{ headers: { Authorization: `Bearer ${owner.token}` } }, { headers: { Authorization: basic } }, { headers: { Authorization: '' } }, { cookie }, { cookie: `${cookie}; ${cookie}` }]) {
        const { status, body } = await call(api, 'GET', '/issuers', { apiKey, ...beside });
        expect([beside, status, body.error.detail]).toEqual([beside, 401, { reason: 'conflicting_credentials' }]);
      }
      expect((await issuers({ headers: { Authorization: basic } })).body.error.detail).toBeNull();
      const again = await logIn(api, owner.email);
      expect((await issuers({ token: again.body.access_token, cookie })).status).toBe(401);
    });
  });

  describe('access tokens (B108, S15)', () => {
    const ours = createPrivateKey(fromSetup('TEST_TOKEN_KEYS'));
    const foreign = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const publicPem = createPublicKey(ours).export({ type: 'spki', format: 'pem' }).toString();
    const foreignJwk = createPublicKey(foreign).export({ format: 'jwk' });
    const encode = (text: string): string => Buffer.from(text).toString('base64url');
    const signed = (header: string, payload: string, key: KeyObject = ours): string => {
      const text = `${encode(header)}.${encode(payload)}`;
      return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
    };
    const parts = (token: string): [Record<string, unknown>, Record<string, unknown>] =>
      token.split('.').slice(0, 2).map((part) => JSON.parse(Buffer.from(part, 'base64url').toString())) as [Record<string, unknown>, Record<string, unknown>];
    /** The owner's token made anew with some of it changed, signed by our own key unless said. */
    const forged = (change: { header?: object; claims?: object; key?: KeyObject }): string => {
      const [header, claims] = parts(owner.token);
      return signed(JSON.stringify({ ...header, ...change.header }), JSON.stringify({ ...claims, ...change.claims }), change.key);
    };

    it('are short-lived, typed, and carry no right', () => {
      const [header, claims] = parts(owner.token);
      expect(header).toEqual({ alg: 'RS256', typ: 'at+jwt', kid: createHash('sha256').update(JSON.stringify((({ e, kty, n }) => ({ e, kty, n }))(createPublicKey(ours).export({ format: 'jwk' })))).digest('base64url') });
      expect(Object.keys(claims).sort()).toEqual(['aud', 'exp', 'iat', 'iss', 'nbf', 'sid', 'sub', 'tv']);
      expect(Number(claims['exp']) - Number(claims['iat'])).toBe(900);
      // Another process, whose clock is behind, takes it at once.
      expect(Number(claims['iat']) - Number(claims['nbf'])).toBe(30);
    });

    it('may be made anew by whoever has the key: so the refusals below are for what was changed', async () => {
      expect((await issuers({ token: forged({}) })).status).toBe(200);
    });

    const now = Math.floor(Date.now() / 1_000);
    it.each<[string, () => string]>([
      ['alg none', () => { const [header, claims] = parts(owner.token); return `${encode(JSON.stringify({ ...header, alg: 'none' }))}.${encode(JSON.stringify(claims))}.`; }],
      ['alg none with a signature', () => forged({ header: { alg: 'none' } })],
      ['HS256 with the public key as its secret', () => {
        const [header, claims] = parts(owner.token);
        const text = `${encode(JSON.stringify({ ...header, alg: 'HS256' }))}.${encode(JSON.stringify(claims))}`;
        return `${text}.${createHmac('sha256', publicPem).update(text).digest('base64url')}`;
      }],
      ['RS512', () => forged({ header: { alg: 'RS512' } })],
      ['a foreign key under our key id', () => forged({ key: foreign })],
      ['an unknown key id', () => forged({ header: { kid: 'other' }, key: foreign })],
      ['a path for a key id', () => forged({ header: { kid: '../../../../dev/null' } })],
      ['SQL for a key id', () => forged({ header: { kid: "x' union select 'secret" } })],
      ['no key id', () => forged({ header: { kid: undefined } })],
      ['a key of its own in jwk', () => forged({ header: { jwk: foreignJwk }, key: foreign })],
      ['jku beside our own signature', () => forged({ header: { jku: 'https://evil.example/jwks' } })],
      ['x5u', () => forged({ header: { x5u: 'https://evil.example/cert' } })],
      ['crit', () => forged({ header: { crit: ['exp'] } })],
      ['another type', () => forged({ header: { typ: 'JWT' } })],
      ['an expired token', () => forged({ claims: { iat: now - 2_000, exp: now - 1_100 } })],
      ['a token without an end', () => forged({ claims: { exp: undefined } })],
      ['a token that lives for a year', () => forged({ claims: { exp: now + 31_536_000 } })],
      ['a token of the future', () => forged({ claims: { nbf: now + 300 } })],
      ['another audience', () => forged({ claims: { aud: 'sello-api-production' } })],
      ['another issuer', () => forged({ claims: { iss: 'https://accounts.google.com' } })],
      ['no subject', () => forged({ claims: { sub: undefined } })],
      ['another subject in our session', () => forged({ claims: { sub: randomUUID() } })],
      ['a session that does not exist', () => forged({ claims: { sid: randomUUID() } })],
      ['an id that is none', () => forged({ claims: { sid: "' or true --" } })],
      ['an earlier state of the account', () => forged({ claims: { tv: 0 } })],
      ['a claim given twice', () => { const [header, claims] = parts(owner.token); return signed(JSON.stringify(header), JSON.stringify(claims).replace('{', `{"sub":"${randomUUID()}",`)); }],
      ['a header given twice', () => { const [header, claims] = parts(owner.token); return signed(JSON.stringify(header).replace('{', '{"alg":"none",'), JSON.stringify(claims)); }],
      ['a changed payload', () => { const [head = '', , tail = ''] = owner.token.split('.'); return `${head}.${encode(JSON.stringify({ ...parts(owner.token)[1], tv: 99 }))}.${tail}`; }],
      ['a refresh token', () => owner.refreshToken],
      ['an ID token', () => forged({ header: { typ: 'JWT' }, claims: { nonce: 'x', email: 'a@example.com' } })],
      ['a fourth part', () => `${owner.token}.x`],
      ['two parts', () => owner.token.split('.').slice(0, 2).join('.')],
      ['nonsense', () => 'nonsense'],
      ['12 KB', () => forged({ claims: { filler: 'x'.repeat(9_000) } })],
    ])('are refused alike: %s', async (_what, make) => {
      const [answer, absent] = [await issuers({ token: make() }), await issuers({})];
      expect(plain(answer)).toEqual(plain(absent));
      expect((await issuers({ cookie: `service_access_token=${make()}` })).status).toBe(401);
    });

    it('survive no token of 100 KB', async () => {
      // The server answers and hangs up while the rest is still on its way.
      const status = await rawStatus(api, ['GET /issuers HTTP/1.1', `Authorization: Bearer ${'x'.repeat(100_000)}`]).catch((error: unknown) => (error as NodeJS.ErrnoException).code);
      expect([401, 431, 'ECONNRESET', 'EPIPE']).toContain(status);
      expect((await issuers({ token: owner.token })).status).toBe(200);
    });

    it('verify with an older key too, until it is taken away', async () => {
      const next = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
      const rotated = await stack.startApi({ TOKEN_KEYS: next + publicPem });
      expect((await call(rotated, 'GET', '/issuers', { token: owner.token })).status).toBe(200);
      const fresh = await logIn(rotated, owner.email);
      expect((await call(rotated, 'GET', '/issuers', { token: fresh.body.access_token })).status).toBe(200);
      expect((await issuers({ token: fresh.body.access_token })).status).toBe(401);
    });
  });

  describe('act no more at once (B109)', () => {
    it.each([
      ['of a removed member', 'delete from members where user_id = $1', 403, 'no_active_membership'],
      ['of a suspended member', `update members set status = 'suspended' where user_id = $1`, 403, 'no_active_membership'],
      ['of a demoted member', `update members set role = 'viewer' where user_id = $1`, 403, undefined],
      ['of a disabled user', 'update users set disabled_at = now() where id = $1', 401, undefined],
      ['of an earlier state of the account', 'update users set token_version = token_version + 1 where id = $1', 401, undefined],
      ['of an ended session', 'update sessions set ended_at = now() where user_id = $1', 401, undefined],
      ['of an expired session', `update sessions set expires_at = now() - interval '1 second' where user_id = $1`, 401, undefined],
      ['of a closed tenant', 'update tenants set is_active = false where id in (select tenant_id from members where user_id = $1)', 403, 'no_active_membership'],
    ])('%s', async (_what, change, status, reason) => {
      const person = await signUp(api);
      const write = () => call(api, 'POST', '/issuers', { token: person.token, body: {} });
      expect((await write()).status).toBe(400);
      await stack.database.query(change, [person.userId]);
      const refused = await write();
      expect([refused.status, refused.body.error.detail?.reason]).toEqual([status, reason]);
      const refreshed = await call(api, 'POST', '/auth/refresh', { body: { refresh_token: person.refreshToken } });
      // Only what ends the session itself ends its renewal.
      expect(refreshed.status).toBe(/disabled_at|ended_at|expires_at/.test(change) ? 401 : 200);
    });
  });

  describe('log in (B110, S12, S13)', () => {
    it.each([
      ['a wrong password', () => owner.email, 'otras palabras distintas'],
      ['another case', () => owner.email, PASSWORD.toUpperCase()],
      ['leading spaces', () => owner.email, ` ${PASSWORD}`],
      ['trailing spaces', () => owner.email, `${PASSWORD} `],
      ['a NUL behind it', () => owner.email, `${PASSWORD}\u0000x`],
      ['only its beginning', () => owner.email, PASSWORD.slice(0, -1)],
      ['nothing', () => owner.email, ''],
      ['an unknown address', newAddress, PASSWORD],
    ])('refuses %s with one answer', async (_what, email, password) => {
      expect(plain(await logIn(api, email(), password))).toEqual(plain(await logIn(api, newAddress(), 'x')));
    });

    it('refuses what no password can be', async () => {
      expect((await logIn(api, owner.email, 'x'.repeat(257))).status).toBe(422);
      expect((await logIn(api, owner.email, 'x'.repeat(10_000_000))).status).toBe(413);
    });

    it('tells passwords apart beyond 72 bytes, and takes any character', async () => {
      const long = `${'ñ'.repeat(60)} y algo más Z9`;
      const person = await signUp(api, newAddress(), long);
      expect((await logIn(api, person.email, long)).status).toBe(200);
      expect((await logIn(api, person.email, `${long.slice(0, -1)}8`)).status).toBe(401);
      expect((await logIn(api, person.email, long.normalize('NFD'))).status).toBe(200);
    });

    it('answers a forgotten password alike for all', async () => {
      const answers = await Promise.all([owner.email, newAddress()].map((email) => call(api, 'POST', '/auth/password/forgot', { body: { email } })));
      expect(answers.map(({ status, text }) => [status, text])).toEqual([[202, ''], [202, '']]);
    });

    // Kolmogorov and Smirnov at one in a thousand.
    it('takes as long for an unknown address as for a known one', async () => {
      const person = await signUp(api);
      const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] };
      for (let round = 0; round < LOGIN_SAMPLES; round += 1) {
        for (const who of ['known', 'unknown'] as const) {
          // Locked accounts count no more, so that all rounds do the same.
          const started = performance.now();
          await logIn(api, who === 'known' ? person.email : newAddress(), 'otras palabras distintas');
          times[who].push(performance.now() - started);
        }
      }
      expect(ksDistance(times.known, times.unknown)).toBeLessThan(1.95 * Math.sqrt(2 / LOGIN_SAMPLES));
    }, 300_000);
  });

  describe('in cookies (B113, S18, S19)', () => {
    const post = (headers: Record<string, string>, body?: string, cookie = `service_access_token=${owner.token}`) => call(api, 'POST', '/issuers', { cookie, headers, ...(body === undefined ? {} : { body }) });

    it.each([
      ['no origin', {}],
      ['origin null', { Origin: 'null' }],
      ['another origin', { Origin: 'https://evil.example' }],
      ['a name that begins alike', { Origin: `${PANEL}.evil.example` }],
      ['a name that ends alike', { Origin: 'https://evil-panel.example' }],
      ['a sub-domain', { Origin: 'https://x.panel.example' }],
      ['another scheme', { Origin: 'http://panel.example' }],
      ['another port', { Origin: `${PANEL}:8443` }],
      ['a slash behind it', { Origin: `${PANEL}/` }],
      ['two origins', { Origin: `${PANEL}, https://evil.example` }],
    ])('change nothing with %s', async (_what, headers) => {
      const answer = await post(headers, '{}');
      expect([answer.status, answer.body.error.detail]).toEqual([403, { reason: 'origin' }]);
      for (const contentType of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x']) {
        expect((await post({ ...headers, 'Content-Type': contentType }, 'a=b')).status).toBe(403);
      }
    });

    it('change nothing with a body that a form can send, even from our own page', async () => {
      for (const contentType of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x', 'application/jsonp']) {
        expect((await post({ Origin: PANEL, 'Content-Type': contentType }, 'a=b')).status).toBe(403);
      }
    });

    it('act from our own pages, read from anywhere, and need no origin beside a header', async () => {
      expect((await post({ Origin: PANEL }, '{}')).status).toBe(400);
      expect((await post({ Origin: api }, '{}')).status).toBe(400);
      expect((await issuers({ cookie: `service_access_token=${owner.token}` })).status).toBe(200);
      expect((await call(api, 'POST', '/issuers', { token: owner.token, body: {}, headers: { Origin: 'https://evil.example' } })).status).toBe(400);
      const refresh = cookiesOf(await logIn(api, owner.email, PASSWORD, { cookie: true }));
      expect((await call(api, 'POST', '/auth/refresh', { cookie: refresh, body: {} })).status).toBe(403);
    });

    it('are secure outside one machine', async () => {
      const sandbox = await startStack({ workers: 0, simulator: false, env: { APP_ENV: 'sandbox' } });
      const person = await signUp(sandbox.apiUrl);
      const signedIn = await logIn(sandbox.apiUrl, person.email, PASSWORD, { cookie: true });
      expect(signedIn.headers.getSetCookie().every((cookie) => /; HttpOnly; Secure; SameSite=(?:Lax|Strict)$/.test(cookie) && !/Domain/i.test(cookie))).toBe(true);
      await sandbox.stop();
    });
  });

  describe('across origins (S20)', () => {
    const preflight = (origin: string) =>
      call(api, 'OPTIONS', '/issuers', { headers: { Origin: origin, 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'content-type' } });

    it('lets the pages of the list go on with a stream of events', async () => {
      expect((await preflight(PANEL)).headers.get('access-control-allow-headers')).toContain('Last-Event-ID');
    });

    it('lets the pages of the list read, and names them', async () => {
      for (const answer of [await preflight(PANEL), await issuers({ token: owner.token, headers: { Origin: PANEL } })]) {
        expect(answer.headers.get('access-control-allow-origin')).toBe(PANEL);
        expect(answer.headers.get('access-control-allow-credentials')).toBe('true');
        expect(answer.headers.get('vary')).toMatch(/Origin/);
      }
      const exposed = (await issuers({ token: owner.token, headers: { Origin: PANEL } })).headers.get('access-control-expose-headers')?.split(',');
      expect(exposed).toEqual(expect.arrayContaining(['X-Request-Id', 'Retry-After', 'Idempotent-Replayed', 'Preference-Applied', 'Content-Disposition']));
    });

    it.each(['null', 'https://evil.example', `${PANEL}.evil.example`, 'https://x.panel.example', 'http://panel.example', '*'])('lets no page of %s read', async (origin) => {
      expect((await preflight(origin)).headers.get('access-control-allow-origin')).toBeNull();
      expect((await issuers({ token: owner.token, headers: { Origin: origin } })).headers.get('access-control-allow-origin')).toBeNull();
    });
  });

  it('of a person issue documents, as far as their role goes', async () => {
    const demo = await createDemoTenant(stack.ownerUrl, api, await makeDemoCompany());
    const person = await signUp(api);
    await stack.database.query('update members set tenant_id = $2, role = $3 where user_id = $1', [person.userId, demo.tenant_id, 'viewer']);
    const asKey = new ApiClient(api, demo.api_key);
    expect(await asKey.get<{ total: number }>('/issuers')).toMatchObject({ total: 1 });
    const read = await call(api, 'GET', `/issuers/${demo.issuer_id}`, { token: person.token });
    expect([read.status, read.body.ruc]).toEqual([200, demo.ruc]);
    const denied = await call(api, 'POST', '/documents', { token: person.token, body: {} });
    expect([denied.status, denied.body.error.detail]).toEqual([403, { permission: 'documents:issue' }]);
    await stack.database.query('update members set role = $2 where user_id = $1', [person.userId, 'billing_operator']);
    expect((await call(api, 'POST', '/documents', { token: person.token, body: {} })).status).toBe(400);
  });
});

/** Greatest difference of two empirical distributions (Kolmogorov, Smirnov). */
function ksDistance(left: readonly number[], right: readonly number[]): number {
  const below = (sample: readonly number[], limit: number): number => sample.filter((value) => value <= limit).length / sample.length;
  return Math.max(...[...left, ...right].map((limit) => Math.abs(below(left, limit) - below(right, limit))));
}
