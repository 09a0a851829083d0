import { randomUUID } from 'node:crypto';
import { CryptoChance } from '../../src/platform/adapters/crypto-chance.js';
import { generateApiKey } from '../../src/platform/security/api-key.js';
import { newAddress, PASSWORD, signUp } from '../support/callers.js';
import { type Answer, call, type Json } from '../support/http.js';
import { type Stack, startStack } from '../support/stack.js';

/** Everything that proves who somebody is: 10 calls a minute per address, and 50 per account (B111, S14). */
describe('rate limits of /auth', () => {
  let stack: Stack;

  // A proxy that is believed lets one machine call from many addresses.
  beforeAll(async () => {
    stack = await startStack({ api: 2, workers: 0, simulator: false, env: { RATE_LIMIT_AUTH_PER_MINUTE: '10', RATE_LIMIT_RENAME_PER_HOUR: '3', TRUSTED_PROXIES: '127.0.0.1' } });
  });
  beforeEach(() => stack.redis.flushdb());
  afterAll(() => stack.stop());

  let calls = 0;
  const logIn = (email: string, address: string, body: object = {}): Promise<Answer<Json>> =>
    call(stack.apiUrls[calls++ % 2] ?? '', 'POST', '/auth/login', { body: { email, password: 'wrong', ...body }, headers: { 'X-Forwarded-For': address } });
  const statuses = async (answers: readonly Promise<Answer<Json>>[]): Promise<number[]> => (await Promise.all(answers)).map(({ status }) => status);
  const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_unused, index) => make(index));

  it('hold for an address, whatever account it tries, exactly and across processes', async () => {
    const answers = await statuses(times(25, () => logIn(newAddress(), '203.0.113.1')));
    expect(answers.filter((status) => status === 401)).toHaveLength(10);
    expect(answers.filter((status) => status === 429)).toHaveLength(15);
    expect((await logIn(newAddress(), '203.0.113.2')).status).toBe(401);
  });

  it('say when to come again', async () => {
    await Promise.all(times(10, () => logIn(newAddress(), '203.0.113.3')));
    const { status, headers, body } = await logIn(newAddress(), '203.0.113.3');
    expect([status, body.error.code, body.error.detail]).toEqual([429, 'RATE_LIMITED', { limit: 10, window_seconds: 60 }]);
    expect([headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining'), headers.get('ratelimit-policy')]).toEqual(['10', '0', '"auth";q=10;w=60']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
  });

  it('hold for an account, from wherever and however it is written, whether it exists or not', async () => {
    const email = newAddress();
    const written = [email, email.toUpperCase(), ` ${email} `, `\t${email}`];
    const answers = await statuses(times(54, (index) => logIn(written[index % 4] ?? email, `203.0.113.${10 + (index % 9)}`)));
    expect(answers.filter((status) => status === 429)).toHaveLength(4);
    const { headers, body } = await logIn(email, '203.0.113.19');
    expect([body.error.detail, headers.get('ratelimit-policy')]).toEqual([{ limit: 50, window_seconds: 60 }, '"account";q=50;w=60']);
  });

  it('let no single address keep the owner out, and nobody keep them from a reset, after which they begin anew', async () => {
    const email = newAddress();
    const signedUp = { email, password: 'cuatro palabras al azar', name: 'Ana', tenant_name: 'Andina' };
    await call(stack.apiUrl, 'POST', '/auth/signup', { body: signedUp, headers: { 'X-Forwarded-For': '203.0.113.180' } });
    // Nine in a row do not lock the account, and more than the address may are refused.
    await Promise.all(times(9, () => logIn(email, '203.0.113.181')));
    await Promise.all(times(20, () => logIn(newAddress(), '203.0.113.181')));
    expect((await logIn(email, '203.0.113.182', { password: signedUp.password })).status).toBe(200);
    await Promise.all(times(60, (index) => logIn(email, `203.0.113.${190 + (index % 10)}`)));
    expect((await logIn(email, '203.0.113.182', { password: signedUp.password })).status).toBe(429);
    const forgot = () => call(stack.apiUrl, 'POST', '/auth/password/forgot', { body: { email }, headers: { 'X-Forwarded-For': '203.0.113.182' } });
    expect(await statuses(times(5, forgot))).toEqual(Array(5).fill(202));
    await stack.database.query(
      `insert into one_time_tokens (token_hash, purpose, user_id, created_at, expires_at)
       select sha256('mailed'), 'reset_password', id, now(), now() + interval '1 hour' from users where email = $1`, [email]);
    const reset = (token: string) => call(stack.apiUrl, 'POST', '/auth/password/reset', { body: { token, password: 'otras palabras distintas' }, headers: { 'X-Forwarded-For': '203.0.113.183' } });
    expect((await reset('guessed')).status).toBe(401);
    expect((await logIn(email, '203.0.113.183', { password: signedUp.password })).status).toBe(429);
    expect((await reset('mailed')).status).toBe(204);
    expect((await logIn(email, '203.0.113.183', { password: 'otras palabras distintas' })).status).toBe(200);
  });

  it('leave an account alone where the address is refused, or where the call knows no account', async () => {
    const email = newAddress();
    await Promise.all(times(10, () => logIn(newAddress(), '203.0.113.90')));
    expect(await statuses(times(15, () => logIn(email, '203.0.113.90')))).toEqual(Array(15).fill(429));
    const elsewhere = (path: string, index: number) => call(stack.apiUrl, 'POST', `/auth/${path}`, { body: { email }, headers: { 'X-Forwarded-For': `203.0.113.${100 + index}` } });
    expect(await statuses(times(12, (index) => elsewhere(['logout', 'refresh', 'email/verify', 'password/forgot'][index % 4] ?? '', index)))).not.toContain(429);
    expect(await statuses(times(50, (index) => logIn(email, `203.0.113.${92 + (index % 5)}`)))).toEqual(Array(50).fill(401));
    expect((await logIn(email, '203.0.113.97')).status).toBe(429);
  });

  it('count spellings for the account that they are looked up as', async () => {
    // J with a caron exists as one character in lower case only, so it matters what is done first.
    const tail = newAddress();
    const written = [`J\u030C${tail}`, `j\u030C${tail}`, `\u01F0${tail}`, `\u00A0J\u030C${tail.toUpperCase()}\u3000`];
    const answers = await statuses(times(54, (index) => logIn(written[index % 4] ?? '', `203.0.113.${30 + (index % 9)}`)));
    expect([answers.filter((status) => status === 401).length, answers.filter((status) => status === 429).length]).toEqual([50, 4]);
  });

  it('count every such call alike, also those that are refused for their form', async () => {
    const paths = ['login', 'signup', 'refresh', 'password/forgot', 'password/reset', 'email/verify', 'invitations/accept', 'logout', 'google/link', 'api-keys'];
    const post = (path: string) => call(stack.apiUrl, 'POST', `/auth/${path}`, { body: {}, headers: { 'X-Forwarded-For': '203.0.113.50' } });
    for (const path of paths) expect((await post(path)).status).not.toBe(429);
    for (const path of [...paths, 'invitations/look', 'password/change']) expect((await post(path)).status).toBe(429);
  });

  it('count those with a credential that is none', async () => {
    const tried = (path: string) => call(stack.apiUrl, 'POST', `/auth/${path}`, { token: 'e30.e30.e30', body: {}, headers: { 'X-Forwarded-For': '203.0.113.60' } });
    const answers = await statuses(times(12, (index) => tried(index % 2 === 0 ? 'logout' : 'invitations/accept')));
    expect(answers.filter((status) => status === 401)).toHaveLength(10);
    expect(answers.filter((status) => status === 429)).toHaveLength(2);
  });

  it('count the addresses that one customer of IPv6 has as one', async () => {
    const answers = await statuses(times(12, (index) => logIn(newAddress(), `2001:db8:1:2::${index.toString(16)}`)));
    expect(answers.filter((status) => status === 429)).toHaveLength(2);
    expect((await logIn(newAddress(), '2001:db8:1:3::1')).status).toBe(401);
  });

  it('believe no forwarded address when no proxy is trusted', async () => {
    const alone = await startStack({ workers: 0, simulator: false, env: { RATE_LIMIT_AUTH_PER_MINUTE: '10' } });
    const spoofed = (index: number) =>
      call(alone.apiUrl, 'POST', '/auth/login', { body: { email: newAddress(), password: 'wrong' }, headers: { 'X-Forwarded-For': `198.51.100.${index}`, Forwarded: `for=198.51.100.${index}`, 'X-Real-IP': `198.51.100.${index}` } });
    expect((await statuses(times(12, spoofed))).filter((status) => status === 429)).toHaveLength(2);
    await alone.stop();
  });

  it('hold for a signed-in person from many addresses', async () => {
    const signed = await call(stack.apiUrl, 'POST', '/auth/signup', { body: { email: newAddress(), password: 'cuatro palabras al azar', name: 'Ana', tenant_name: 'Andina' }, headers: { 'X-Forwarded-For': '203.0.113.70' } });
    const link = (index: number) =>
      call(stack.apiUrl, 'POST', '/auth/google/link', { token: signed.body.access_token, body: { link_token: 'x' }, headers: { 'X-Forwarded-For': `203.0.113.${80 + index}` } });
    expect((await statuses(times(13, link))).filter((status) => status === 429)).toHaveLength(3);
  });

  it('hold for who guesses a password with a session', async () => {
    const signed = await call(stack.apiUrl, 'POST', '/auth/signup', { body: { email: newAddress(), password: 'cuatro palabras al azar', name: 'Ana', tenant_name: 'Andina' }, headers: { 'X-Forwarded-For': '203.0.113.71' } });
    const body = { current_password: 'wrong', password: 'otras palabras distintas' };
    const guess = (index: number) =>
      call(stack.apiUrls[index % 2] ?? '', 'POST', '/auth/password/change', { token: signed.body.access_token, body, headers: { 'X-Forwarded-For': `203.0.113.${120 + index}` } });
    const answers = await Promise.all(times(13, guess));
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(10);
    expect(answers.filter(({ headers }) => headers.get('ratelimit-policy') === '"auth";q=10;w=60')).toHaveLength(13);
  });

  it('hold for new names of a person by the hour, for each is a line in the audit logs', async () => {
    const { body: { access_token: token } } = await call(stack.apiUrl, 'POST', '/auth/signup', { body: { email: newAddress(), password: 'cuatro palabras al azar', name: 'Ana', tenant_name: 'Andina' } });
    const rename = (index: number) => call(stack.apiUrls[index % 2] ?? '', 'PATCH', '/auth/me', { token, body: { name: `Ana ${index}` } });
    for (let index = 0; index < 3; index += 1) expect((await rename(index)).status).toBe(200);
    const { status, headers, body } = await rename(3);
    expect([status, body.error.detail, headers.get('ratelimit-policy')]).toEqual([429, { limit: 3, window_seconds: 3_600 }, '"rename";q=3;w=3600']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(60);
    const me = await call(stack.apiUrl, 'GET', '/auth/me', { token });
    expect([me.status, me.body.name]).toEqual([200, 'Ana 2']);
    expect(await stack.database.query(`select from audit_log where tenant_id = $1 and action = 'person.renamed'`, [me.body.memberships[0].tenant_id])).toHaveLength(3);
  });

  it('hold for what the caller may not do as well', async () => {
    const api = await stack.startApi({ RATE_LIMIT_OTHER_PER_MINUTE: '3' });
    const owner = await call(stack.apiUrl, 'POST', '/auth/signup', { body: { email: newAddress(), password: 'cuatro palabras al azar', name: 'Ana', tenant_name: 'Andina' } });
    const answers: number[] = [];
    for (let index = 0; index < 4; index += 1) answers.push((await call(api, 'GET', '/platform/tenants', { token: owner.body.access_token })).status);
    expect(answers).toEqual([403, 403, 403, 429]);
  });

  it('hold for who names a tenant that is not theirs', async () => {
    const api = await stack.startApi({ RATE_LIMIT_OTHER_PER_MINUTE: '3' });
    const owner = await signUp(api);
    const key = (await call(stack.apiUrl, 'POST', '/auth/api-keys', { token: owner.token, body: { name: 'Caja' } })).body.key as string;
    await stack.redis.flushdb();
    for (const caller of [{ token: owner.token }, { apiKey: key }]) {
      const named = [randomUUID(), 'x', randomUUID(), 'x'];
      const answers = await Promise.all(named.map((tenant) => call(api, 'GET', '/issuers', { ...caller, headers: { 'X-Tenant-Id': tenant } })));
      expect(answers.map(({ status }) => status).sort()).toEqual([403, 403, 403, 429]);
      expect((await call(api, 'GET', '/issuers', caller)).status).toBe(429);
    }
  });

  it('hold for an address whose keys are none, and leave a good one from there alone', async () => {
    const api = await stack.startApi({ RATE_LIMIT_OTHER_PER_MINUTE: '3', TRUSTED_PROXIES: '127.0.0.1' });
    const owner = await signUp(stack.apiUrl);
    const from = (address: string, credential: object): Promise<Answer<Json>> => call(api, 'GET', '/issuers', { ...credential, headers: { 'X-Forwarded-For': address } });
    const key = (await call(stack.apiUrl, 'POST', '/auth/api-keys', { token: owner.token, body: { name: 'Caja' } })).body.key as string;
    const invented = [{ apiKey: generateApiKey(new CryptoChance(), 'TEST').clear }, { apiKey: 'garbage' }, { apiKey: 'garbage' }, { apiKey: 'garbage' }];
    const statuses: number[] = [];
    for (const credential of invented) statuses.push((await from('203.0.113.200', credential)).status);
    expect(statuses).toEqual([401, 401, 401, 429]);
    const { body, headers } = await from('203.0.113.200', { apiKey: 'garbage' });
    expect([body.error.code, body.error.detail, headers.get('ratelimit-policy')]).toEqual(['RATE_LIMITED', { limit: 3, window_seconds: 60 }, '"refused";q=3;w=60']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    for (const credential of [{ apiKey: key }, { token: owner.token }]) expect((await from('203.0.113.200', credential)).status).toBe(200);
    // Who has to refresh a token, or to sign in, is told so.
    for (const credential of [{ token: 'e30.e30.e30' }, {}]) expect((await from('203.0.113.200', credential)).status).toBe(401);
    expect((await from('203.0.113.201', { apiKey: 'garbage' })).status).toBe(401);
  });

  it('hold for an address with the token of a session that has ended, and leave its person alone', async () => {
    const api = await stack.startApi({ RATE_LIMIT_OTHER_PER_MINUTE: '3', TRUSTED_PROXIES: '127.0.0.1' });
    const owner = await signUp(stack.apiUrl);
    expect((await call(stack.apiUrl, 'DELETE', '/auth/sessions', { token: owner.token })).status).toBe(204);
    const token = (await logIn(owner.email, '203.0.113.210', { password: PASSWORD })).body.access_token as string;
    await stack.redis.flushdb();
    const from = (address: string, method: string, path: string, bearer: string): Promise<Answer<Json>> => call(api, method, path, { token: bearer, headers: { 'X-Forwarded-For': address } });
    const answers = await Promise.all(times(4, () => from('203.0.113.211', 'GET', '/issuers', owner.token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([401, 401, 401, 429]);
    for (const { headers } of answers) expect(headers.get('ratelimit-policy')).toBe('"refused";q=3;w=60');
    expect((await from('203.0.113.212', 'GET', '/issuers', owner.token)).status).toBe(401);
    expect(await statuses(times(11, (index) => from(`203.0.113.${213 + index}`, 'POST', '/auth/google/link', owner.token)))).toEqual(Array(11).fill(401));
    expect((await from('203.0.113.211', 'GET', '/issuers', token)).status).toBe(200);
    expect((await from('203.0.113.211', 'POST', '/auth/google/link', token)).status).not.toBe(429);
  });

  it('let nobody try while Redis is away', async () => {
    const deaf = await stack.startApi({ REDIS_URL: 'redis://127.0.0.1:1' });
    const answer = await call(deaf, 'POST', '/auth/login', { body: { email: newAddress(), password: 'wrong' } });
    expect([answer.status, answer.body.error.code, answer.headers.get('retry-after')]).toEqual([503, 'SERVICE_UNAVAILABLE', '5']);
    expect((await call(deaf, 'GET', '/auth/google')).status).toBe(404);
  });
});
