import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { googleSettings, startIdentityProvider } from '../../src/local/parts.js';
import type { ServiceProcess } from '../../src/local/service-process.js';
import { cookiesOf, logIn, newAddress, signUp } from '../support/callers.js';
import { inTransaction, lockAwaited } from '../support/held-transaction.js';
import { type Answer, call, type Json } from '../support/http.js';
import { type Stack, startStack } from '../support/stack.js';

/** What the page of the provider is told. */
interface Form {
  readonly email: string;
  readonly name?: string;
  readonly subject?: string;
  readonly verified?: boolean;
  readonly cancel?: boolean;
}

describe('signing in with Google', () => {
  let stack: Stack;
  let provider: ServiceProcess;
  let api: string;
  const logs = mkdtempSync(join(tmpdir(), 'sello-provider-'));

  beforeAll(async () => {
    provider = await startIdentityProvider(0, logs);
    stack = await startStack({ workers: 0, simulator: false, env: googleSettings(provider.url ?? '') });
    api = stack.apiUrl;
  });
  afterAll(async () => {
    await stack.stop();
    await provider.stop();
    rmSync(logs, { recursive: true });
  });

  /** A browser's way to the provider and back to our callback, which is not called yet. */
  const visitProvider = async (form: Form, path = '/auth/google'): Promise<{ back: string; cookie: string; asked: URLSearchParams }> => {
    const start = await call(api, 'GET', path);
    expect(start.status).toBe(302);
    const asked = new URL(start.headers.get('location') ?? '');
    const fields = new URLSearchParams(asked.searchParams);
    fields.set('email', form.email);
    fields.set('name', form.name ?? 'Ana Ruiz');
    if (form.verified !== false) fields.set('email_verified', 'true');
    if (form.subject !== undefined) fields.set('subject', form.subject);
    if (form.cancel === true) fields.set('action', 'cancel');
    const signed = await fetch(`${provider.url ?? ''}/authorize`, { method: 'POST', body: fields, redirect: 'manual' });
    const back = new URL(signed.headers.get('location') ?? '');
    return { back: back.pathname + back.search, cookie: cookiesOf(start), asked: asked.searchParams };
  };
  const signIn = async (form: Form, path?: string): Promise<Answer<Json>> => {
    const { back, cookie } = await visitProvider(form, path);
    return call(api, 'GET', back, { cookie });
  };
  const spoil = (spoiled: object): Promise<Response> => fetch(`${provider.url ?? ''}/control/next-id-token`, { method: 'POST', body: JSON.stringify(spoiled) });
  const sessionsOf = (email: string) => stack.database.query('select s.id from sessions s join users u on u.id = s.user_id where u.email = $1', [email]);
  const changed = (path: string, name: string, value: string | null): string => {
    const url = new URL(path, 'http://x');
    if (value === null) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
    return url.pathname + url.search;
  };

  it('asks for a code with PKCE, state and nonce, at the exact callback', async () => {
    const { asked } = await visitProvider({ email: newAddress() });
    expect(Object.fromEntries(asked)).toMatchObject({
      response_type: 'code', client_id: 'sello-local', redirect_uri: `${api}/auth/google/callback`, scope: 'openid email profile', code_challenge_method: 'S256',
    });
    for (const name of ['state', 'nonce', 'code_challenge']) expect(asked.get(name)).toMatch(/^[\w-]{43}$/);
  });

  it('makes an account with a tenant at the first sign-in, and knows it again by subject, whatever its address', async () => {
    const email = newAddress();
    const first = await signIn({ email, subject: 'subject-1', name: 'Zoila Vega' });
    expect(first.status).toBe(200);
    expect(first.headers.getSetCookie().some((cookie) => /^service_access_token=.*HttpOnly; SameSite=Lax$/.test(cookie))).toBe(true);
    const me = await call(api, 'GET', '/auth/me', { token: first.body.access_token });
    expect(me.body).toMatchObject({ email, name: 'Zoila Vega', email_verified: true, has_password: false, identity_providers: [provider.url], memberships: [{ tenant_name: 'Zoila Vega', role: 'tenant_owner' }] });
    const again = await signIn({ email: newAddress(), subject: 'subject-1', verified: false });
    expect((await call(api, 'GET', '/auth/me', { token: again.body.access_token })).body.user_id).toBe(me.body.user_id);
    // Nobody signs in with a password that was never set.
    expect((await logIn(api, email)).status).toBe(401);
  });

  it('does not let another subject in by an address that an account here has', async () => {
    const email = newAddress();
    await signIn({ email, subject: 'subject-2' });
    const reRegistered = await signIn({ email, subject: 'subject-3' });
    expect([reRegistered.status, reRegistered.body.error.detail.reason]).toEqual([409, 'link_required']);
    expect(await sessionsOf(email)).toHaveLength(1);
  });

  it('goes by what was founded while it was under way: signs in whose account it is, and offers the link to another', async () => {
    const [twice, beside] = [newAddress(), newAddress()];
    const meanwhile = async (form: Form, founding: string, parameters: readonly unknown[]): Promise<Answer<Json>> => {
      const { back, cookie } = await visitProvider(form);
      return inTransaction(stack.database, async (client) => {
        await client.query(founding, [...parameters]);
        const late = call(api, 'GET', back, { cookie });
        await lockAwaited(stack.database, 1, 'sign_up_with_identity');
        await client.query('commit');
        return late;
      });
    };
    const first = `select sign_up_with_identity(gen_random_uuid(), $1, 'Ana', $2, $3, gen_random_uuid(), 'Ana', gen_random_uuid(), now(), null, null)`;
    const signedIn = await meanwhile({ email: twice, subject: 'two-tabs' }, first, [twice, provider.url, 'two-tabs']);
    expect([signedIn.status, (await call(api, 'GET', '/auth/me', { token: signedIn.body.access_token })).body.email]).toEqual([200, twice]);
    expect(await sessionsOf(twice)).toHaveLength(1);
    const signedUp = `select sign_up(gen_random_uuid(), $1, 'Eva', 'no hash', gen_random_uuid(), 'Eva', gen_random_uuid(), now(), null, null)`;
    const offered = await meanwhile({ email: beside }, signedUp, [beside]);
    expect([offered.status, offered.body.error.detail]).toEqual([409, { reason: 'link_required', link_token: expect.any(String) }]);
  });

  it('links an account after a sign-in of the old kind, by its owner alone, once', async () => {
    const owner = await signUp(api);
    const stranger = await signUp(api);
    const refused = await signIn({ email: owner.email.toUpperCase() });
    expect([refused.status, refused.body.error.code]).toEqual([409, 'ALREADY_EXISTS']);
    const body = { link_token: refused.body.error.detail.link_token };
    expect((await call(api, 'POST', '/auth/google/link', { body })).status).toBe(401);
    const dead = [404, 'NOT_FOUND', { reason: 'link_expired', field: 'link_token' }];
    const linked = async (token: string): Promise<unknown> => {
      const answer = await call(api, 'POST', '/auth/google/link', { body, token });
      return answer.status === 204 ? 204 : [answer.status, answer.body.error.code, answer.body.error.detail];
    };
    expect(await linked(stranger.token)).toEqual(dead);
    expect(await linked(owner.token)).toBe(204);
    expect(await linked(owner.token)).toEqual(dead);
    // The session is as good as before.
    expect((await call(api, 'GET', '/auth/me', { token: owner.token })).status).toBe(200);
    const signedIn = await signIn({ email: owner.email });
    expect((await call(api, 'GET', '/auth/me', { token: signedIn.body.access_token })).body.user_id).toBe(owner.userId);
  });

  it('forgets at a reset what was linked before the address was proven', async () => {
    const owner = await signUp(api);
    await stack.database.query(`insert into user_identities values ('https://elsewhere.example', 'squatter', $1, now())`, [owner.userId]);
    await stack.database.query(
      `insert into one_time_tokens (token_hash, purpose, user_id, created_at, expires_at) values (sha256('t'), 'reset_password', $1, now(), now() + interval '1 hour')`, [owner.userId]);
    expect((await call(api, 'POST', '/auth/password/reset', { body: { token: 't', password: 'otras palabras distintas' } })).status).toBe(204);
    expect(await stack.database.query('select from user_identities where user_id = $1', [owner.userId])).toEqual([]);
  });

  it('links nothing that was offered before a reset, nor while it is under way', async () => {
    const owner = await signUp(api);
    const offer = (token: string): Promise<unknown> => stack.database.query(
      `insert into one_time_tokens (token_hash, purpose, user_id, detail, created_at, expires_at)
       values (sha256($1::bytea), 'link_identity', $2, '{"issuer": "https://elsewhere.example", "subject": "former", "email": "x@example.org"}', now(), now() + interval '10 minutes')`, [token, owner.userId]);
    const link = (token: string, session: string): Promise<Answer<Json>> => call(api, 'POST', '/auth/google/link', { token: session, body: { link_token: token } });
    await offer('offered');
    await offer('offered, too');
    await stack.database.query(
      `insert into one_time_tokens (token_hash, purpose, user_id, created_at, expires_at) values (sha256('under way'), 'reset_password', $1, now(), now() + interval '1 hour')`, [owner.userId]);
    let linked: Promise<Answer<Json>> | null = null;
    await inTransaction(stack.database, async (client) => {
      await client.query(`select reset_password(sha256('under way'), 'no hash', now(), null, null)`);
      linked = link('offered', owner.token);
      await lockAwaited(stack.database);
      await client.query('commit');
    });
    expect((await linked!).status).toBe(401);
    expect(await stack.database.query('select from user_identities where user_id = $1', [owner.userId])).toEqual([]);
    expect(await stack.database.query(`select from one_time_tokens where user_id = $1 and purpose = 'link_identity' and used_at is null`, [owner.userId])).toEqual([]);
  });

  it('forgets at a reset who held the address before, and lets the present holder link anew', async () => {
    const [email, company] = [newAddress(), await signUp(api)];
    expect((await signIn({ email, subject: 'former-holder' })).status).toBe(200);
    const [{ id } = { id: '' }] = await stack.database.query<{ id: string }>('select id from users where email = $1 and email_verified_at is not null', [email]);
    await stack.database.query(
      `insert into one_time_tokens (token_hash, purpose, user_id, created_at, expires_at) values (sha256('passed on'), 'reset_password', $1, now(), now() + interval '1 hour')`, [id]);
    expect((await call(api, 'POST', '/auth/password/reset', { body: { token: 'passed on', password: 'otras palabras distintas' } })).status).toBe(204);
    await stack.database.query(
      `insert into members (tenant_id, id, email, role, status, invited_at, invitation_hash, invitation_expires_at, created_at, updated_at)
       values ($1, gen_random_uuid(), $2, 'tenant_admin', 'invited', now(), sha256('the present holder'), now() + interval '1 day', now(), now())`, [company.tenantId, email]);
    const { body: { access_token: token } } = await logIn(api, email, 'otras palabras distintas');
    expect((await call(api, 'POST', '/auth/invitations/accept', { token, body: { token: 'the present holder' } })).status).toBe(200);

    const former = await signIn({ email, subject: 'former-holder' });
    expect([former.status, former.body.error?.detail.reason]).toEqual([409, 'link_required']);
    const elsewhere = await signIn({ email: newAddress(), subject: 'former-holder' });
    expect((await call(api, 'GET', '/auth/me', { token: elsewhere.body.access_token })).body.memberships.map((one: { tenant_id: string }) => one.tenant_id)).not.toContain(company.tenantId);

    const { body: { error: { detail: { link_token } } } } = await signIn({ email, subject: 'present-holder' });
    expect((await call(api, 'POST', '/auth/google/link', { token, body: { link_token } })).status).toBe(204);
    const present = await signIn({ email, subject: 'present-holder' });
    expect((await call(api, 'GET', '/auth/me', { token: present.body.access_token })).body.user_id).toBe(id);
  });

  it('founds no tenant for whom an invitation waits that can be accepted', async () => {
    const [owner, email, late] = [await signUp(api), newAddress(), newAddress()];
    for (const [address, hash] of [[email, 'invited'], [late, 'too late']]) {
      await stack.database.query(
        `insert into members (tenant_id, id, email, role, status, invited_at, invitation_hash, invitation_expires_at, created_at, updated_at)
         values ($1, gen_random_uuid(), $2, 'viewer', 'invited', now(), sha256($3::text::bytea), now() + interval '1 day', now(), now())`, [owner.tenantId, address, hash]);
    }
    const { body: { access_token: token } } = await signIn({ email });
    expect((await call(api, 'GET', '/auth/me', { token })).body.memberships).toEqual([]);
    expect((await call(api, 'GET', '/issuers', { token })).status).toBe(403);
    expect((await call(api, 'POST', '/auth/invitations/accept', { token, body: { token: 'invited' } })).status).toBe(200);
    expect((await call(api, 'GET', '/issuers', { token })).status).toBe(200);
    await stack.database.query('update tenants set is_active = false where id = $1', [owner.tenantId]);
    const { body: { access_token: other } } = await signIn({ email: late });
    expect((await call(api, 'GET', '/auth/me', { token: other })).body.memberships).toMatchObject([{ role: 'tenant_owner' }]);
  });

  it('sends the browser to a page of ours, and to no other', async () => {
    const answer = await signIn({ email: newAddress() }, '/auth/google?return_to=/auth/me');
    expect([answer.status, answer.headers.get('location')]).toEqual([302, `${api}/auth/me`]);
    expect((await call(api, 'GET', '/auth/me', { cookie: cookiesOf(answer) })).status).toBe(200);
    for (const target of ['https://evil.example', '//evil.example', '/\\evil.example', 'evil', '', '/a&return_to=/b', '/%0d%0aSet-Cookie:x']) {
      const { status, body } = await call(api, 'GET', `/auth/google?return_to=${target}`);
      const type = target.includes('&') ? 'repeated' : 'local_path';
      expect([target, status, body.error.code, body.detail]).toEqual([target, 422, 'VALIDATION_FAILED', [expect.objectContaining({ loc: ['query', 'return_to'], type })]]);
      expect(body.error.detail).toEqual(body.detail);
    }
  });

  it('brings what failed to the page of ours too, in its fragment', async () => {
    const failure = ({ status, headers }: Answer<Json>): [number, string, Record<string, string>] => {
      const location = new URL(headers.get('location') ?? '');
      return [status, location.href.replace(location.hash, ''), Object.fromEntries(new URLSearchParams(location.hash.slice(1)))];
    };
    const there = '/auth/google?return_to=/panel?tab=1';
    expect(failure(await signIn({ email: newAddress(), cancel: true }, there))).toEqual([302, `${api}/panel?tab=1`, { error: 'UNAUTHENTICATED', reason: 'cancelled', request_id: expect.any(String) }]);
    expect(failure(await signIn({ email: newAddress(), verified: false }, there))[2]).toEqual({ error: 'UNAUTHENTICATED', reason: 'email_unverified', request_id: expect.any(String) });

    const owner = await signUp(api);
    const [status, page, told] = failure(await signIn({ email: owner.email, subject: 'panel-subject' }, there));
    expect([status, page, told]).toMatchObject([302, `${api}/panel?tab=1`, { error: 'ALREADY_EXISTS', reason: 'link_required', link_token: expect.any(String) }]);
    expect((await call(api, 'POST', '/auth/google/link', { token: owner.token, body: { link_token: told['link_token'] } })).status).toBe(204);
    expect(failure(await signIn({ email: owner.email, subject: 'panel-subject' }, there))).toEqual([302, `${api}/panel?tab=1`, {}]);

    // Another browser is told nothing of where the first one went.
    const { back } = await visitProvider({ email: newAddress(), cancel: true }, there);
    expect((await call(api, 'GET', back)).status).toBe(401);
  });

  it('lets two sign-ins of one browser come to their ends, and gives up the oldest of many', async () => {
    const [one, other] = [await visitProvider({ email: newAddress() }), await visitProvider({ email: newAddress() })];
    const cookie = `${one.cookie}; ${other.cookie}`;
    const first = await call(api, 'GET', one.back, { cookie });
    expect([first.status, first.headers.getSetCookie().filter((line) => line.startsWith(other.cookie.split('=', 1)[0] ?? ''))]).toEqual([200, []]);
    expect((await call(api, 'GET', other.back, { cookie })).status).toBe(200);
    const many = Array.from({ length: 5 }, (_, index) => `sello_sign_in_${String(index).padStart(16, '0')}=x`);
    const cleared = (await call(api, 'GET', '/auth/google', { cookie: [...many, 'sello_sign_in_(=x'].join('; ') })).headers.getSetCookie().filter((line) => line.includes('Expires=Thu, 01 Jan 1970'));
    expect(cleared.map((line) => line.split('=', 1)[0])).toEqual(many.map((pair) => pair.split('=', 1)[0]));
  });

  it('brings a person to the panel when the sign-in is over, and works below a path', async () => {
    const below = await stack.startApi({ PANEL_URL: 'https://panel.example', PUBLIC_URL: 'http://127.0.0.1:9/api/' });
    const start = await call(below, 'GET', '/auth/google?return_to=/a');
    expect(start.headers.getSetCookie()).toEqual([expect.stringMatching(/^sello_sign_in_[0-9a-f]{16}=.*Path=\/api\/auth\/google;/)]);
    expect(new URL(start.headers.get('location') ?? '').searchParams.get('redirect_uri')).toBe('http://127.0.0.1:9/api/auth/google/callback');
    const shown = await fetch(start.headers.get('location') ?? '');
    expect(shown.status).toBe(200);
    const over = await call(below, 'GET', `/auth/google/callback?code=x&state=${'x'.repeat(43)}`);
    expect([over.status, over.headers.get('location')]).toEqual([302, expect.stringMatching(/^https:\/\/panel\.example\/#reason=sign_in_expired&error=UNAUTHENTICATED&request_id=/)]);
  });

  describe('refuses', () => {
    /** The name of the cookie that a sign-in left. */
    const nameOf = (cookie: string): string => cookie.split('=', 1)[0] ?? '';
    const over = { reason: 'sign_in_expired' };
    type Visit = { back: string; cookie: string };
    const cases: readonly (readonly [string, (visit: Visit) => Visit, typeof over | null])[] = [
      ['a missing state', ({ back, cookie }) => ({ back: changed(back, 'state', null), cookie }), over],
      ['a wrong state', ({ back, cookie }) => ({ back: changed(back, 'state', 'x'.repeat(43)), cookie }), over],
      ['two states', ({ back, cookie }) => ({ back: `${back}&state=y`, cookie }), over],
      ['another browser', ({ back, cookie }) => ({ back, cookie: `${nameOf(cookie)}=${'x'.repeat(43)}` }), over],
      ['a browser without the cookie', ({ back }) => ({ back, cookie: '' }), over],
      ['two cookies', ({ back, cookie }) => ({ back, cookie: `${cookie}; ${nameOf(cookie)}=${'x'.repeat(43)}` }), over],
      ['a missing code', ({ back, cookie }) => ({ back: changed(back, 'code', null), cookie }), null],
      ['a wrong code', ({ back, cookie }) => ({ back: changed(back, 'code', 'nonsense'), cookie }), null],
      ['an answer of another provider', ({ back, cookie }) => ({ back: changed(back, 'iss', 'https://evil.example'), cookie }), null],
      ['an error with a script', ({ back, cookie }) => ({ back: `${back}&error=<script>alert(1)</script>&error_description=<script>`, cookie }), null],
    ];

    it.each(cases)('%s', async (_what, change, detail) => {
      const email = newAddress();
      const { back, cookie } = change(await visitProvider({ email }));
      const answer = await call(api, 'GET', back, { cookie });
      expect([answer.status, answer.body.error.code, answer.body.error.detail]).toEqual([401, 'UNAUTHENTICATED', detail]);
      expect(answer.text).not.toContain('script');
      expect(answer.headers.getSetCookie().some((one) => one.startsWith('service_'))).toBe(false);
      expect(await sessionsOf(email)).toEqual([]);
    });

    it('a state, and a code, that were used', async () => {
      const { back, cookie } = await visitProvider({ email: newAddress() });
      expect((await call(api, 'GET', back, { cookie })).status).toBe(200);
      expect((await call(api, 'GET', back, { cookie })).status).toBe(401);
      const fresh = await visitProvider({ email: newAddress() });
      const usedCode = new URL(back, api).searchParams.get('code');
      expect((await call(api, 'GET', changed(fresh.back, 'code', usedCode), { cookie: fresh.cookie })).status).toBe(401);
    });

    it('a code of another sign-in, though its state is good', async () => {
      const [mine, theirs] = [await visitProvider({ email: newAddress() }), await visitProvider({ email: newAddress() })];
      const theirCode = new URL(theirs.back, api).searchParams.get('code');
      expect((await call(api, 'GET', changed(mine.back, 'code', theirCode), { cookie: mine.cookie })).status).toBe(401);
    });

    it('a person who cancels', async () => {
      expect((await signIn({ email: newAddress(), cancel: true })).status).toBe(401);
    });

    it('an address that the provider did not verify', async () => {
      const email = newAddress();
      const refused = await signIn({ email, verified: false });
      expect([refused.status, refused.body.error.detail]).toEqual([401, { reason: 'email_unverified' }]);
      expect(await stack.database.query('select from users where email = $1', [email])).toEqual([]);
    });

    const seconds = Math.floor(Date.now() / 1_000);
    it.each([
      ['another nonce', { claims: { nonce: 'other' } }],
      ['no nonce', { claims: { nonce: null } }],
      ['another audience', { claims: { aud: 'somebody-else' } }],
      ['several audiences', { claims: { aud: ['sello-local', 'somebody-else'] } }],
      ['another party', { claims: { azp: 'somebody-else' } }],
      ['another issuer', { claims: { iss: 'https://accounts.evil.example' } }],
      ['an expired token', { claims: { exp: seconds - 3_600 } }],
      ['a token that is not valid yet', { claims: { nbf: seconds + 3_600 } }],
      ['no subject', { claims: { sub: '' } }],
      ['a subject with NUL', { claims: { sub: '10769150350006150715113082367\0' } }],
      ['a subject beyond ASCII', { claims: { sub: '1076915035000615071511308236ñ' } }],
      ['a subject of 256 characters', { claims: { sub: '1'.repeat(256) } }],
      ['no address', { claims: { email: 'nobody' } }],
      ['a foreign key', { foreign_key: true }],
      ['an unknown key id', { header: { kid: 'unknown' } }],
      ['no algorithm', { header: { alg: 'none' } }],
      ['a symmetric algorithm', { header: { alg: 'HS256' } }],
    ])('an ID token with %s', async (_what, spoiled) => {
      await spoil(spoiled);
      const email = newAddress();
      const answer = await signIn({ email });
      expect([answer.status, answer.body.error.code]).toEqual([401, 'UNAUTHENTICATED']);
      expect(await stack.database.query('select from users where email = $1', [email])).toEqual([]);
    });
  });

  it('says that it is unavailable when the provider is', async () => {
    const { back, cookie } = await visitProvider({ email: newAddress() });
    await provider.stop();
    expect((await call(api, 'GET', back, { cookie })).status).toBe(503);
  });
});

describe('without settings for Google', () => {
  it('the sign-in does not exist', async () => {
    const stack = await startStack({ workers: 0, simulator: false });
    expect((await call(stack.apiUrl, 'GET', '/auth/google')).status).toBe(404);
    expect((await call(stack.apiUrl, 'GET', '/auth/google/callback?code=a&state=b')).status).toBe(404);
    await stack.stop();
  });
});
