import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { Mailbox } from '../../src/local/mailbox.js';
import { awaitMail } from '../support/await-mail.js';
import { cookiesOf, logIn, newAddress, type Owner, PASSWORD, signUp } from '../support/callers.js';
import { inTransaction, lockAwaited } from '../support/held-transaction.js';
import { type Answer, call, type Json } from '../support/http.js';
import { type Stack, startStack } from '../support/stack.js';

const OTHER_PASSWORD = 'otras palabras distintas';

describe('signing up and in', () => {
  let stack: Stack;
  let mailbox: Mailbox;
  let api: string;

  beforeAll(async () => {
    mailbox = await Mailbox.start();
    stack = await startStack({ workers: 0, simulator: false, env: { SMTP_URL: mailbox.smtpUrl, LETTER_LADDER: '0.2,0.2,0.2,0.2' } });
    api = stack.apiUrl;
  });
  afterAll(async () => {
    await stack.stop();
    await mailbox.stop();
  });

  const codeIn = (text: string): string => /(?:Código|Code)[^:]*: (\S+)/.exec(text)?.[1] ?? '';
  /** The letter of a sign-up. What is asked for before it has come may overtake it. */
  const confirmationOf = ({ email }: Owner) => awaitMail(mailbox, email);
  const me = (token: string) => call(api, 'GET', '/auth/me', { token });
  const audit = (owner: Owner, action: string) =>
    stack.database.query<{ actor_kind: string; actor_id: string | null }>('select actor_kind, actor_id from audit_log where tenant_id = $1 and action = $2', [owner.tenantId, action]);
  const eventually = async (holds: () => Promise<boolean>): Promise<void> => {
    for (let tries = 0; !(await holds()); tries += 1) {
      if (tries === 1_200) throw new Error('it never came true');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };

  it('founds a tenant, whose owner may use it at once', async () => {
    const owner = await signUp(api);
    const answer = await me(owner.token);
    expect(answer.body).toMatchObject({
      email: owner.email, name: 'Ana Ruiz', email_verified: false, is_platform_admin: false, has_password: true, identity_providers: [],
      memberships: [{ tenant_id: owner.tenantId, tenant_name: 'Comercial Andina', role: 'tenant_owner', status: 'active' }],
    });
    const issuers = await call(api, 'GET', '/issuers', { token: owner.token });
    expect([issuers.status, issuers.body.total]).toEqual([200, 0]);
    expect(await audit(owner, 'tenant.founded')).toEqual([{ actor_kind: 'user', actor_id: owner.userId }]);
  });

  it('takes an address once, however it is written', async () => {
    const owner = await signUp(api);
    const again = await call(api, 'POST', '/auth/signup', { body: { email: owner.email.toUpperCase(), password: PASSWORD, name: 'Otra', tenant_name: 'Otra' } });
    expect([again.status, again.body.error]).toMatchObject([409, { code: 'ALREADY_EXISTS', detail: { reason: 'has_account', field: 'email' } }]);
    expect((await logIn(api, ` ${owner.email.toUpperCase()} `)).status).toBe(200);
  });

  it('takes the address of one mailbox once, however its domain is written', async () => {
    const mailboxAt = (domain: string): string => `ana@${domain}`;
    const owner = await signUp(api, mailboxAt('xn--caf-dma.ec'));
    expect((await me(owner.token)).body.email).toBe('ana@café.ec');
    for (const email of ['café.ec', 'cafe\u0301.ec', 'ｃａｆé.ec', '𝐜𝐚𝐟é.ec', 'CAFÉ.EC'].map(mailboxAt)) {
      const again = await call(api, 'POST', '/auth/signup', { body: { email, password: PASSWORD, name: 'Otra', tenant_name: 'Otra' } });
      expect([email, again.status, (await logIn(api, email)).status]).toEqual([email, 409, 200]);
    }
    const none = await call(api, 'POST', '/auth/signup', { body: { email: mailboxAt('xn--zzzzzzzz.ec'), password: PASSWORD, name: 'Otra', tenant_name: 'Otra' } });
    expect([none.status, none.body.detail]).toMatchObject([422, [{ loc: ['body', 'email'], type: 'email' }]]);
  });

  it.each([
    ['too short', { password: 'abc!9Z' }, 'string_too_short'],
    ['common', { password: 'Password123' }, 'weak_password'],
    ['like the address', { password: 'juanpueblo1', email: 'juanpueblo@example.com' }, 'weak_password'],
    ['too long', { password: 'ñz9!'.repeat(80) }, 'string_too_long'],
    ['no text', { password: 12345678 }, 'string_type'],
  ])('refuses a password that is %s, without repeating it', async (_what, change, type) => {
    const answer = await call(api, 'POST', '/auth/signup', { body: Object.assign({ email: newAddress(), password: PASSWORD, name: 'Ana', tenant_name: 'Andina' }, change) });
    expect([answer.status, answer.body.detail[0].type, answer.body.detail[0].input]).toEqual([422, type, null]);
  });

  it('names a short password beside all else that is wrong, wherever one is chosen', async () => {
    const findings = async (path: string, body: object): Promise<unknown> => (await call(api, 'POST', path, { body })).body.detail.map(({ loc, type }: { loc: string[]; type: string }) => [loc[1], type]);
    const short = ['password', 'string_too_short'];
    expect(await findings('/auth/signup', { email: newAddress(), password: 'abc!9Z', name: '', tenant_name: 'Andina' })).toEqual(expect.arrayContaining([short, ['name', 'string_too_short']]));
    expect(await findings('/auth/password/reset', { token: 7, password: 'abc!9Z' })).toEqual(expect.arrayContaining([short, ['token', 'string_type']]));
    expect(await findings('/auth/invitations/accept', { token: 'x', name: '', password: 'abc!9Z' })).toEqual(expect.arrayContaining([short, ['name', 'string_too_short']]));
    expect((await logIn(api, newAddress(), 'abc!9Z')).status).toBe(401);
  });

  it('names a weak password beside all else that is wrong, wherever one is chosen, and never repeats it', async () => {
    const findings = async (path: string, body: object): Promise<unknown> => (await call(api, 'POST', path, { body })).body.detail.map(({ loc, type, input }: { loc: string[]; type: string; input: unknown }) => [loc[1], type, input]);
    const weak = ['password', 'weak_password', null];
    const person = { name: 'Ana', tenant_name: 'Andina' };
    expect(await findings('/auth/signup', { ...person, email: 'none', password: '12345678' })).toEqual([['email', 'email', 'none'], weak]);
    expect(await findings('/auth/signup', { ...person, email: 'juanpueblo@example.com', password: 'juanpueblo1', name: '' })).toEqual([['name', 'string_too_short', ''], weak]);
    expect(await findings('/auth/password/reset', { password: '12345678' })).toEqual([['token', 'missing', null], weak]);
    expect(await findings('/auth/invitations/accept', { token: 'x', name: '', password: '12345678' })).toEqual([['name', 'string_too_short', ''], weak]);
    expect(await findings('/auth/invitations/accept', { token: 'x', password: '12345678' })).toEqual([['name', 'missing', null], weak]);
  });

  it('confirms the address with the token of the mail, once', async () => {
    const owner = await signUp(api);
    const mail = await awaitMail(mailbox, owner.email);
    expect(mail.subject).toBe('Confirme su correo en Sello');
    const body = { token: codeIn(mail.text) };
    expect((await call(api, 'POST', '/auth/email/verify', { body })).status).toBe(204);
    expect((await me(owner.token)).body.email_verified).toBe(true);
    // Not as a session that ended: nobody signs out, or in again, over a link that was used.
    expect((await call(api, 'POST', '/auth/email/verify', { body })).body.error).toMatchObject({ code: 'UNAUTHENTICATED', detail: { reason: 'token_invalid' } });
  });

  it('renews a session, and ends it when a refresh token comes twice', async () => {
    const owner = await signUp(api);
    const refresh = (refresh_token: string) => call(api, 'POST', '/auth/refresh', { body: { refresh_token } });
    const second = await refresh(owner.refreshToken);
    expect(second.status).toBe(200);
    expect((await me(second.body.access_token)).status).toBe(200);
    expect((await refresh(owner.refreshToken)).status).toBe(401);
    expect((await refresh(second.body.refresh_token)).status).toBe(401);
    expect((await me(second.body.access_token)).status).toBe(401);
    expect((await me(owner.token)).status).toBe(401);
    expect(await audit(owner, 'session.token_reused')).toHaveLength(1);
  });

  it('tells when a session ends for good, in answer and cookie', async () => {
    const owner = await signUp(api);
    const kept = await logIn(api, owner.email, PASSWORD, { cookie: true });
    await stack.database.query(`update sessions set created_at = now() - interval '179 days' where user_id = $1`, [owner.userId]);
    const renewed = await call(api, 'POST', '/auth/refresh', { cookie: cookiesOf(kept), body: {}, headers: { Origin: api } });
    const [session] = await stack.database.query<{ expires_at: Date }>('select max(expires_at) filter (where expires_at < now() + interval \'2 days\') as expires_at from sessions where user_id = $1', [owner.userId]);
    expect(renewed.body.refresh_expires_at).toBe(session?.expires_at.toISOString());
    const maxAge = Number(/service_refresh_token=[^;]+; Max-Age=(\d+)/.exec(renewed.headers.getSetCookie().join('\n'))?.[1]);
    expect(maxAge).toBeGreaterThan(86_000);
    expect(maxAge).toBeLessThanOrEqual(86_400);
  });

  it('gives one of two simultaneous renewals at most, and then none', async () => {
    const owner = await signUp(api);
    const both = await Promise.all([1, 2].map(() => call(api, 'POST', '/auth/refresh', { body: { refresh_token: owner.refreshToken } })));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
    const winner = both.find(({ status }) => status === 200);
    expect((await me(winner?.body.access_token)).status).toBe(401);
  });

  it('ends a session at logout, and only that one', async () => {
    const owner = await signUp(api);
    const other = await logIn(api, owner.email);
    expect((await call(api, 'POST', '/auth/logout', { token: owner.token })).status).toBe(204);
    expect((await me(owner.token)).status).toBe(401);
    expect((await call(api, 'POST', '/auth/refresh', { body: { refresh_token: owner.refreshToken } })).status).toBe(401);
    expect((await me(other.body.access_token)).status).toBe(200);
  });

  it('ends a session by its refresh token, when the access token is gone', async () => {
    const [owner, other] = [await signUp(api), await signUp(api)];
    expect((await call(api, 'POST', '/auth/logout', { body: {} })).status).toBe(401);
    expect((await call(api, 'POST', '/auth/logout', { body: { refresh_token: owner.refreshToken } })).status).toBe(204);
    expect([(await me(owner.token)).status, (await me(other.token)).status]).toEqual([401, 200]);
    expect(await audit(owner, 'logout')).toEqual([{ actor_kind: 'user', actor_id: owner.userId }]);
    const kept = await logIn(api, owner.email, PASSWORD, { cookie: true });
    const refreshOnly = cookiesOf(kept).split('; ').filter((one) => one.startsWith('service_refresh_token=')).join('');
    const out = await call(api, 'POST', '/auth/logout', { cookie: refreshOnly, headers: { Origin: api } });
    expect([out.status, out.headers.getSetCookie().length]).toEqual([204, 2]);
    expect((await call(api, 'GET', '/auth/me', { cookie: cookiesOf(kept) })).status).toBe(401);
  });

  it('sends the confirmation once more, with a new link; who has confirmed gets none', async () => {
    const owner = await signUp(api);
    const first = await awaitMail(mailbox, owner.email);
    expect((await call(api, 'POST', '/auth/email/verify/send', { token: owner.token, headers: { 'Accept-Language': 'en' } })).status).toBe(202);
    const second = await awaitMail(mailbox, owner.email, 1);
    expect(second.subject).toBe('Confirm your e-mail address at Sello');
    const verify = (text: string) => call(api, 'POST', '/auth/email/verify', { body: { token: codeIn(text) } });
    expect([(await verify(first.text)).status, (await verify(second.text)).status]).toEqual([401, 204]);
    expect((await call(api, 'POST', '/auth/email/verify/send', { token: owner.token })).status).toBe(202);
    await call(api, 'POST', '/auth/password/forgot', { body: { email: owner.email } });
    expect((await awaitMail(mailbox, owner.email, 2)).subject).toContain('contraseña');
  });

  it('founds further tenants for who has confirmed the address', async () => {
    const owner = await signUp(api);
    const found = () => call(api, 'POST', '/auth/tenants', { token: owner.token, body: { tenant_name: 'Segunda' } });
    const refused = await found();
    expect([refused.status, refused.body.error.detail.reason]).toEqual([403, 'email_unconfirmed']);
    await stack.database.query('update users set email_verified_at = now() where id = $1', [owner.userId]);
    const founded = await found();
    expect([founded.status, founded.body]).toMatchObject([201, { tenant_name: 'Segunda' }]);
    expect((await me(owner.token)).body.memberships.map((one: { tenant_name: string }) => one.tenant_name)).toEqual(['Comercial Andina', 'Segunda']);
    const answers = await Promise.all(Array.from({ length: 20 }, found));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array<number>(18).fill(201), 409, 409]);
    // One that the platform closed cannot be left, and one in which the owner is suspended is none to work in.
    const [closed, suspended] = [String(founded.body.tenant_id), String(answers.find(({ status }) => status === 201)?.body.tenant_id)];
    await stack.database.query('update tenants set is_active = false where id = $1', [closed]);
    expect([(await found()).status, (await found()).status]).toEqual([201, 409]);
    await stack.database.query(`update members set status = 'suspended' where tenant_id = $1 and user_id = $2`, [suspended, owner.userId]);
    expect([(await found()).status, (await found()).status]).toEqual([201, 409]);
  });

  it('closes an account at once, until it is opened again', async () => {
    const owner = await signUp(api);
    const setDisabled = (disabled: boolean) => stack.database.query('select sello.set_person_disabled($1, $2, now())', [owner.email, disabled]);
    await setDisabled(true);
    expect([(await me(owner.token)).status, (await logIn(api, owner.email)).status, (await call(api, 'POST', '/auth/refresh', { body: { refresh_token: owner.refreshToken } })).status]).toEqual([401, 401, 401]);
    await setDisabled(true);
    await setDisabled(false);
    const again = await logIn(api, owner.email);
    expect(again.status).toBe(200);
    // Open already: nobody is signed out, and nothing is said to have happened.
    expect(await setDisabled(false)).toEqual([{ set_person_disabled: true }]);
    expect((await me(again.body.access_token)).status).toBe(200);
    expect((await call(api, 'POST', '/auth/refresh', { body: { refresh_token: again.body.refresh_token } })).status).toBe(200);
    expect([await audit(owner, 'person.disabled'), await audit(owner, 'person.enabled')]).toEqual([[{ actor_kind: 'system', actor_id: null }], [{ actor_kind: 'system', actor_id: null }]]);
  });

  it('takes no password that is the own address, at a reset and with an invitation', async () => {
    const owner = await signUp(api, `anarosario${Date.now()}@example.com`);
    const weak = owner.email.split('@')[0] ?? '';
    await confirmationOf(owner);
    await call(api, 'POST', '/auth/password/forgot', { body: { email: owner.email } });
    const token = codeIn((await awaitMail(mailbox, owner.email, 1)).text);
    const reset = await call(api, 'POST', '/auth/password/reset', { body: { token, password: weak } });
    expect([reset.status, reset.body.detail[0].type]).toEqual([422, 'weak_password']);
    await call(api, 'POST', '/tenant/members/invite', { token: owner.token, body: { email: `pedro.${owner.email}`, role: 'viewer' } });
    const invitation = codeIn((await awaitMail(mailbox, `pedro.${owner.email}`)).text);
    const accepted = await call(api, 'POST', '/auth/invitations/accept', { body: { token: invitation, name: 'Pedro', password: `pedro.${owner.email}` } });
    expect([accepted.status, accepted.body.detail[0].type]).toEqual([422, 'weak_password']);
  });

  it('sets another password by mail: once, ending every session, and proving the address', async () => {
    const owner = await signUp(api);
    await confirmationOf(owner);
    const forgot = await call(api, 'POST', '/auth/password/forgot', { body: { email: owner.email }, headers: { 'Accept-Language': 'en' } });
    expect(forgot.status).toBe(202);
    const mail = await awaitMail(mailbox, owner.email, 1);
    expect(mail.subject).toBe('New password for Sello');
    const body = { token: codeIn(mail.text), password: OTHER_PASSWORD };
    expect((await call(api, 'POST', '/auth/password/reset', { body: { ...body, password: '12345678' } })).status).toBe(422);
    expect((await call(api, 'POST', '/auth/password/reset', { body })).status).toBe(204);
    expect((await me(owner.token)).status).toBe(401);
    expect((await logIn(api, owner.email)).status).toBe(401);
    const signedIn = await logIn(api, owner.email, OTHER_PASSWORD);
    expect((await me(signedIn.body.access_token)).body.email_verified).toBe(true);
    expect((await call(api, 'POST', '/auth/password/reset', { body })).body.error).toMatchObject({ code: 'UNAUTHENTICATED', detail: { reason: 'token_invalid' } });
  });

  it('keeps the earlier link good when another is asked for, until one of them is used', async () => {
    const owner = await signUp(api);
    await confirmationOf(owner);
    const tokens: string[] = [];
    for (let index = 1; index <= 3; index += 1) {
      await call(api, 'POST', '/auth/password/forgot', { body: { email: owner.email } });
      tokens.push(codeIn((await awaitMail(mailbox, owner.email, index)).text));
    }
    const reset = async (token: string) => (await call(api, 'POST', '/auth/password/reset', { body: { token, password: OTHER_PASSWORD } })).status;
    const [first = '', second = '', third = ''] = tokens;
    expect((await Promise.all([first, second].map(reset))).sort()).toEqual([204, 401]);
    expect([await reset(first), await reset(second), await reset(third)]).toEqual([401, 401, 401]);
  });

  it.each([
    ['a reset', 'password/forgot', 'reset_password', 5],
    // The first was sent at the sign-up.
    ['a confirmation', 'email/verify/send', 'verify_email', 4],
  ])('sends five mails of %s in a day at most, and answers as ever', async (_what, path, purpose, mails) => {
    const owner = await signUp(api);
    await awaitMail(mailbox, owner.email);
    const ask = () => call(api, 'POST', `/auth/${path}`, path === 'password/forgot' ? { body: { email: owner.email } } : { token: owner.token });
    const answers = await Promise.all(Array.from({ length: 10 }, ask));
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(10).fill(202));
    await awaitMail(mailbox, owner.email, mails);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(mailbox.mailsTo(owner.email)).toHaveLength(1 + mails);
    await stack.database.query(`update one_time_tokens set created_at = created_at - interval '1 day' where user_id = $1 and purpose = $2`, [owner.userId, purpose]);
    await ask();
    await awaitMail(mailbox, owner.email, 1 + mails);
  });

  it('sends a sixth mail of a reset when no link is left that could be used, whoever asked for the five', async () => {
    const owner = await signUp(api);
    await awaitMail(mailbox, owner.email);
    const ask = () => call(api, 'POST', '/auth/password/forgot', { body: { email: owner.email } });
    await Promise.all(Array.from({ length: 5 }, ask));
    await awaitMail(mailbox, owner.email, 5);
    const pass = () => stack.database.query(
      `update one_time_tokens set created_at = created_at - interval '31 minutes', expires_at = expires_at - interval '31 minutes' where user_id = $1 and purpose = 'reset_password'`, [owner.userId]);
    await pass();
    await Promise.all([ask(), ask()]);
    const sixth = await awaitMail(mailbox, owner.email, 6);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(mailbox.mailsTo(owner.email)).toHaveLength(7);
    const told = readdirSync(stack.logFolder).flatMap((name) => readFileSync(join(stack.logFolder, name), 'utf8').split('\n')).filter((line) => line.includes('enough links of a reset'));
    expect(told.filter((line) => line.includes(owner.userId))).toHaveLength(1);
    expect(told.filter((line) => line.includes('@'))).toEqual([]);
    expect((await call(api, 'POST', '/auth/password/reset', { body: { token: codeIn(sixth.text), password: OTHER_PASSWORD } })).status).toBe(204);
    // A link that was used is none either.
    await ask();
    await awaitMail(mailbox, owner.email, 7);
  });

  it('sends a letter again that the mail server put off, and loses none that it takes later', async () => {
    const owner = await signUp(api);
    await awaitMail(mailbox, owner.email);
    const guest = newAddress();
    let refusals = 0;
    mailbox.answering = (said) => (said === 'RCPT' && (refusals += 1) <= 4 ? '451 come again' : null);
    try {
      await call(api, 'POST', '/auth/password/forgot', { body: { email: owner.email } });
      await call(api, 'POST', '/tenant/members/invite', { token: owner.token, body: { email: guest, role: 'viewer' } });
      expect(codeIn((await awaitMail(mailbox, owner.email, 1)).text)).not.toBe('');
      expect(codeIn((await awaitMail(mailbox, guest)).text)).not.toBe('');
    } finally {
      mailbox.answering = () => null;
    }
  });

  describe('an account that somebody else opened', () => {
    const reset = async (email: string, mailsBefore = 1): Promise<string> => {
      await call(api, 'POST', '/auth/password/forgot', { body: { email } });
      const token = codeIn((await awaitMail(mailbox, email, mailsBefore)).text);
      expect((await call(api, 'POST', '/auth/password/reset', { body: { token, password: OTHER_PASSWORD } })).status).toBe(204);
      return (await logIn(api, email, OTHER_PASSWORD)).body.access_token as string;
    };
    const LETTERHEAD = { sender_name: 'Cobranzas', reply_to: 'cobros@example.org', message: 'Pague a otra cuenta: {{document_number}}' };
    /** What whoever signed up leaves in the tenant: a key, a second owner, an open invitation, a webhook, a letterhead. */
    const furnish = async (owner: Owner) => {
      await confirmationOf(owner);
      const post = (path: string, body: object) => call(api, 'POST', path, { token: owner.token, body });
      const [accomplice, guest] = [newAddress(), newAddress()];
      const key = (await post('/auth/api-keys', { name: 'sync' })).body.key as string;
      await post('/tenant/members/invite', { email: accomplice, role: 'tenant_owner' });
      await post('/tenant/members/invite', { email: guest, role: 'viewer' });
      const [token, open] = await Promise.all([accomplice, guest].map(async (email) => codeIn((await awaitMail(mailbox, email)).text)));
      expect((await call(api, 'POST', '/auth/invitations/accept', { body: { token, name: 'Contador', password: PASSWORD } })).status).toBe(200);
      expect((await post('/webhooks', { url: 'https://127.0.0.1:8443/hook' })).status).toBe(201);
      expect((await call(api, 'PATCH', '/tenant/mail-settings', { token: owner.token, body: LETTERHEAD })).status).toBe(200);
      return { accomplice: (await logIn(api, accomplice)).body.access_token as string, key, open };
    };
    const letterhead = async (token: string) => (await call(api, 'GET', '/tenant/mail-settings', { token })).body;
    const list = async (as: { token: string } | { apiKey: string }) => (await call(api, 'GET', '/issuers', as)).status;

    it('is its owner’s alone once a reset has proved the address', async () => {
      const owner = await signUp(api);
      const { accomplice, key, open } = await furnish(owner);
      expect([await list({ apiKey: key }), await list({ token: accomplice })]).toEqual([200, 200]);
      const token = await reset(owner.email);
      expect([await list({ apiKey: key }), await list({ token: accomplice }), await list({ token: owner.token }), await list({ token })]).toEqual([401, 403, 401, 200]);
      expect((await call(api, 'POST', '/auth/invitations/accept', { body: { token: open, name: 'Eva', password: PASSWORD } })).status).toBe(401);
      expect((await call(api, 'GET', '/webhooks', { token })).body.total).toBe(0);
      expect(await letterhead(token)).toMatchObject({ sender_name: null, reply_to: null, subject: null, message: null });
      expect((await call(api, 'GET', '/tenant/members', { token })).body.items).toMatchObject([{ member_id: owner.memberId, role: 'tenant_owner', status: 'active' }]);
      const [kept] = await stack.database.query<{ secrets: number }>('select count(*)::int as secrets from webhook_secrets where tenant_id = $1', [owner.tenantId]);
      expect(kept).toEqual({ secrets: 0 });
      const lines = (await call(api, 'GET', '/tenant/audit-log?page_size=100', { token })).body.items as { action: string; actor_kind: string; detail: { reason?: string } }[];
      const told = lines.filter(({ detail }) => detail.reason === 'address_unproven');
      expect(told.map(({ action, actor_kind }) => `${actor_kind} ${action}`).sort()).toEqual(['system api_key.revoked', 'system mail_settings.changed', 'system member.removed', 'system member.removed', 'system webhook.deleted']);
    });

    it.each([
      ['demoted', false],
      ['demoted and suspended', true],
    ])('gives nothing back of a tenant whose founder was %s by another owner, and ends the place there', async (_what, isSuspended) => {
      const owner = await signUp(api);
      const { accomplice: boss, key, open } = await furnish(owner);
      expect((await call(api, 'PATCH', `/tenant/members/${owner.memberId}`, { token: boss, body: { role: 'viewer' } })).status).toBe(200);
      if (isSuspended) expect((await call(api, 'POST', `/tenant/members/${owner.memberId}/suspend`, { token: boss })).status).toBe(200);
      const token = await reset(owner.email);
      expect([await list({ apiKey: key }), await list({ token: boss }), await list({ token: owner.token }), await list({ token })]).toEqual([200, 200, 401, 403]);
      expect((await me(token)).body).toMatchObject({ email_verified: true, memberships: [] });
      expect((await call(api, 'GET', '/webhooks', { token: boss })).body.total).toBe(1);
      expect((await call(api, 'POST', '/auth/invitations/accept', { body: { token: open, name: 'Eva', password: PASSWORD } })).status).toBe(200);
      const lines = (await call(api, 'GET', '/tenant/audit-log?page_size=100', { token: boss })).body.items as { action: string; actor_kind: string; target_id: string; detail: { reason?: string } }[];
      expect(lines.filter(({ detail }) => detail.reason === 'address_unproven')).toMatchObject([{
        action: 'member.removed', actor_kind: 'system', target_id: owner.memberId, detail: { role: 'viewer', status: isSuspended ? 'suspended' : 'active' },
      }]);
      // An owner may invite whoever has proven the address.
      expect((await call(api, 'POST', '/tenant/members/invite', { token: boss, body: { email: owner.email, role: 'viewer' } })).status).toBe(201);
    });

    it('keeps what is in it when its owner had confirmed the address', async () => {
      const owner = await signUp(api);
      await call(api, 'POST', '/auth/email/verify', { body: { token: codeIn((await awaitMail(mailbox, owner.email)).text) } });
      const { accomplice, key } = await furnish(owner);
      const token = await reset(owner.email);
      expect([await list({ apiKey: key }), await list({ token: accomplice }), await list({ token })]).toEqual([200, 200, 200]);
      expect((await call(api, 'GET', '/webhooks', { token })).body.total).toBe(1);
      expect(await letterhead(token)).toMatchObject(LETTERHEAD);
    });

    it('gets nothing from a session that the reset has ended, though the call came before it', async () => {
      const owner = await signUp(api);
      const calls = [
        ['POST', '/auth/api-keys', { name: 'late' }], ['POST', '/tenant/members/invite', { email: newAddress(), role: 'viewer' }], ['POST', '/webhooks', { url: 'https://127.0.0.1:8443/late' }],
        ['PATCH', '/tenant/mail-settings', LETTERHEAD],
      ] as const;
      let late: Promise<Answer<Json>>[] = [];
      await inTransaction(stack.database, async (resetting) => {
        await resetting.query('select 1 from tenants where id = $1 for no key update', [owner.tenantId]);
        late = calls.map(([method, path, body]) => call(api, method, path, { token: owner.token, body }));
        await lockAwaited(stack.database, late.length, 'from tenants');
        await resetting.query('update sessions set ended_at = now() where user_id = $1', [owner.userId]);
        await resetting.query('commit');
      });
      expect((await Promise.all(late)).map(({ status }) => status)).toEqual([401, 401, 401, 401]);
      expect(await stack.database.query('select from mail_settings where tenant_id = $1', [owner.tenantId])).toEqual([]);
    });
  });

  it('locks an account after ten wrong passwords, and opens it again in time', async () => {
    const owner = await signUp(api);
    for (let tries = 0; tries < 10; tries += 1) expect((await logIn(api, owner.email, OTHER_PASSWORD)).status).toBe(401);
    await eventually(async () => (await audit(owner, 'login.locked')).length === 1);
    const locked = await logIn(api, owner.email);
    const unknown = await logIn(api, newAddress());
    expect([locked.status, { ...locked.body.error, request_id: '' }]).toEqual([unknown.status, { ...unknown.body.error, request_id: '' }]);
    await stack.database.query(`update users set locked_until = now() - interval '1 second' where id = $1`, [owner.userId]);
    expect((await logIn(api, owner.email)).status).toBe(200);
    // Those before the lock: what is tried during it, which nobody looks at, would bury what else was done in the tenant.
    expect(await audit(owner, 'login.failed')).toHaveLength(9);
  });

  it('answers a right password as a wrong one while the account is closed', async () => {
    const owner = await signUp(api);
    await stack.database.query('select sello.set_person_disabled($1, true, now())', [owner.email]);
    const answers = [await logIn(api, owner.email), await logIn(api, owner.email, OTHER_PASSWORD)];
    for (const { status, body } of answers) expect([status, body.error]).toMatchObject([401, { code: 'UNAUTHENTICATED', detail: { reason: 'email_or_password' } }]);
  });

  it.each([
    ['locked', `update users set locked_until = now() + interval '1 minute' where id = $1`],
    ['closed', 'update users set disabled_at = now() where id = $1'],
    ['given another password', `update users set password_hash = 'x', token_version = token_version + 1 where id = $1`],
  ])('answers a right password as a wrong one when the account is %s while it is under way', async (_how, change) => {
    const owner = await signUp(api);
    let late: Promise<Answer<Json>> | undefined;
    await inTransaction(stack, async (client) => {
      await client.query('select 1 from users where id = $1 for no key update', [owner.userId]);
      late = logIn(api, owner.email);
      await lockAwaited(stack.database, 1, 'open_session');
      await client.query(change, [owner.userId]);
      await client.query('commit');
    });
    const answer = await late;
    expect([answer?.status, answer?.body.error]).toMatchObject([401, { code: 'UNAUTHENTICATED', detail: { reason: 'email_or_password' } }]);
  });

  it('confirms none of many passwords that are tried at once', async () => {
    const owner = await signUp(api);
    const answers = await Promise.all(Array.from({ length: 30 }, (_, i) => logIn(api, owner.email, i === 29 ? PASSWORD : `${OTHER_PASSWORD} ${i}`)));
    // The right one may have come before the lock.
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThanOrEqual(29);
    for (const { status, body } of refused) expect([status, body.error]).toMatchObject([401, { code: 'UNAUTHENTICATED', detail: { reason: 'email_or_password' } }]);
  });

  it('keeps the tokens of a browser in cookies that its scripts cannot read', async () => {
    const owner = await signUp(api);
    const signedIn = await logIn(api, owner.email, PASSWORD, { cookie: true });
    const [access = '', refresh = ''] = signedIn.headers.getSetCookie();
    expect(access).toMatch(/^service_access_token=[\w.-]+; Max-Age=900; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/);
    expect(refresh).toMatch(/^service_refresh_token=[\w-]+; Max-Age=2592000; Path=\/auth; Expires=[^;]+; HttpOnly; SameSite=Strict$/);
    expect(signedIn.body.refresh_token).toBeNull();
    const cookie = cookiesOf(signedIn);
    expect((await call(api, 'GET', '/auth/me', { cookie })).status).toBe(200);
    const renewed = await call(api, 'POST', '/auth/refresh', { cookie, body: {}, headers: { Origin: api } });
    expect(renewed.status).toBe(200);
    const out = await call(api, 'POST', '/auth/logout', { cookie: cookiesOf(renewed), headers: { Origin: api } });
    expect([out.status, out.headers.getSetCookie().every((one) => one.includes('Expires=Thu, 01 Jan 1970'))]).toEqual([204, true]);
    expect((await call(api, 'GET', '/auth/me', { cookie: cookiesOf(renewed) })).status).toBe(401);
  });

  it('takes the cookies of a session that has ended away, and no other credential of one', async () => {
    const owner = await signUp(api);
    const headers = { Origin: api };
    const cookie = cookiesOf(await logIn(api, owner.email, PASSWORD, { cookie: true })).split('; ')[0] ?? '';
    await stack.database.query('update sessions set ended_at = now() where user_id = $1', [owner.userId]);
    for (const dead of [cookie, 'service_access_token=garbage']) {
      const out = await call(api, 'POST', '/auth/logout', { cookie: dead, headers });
      expect([out.status, out.headers.getSetCookie().map((one) => one.replace(/=.*Expires=Thu, 01 Jan 1970.*/, ''))]).toEqual([204, ['service_access_token', 'service_refresh_token']]);
    }
    const refused = [{ cookie }, { token: owner.token }, { token: owner.token, cookie, headers }, { apiKey: 'svc_test_garbage', headers }, { cookie: `${cookie}; ${cookie}`, headers }, {}];
    expect(await Promise.all(refused.map(async (options) => (await call(api, 'POST', '/auth/logout', options)).status))).toEqual([403, 401, 401, 401, 401, 401]);
    expect((await call(api, 'GET', '/auth/me', { cookie })).status).toBe(401);
  });

  it('leaves no cookie behind that would refuse what the next session sends', async () => {
    const owner = await signUp(api);
    const cleared = (answer: Answer<Json>): string[] => answer.headers.getSetCookie().filter((one) => one.includes('Expires=Thu, 01 Jan 1970')).map((one) => one.split('=', 1)[0] ?? '');
    const both = ['service_access_token', 'service_refresh_token'];
    const options = { cookie: cookiesOf(await logIn(api, owner.email, PASSWORD, { cookie: true })), headers: { Origin: api } };
    // Of two tabs that refresh at once, the second ends the session.
    expect((await call(api, 'POST', '/auth/refresh', { ...options, body: {} })).status).toBe(200);
    const late = await call(api, 'POST', '/auth/refresh', { ...options, body: {} });
    expect([late.status, cleared(late)]).toEqual([401, both]);
    // A token beside the cookie of another session: refused for that, whether the other session lives or not.
    const beside = await call(api, 'GET', '/auth/me', { token: owner.token, cookie: options.cookie });
    expect([beside.status, beside.body.error.detail, beside.body.error.message]).toEqual([401, { reason: 'conflicting_credentials' }, expect.stringContaining('más de una credencial')]);
    const again = await call(api, 'POST', '/auth/login', { ...options, body: { email: owner.email, password: PASSWORD } });
    expect([again.status, cleared(again)]).toEqual([200, both]);
    expect(cleared(await logIn(api, owner.email))).toEqual([]);
  });

  it('keeps the refresh cookie where a proxy shows the API', async () => {
    const owner = await signUp(api);
    const below = await stack.startApi({ PUBLIC_URL: 'https://example.com/api' });
    const signedIn = await logIn(below, owner.email, PASSWORD, { cookie: true });
    expect(signedIn.headers.getSetCookie()).toEqual([expect.stringContaining('; Path=/;'), expect.stringContaining('; Path=/api/auth;')]);
  });

  it('tells a wrong password and an unknown address alike, in words for a person', async () => {
    const owner = await signUp(api);
    const refusals = await Promise.all([logIn(api, owner.email, 'otra cosa distinta'), logIn(api, newAddress())]);
    const told = refusals.map(({ body }) => ({ ...body.error, request_id: '' }));
    expect(told[0]).toEqual(told[1]);
    expect(told[0]).toMatchObject({ code: 'UNAUTHENTICATED', detail: { reason: 'email_or_password' }, message: expect.stringContaining('restablezca la contraseña') });
  });

  it('lets a person work in the tenant they name, or in their only one', async () => {
    const [owner, other] = await Promise.all([signUp(api), signUp(api)]);
    const list = (token: string, tenantId?: string) => call(api, 'GET', '/issuers', { token, headers: tenantId === undefined ? {} : { 'X-Tenant-Id': tenantId } });
    const reasonOf = async (answer: ReturnType<typeof list>) => { const { status, body } = await answer; return [status, body.error?.detail?.reason]; };
    expect((await list(owner.token, owner.tenantId.toUpperCase())).status).toBe(200);
    expect(await reasonOf(list(owner.token, other.tenantId))).toEqual([403, 'tenant_mismatch']);
    expect(await reasonOf(list(owner.token, `${owner.tenantId}, ${owner.tenantId}`))).toEqual([403, 'tenant_mismatch']);
    expect(await reasonOf(list(owner.token, 'garbage'))).toEqual([403, 'tenant_mismatch']);
    await stack.database.query(
      `insert into members (tenant_id, id, user_id, email, role, status, invited_at, created_at, updated_at) values ($1, gen_random_uuid(), $2, $3, 'viewer', 'active', now(), now(), now())`,
      [other.tenantId, owner.userId, owner.email]);
    expect(await reasonOf(list(owner.token))).toEqual([403, 'tenant_required']);
    expect((await list(owner.token, other.tenantId)).status).toBe(200);
    expect((await me(owner.token)).body.memberships).toHaveLength(2);
  });

  it('looks at the named tenant only where a route acts in one', async () => {
    const [owner, other, admin] = await Promise.all([signUp(api), signUp(api), signUp(api)]);
    await stack.database.query('update users set is_platform_admin = true, email_verified_at = now() where id = $1', [admin.userId]);
    for (const named of ['garbage', randomUUID(), other.tenantId]) {
      const headers = { 'X-Tenant-Id': named };
      const { status, body } = await call(api, 'GET', '/auth/me', { token: owner.token, headers });
      expect([status, body.memberships?.map(({ tenant_id }: { tenant_id: string }) => tenant_id)]).toEqual([200, [owner.tenantId]]);
      expect((await call(api, 'GET', '/platform/tenants', { token: admin.token, headers })).status).toBe(200);
      expect((await call(api, 'GET', '/tenant', { token: owner.token, headers })).status).toBe(403);
    }
    expect((await call(api, 'POST', '/auth/logout', { token: owner.token, headers: { 'X-Tenant-Id': 'garbage' } })).status).toBe(204);
  });

  describe('an invitation', () => {
    const accept = (options: Parameters<typeof call>[3]) => call(api, 'POST', '/auth/invitations/accept', options);
    /** Invited by the owner of a new tenant; answers the token of the mail. */
    const invite = async (email: string, earlierMails = 0): Promise<{ owner: Owner; token: string }> => {
      const owner = await signUp(api);
      const invited = await call(api, 'POST', '/tenant/members/invite', { token: owner.token, body: { email, role: 'accountant' } });
      expect(invited.status).toBeLessThan(300);
      return { owner, token: codeIn((await awaitMail(mailbox, email, earlierMails)).text) };
    };

    it('makes a new person a member, once, with a proven address', async () => {
      const email = newAddress();
      const { owner, token } = await invite(email);
      const missing = await accept({ body: { token } });
      expect([missing.status, missing.body.detail.map(({ loc }: { loc: string[] }) => loc[1])]).toEqual([400, ['name', 'password']]);
      expect((await accept({ body: { token, name: 'Luis', password: '12345678' } })).status).toBe(422);
      const accepted = await accept({ body: { token, name: 'Luis Vaca', password: PASSWORD } });
      expect([accepted.status, accepted.body.tenant_id]).toEqual([200, owner.tenantId]);
      expect((await accept({ body: { token, name: 'Luis Vaca', password: PASSWORD } })).status).toBe(401);
      const signedIn = await logIn(api, email);
      expect((await me(signedIn.body.access_token)).body).toMatchObject({ email_verified: true, memberships: [{ tenant_id: owner.tenantId, role: 'accountant', status: 'active' }] });
      expect(await audit(owner, 'invitation.accepted')).toHaveLength(1);
    });

    it('is accepted by a newcomer whose browser keeps the cookie of a session that has ended, not with a token of one', async () => {
      const former = await signUp(api);
      const cookie = cookiesOf(await logIn(api, former.email, PASSWORD, { cookie: true }));
      await stack.database.query('update sessions set ended_at = now() where user_id = $1', [former.userId]);
      const { owner, token } = await invite(newAddress());
      const body = { token, name: 'Luis Vaca', password: PASSWORD };
      expect((await accept({ body, token: former.token })).status).toBe(401);
      const accepted = await accept({ body, cookie, headers: { Origin: api } });
      expect([accepted.status, accepted.body.tenant_id]).toEqual([200, owner.tenantId]);
    });

    it('is for the person of its address alone, who signs in first when they have an account', async () => {
      const [guest, stranger] = await Promise.all([signUp(api), signUp(api)]);
      // The first mail asks to confirm the address.
      await awaitMail(mailbox, guest.email);
      const { owner, token } = await invite(guest.email, 1);
      const body = { token };
      const asNew = await accept({ body: { ...body, name: 'Otra', password: PASSWORD } });
      expect([asNew.status, asNew.body.error.detail]).toEqual([409, { reason: 'sign_in_required' }]);
      expect((await accept({ body, token: stranger.token })).status).toBe(403);
      expect((await accept({ body, token: 'garbage' })).status).toBe(401);
      expect((await accept({ body, token: guest.token })).body).toEqual({ tenant_id: owner.tenantId, member_id: expect.any(String) as unknown });
      expect((await me(guest.token)).body.memberships).toHaveLength(2);
    });

    it('is void after its time, and of a closed tenant', async () => {
      const [early, closed] = [newAddress(), newAddress()];
      const expired = await invite(early);
      await stack.database.query(`update members set invitation_expires_at = now() - interval '1 second' where email = $1`, [early]);
      expect((await accept({ body: { token: expired.token, name: 'Luis', password: PASSWORD } })).status).toBe(401);
      const gone = await invite(closed);
      await stack.database.query('update tenants set is_active = false where id = $1', [gone.owner.tenantId]);
      expect((await accept({ body: { token: gone.token, name: 'Luis', password: PASSWORD } })).status).toBe(401);
    });
  });

  it('appoints administrators of the platform by an operator alone', async () => {
    const person = await signUp(api);
    const provision = (...args: string[]) =>
      promisify(execFile)(process.execPath, ['dist/src/provision.js', ...args], {
        env: { PATH: process.env['PATH'], DATABASE_URL: stack.databaseUrl, DATABASE_OWNER_URL: stack.ownerUrl, REDIS_URL: stack.redisUrl, SRI_RECEPTION_URL: 'http://localhost', SRI_AUTHORIZATION_URL: 'http://localhost' },
      });
    await expect(provision('--platform-admin', person.email)).rejects.toThrow('nobody with an account has proved');
    await stack.database.query('update users set email_verified_at = now() where id = $1', [person.userId]);
    await provision('--platform-admin', person.email.toUpperCase());
    expect((await me(person.token)).body.is_platform_admin).toBe(true);
    await provision('--platform-admin', person.email, '--revoke');
    // What changes nothing is no line.
    await provision('--platform-admin', person.email, '--revoke');
    expect((await me(person.token)).body.is_platform_admin).toBe(false);
    for (const action of ['person.platform_admin_appointed', 'person.platform_admin_dismissed']) expect(await audit(person, action)).toEqual([{ actor_kind: 'system', actor_id: null }]);
    const service = new pg.Client({ connectionString: stack.databaseUrl, options: '-c role=sello_app -c search_path=sello' });
    await service.connect();
    await expect(service.query('select set_platform_admin($1, true, now())', [person.email])).rejects.toThrow('permission denied');
    await service.end();
  });

  it('writes no secret into its log, and loses no sign-up with the mail server', async () => {
    const mute = await stack.startApi({ SMTP_URL: 'smtp://127.0.0.1:1' });
    const person = await signUp(mute);
    const mail = await awaitMail(mailbox, (await signUp(api)).email);
    const logged = (): string => readdirSync(stack.logFolder).map((file) => readFileSync(join(stack.logFolder, file), 'utf8')).join('');
    await eventually(async () => logged().includes('a mail was not sent'));
    for (const secret of [PASSWORD, person.token, person.refreshToken, codeIn(mail.text)]) expect(logged()).not.toContain(secret);
  });

  it('lets a platform administrator enter any tenant, and tells the tenant once an hour', async () => {
    const [owner, admin] = await Promise.all([signUp(api), signUp(api)]);
    await stack.database.query('update users set is_platform_admin = true where id = $1', [admin.userId]);
    const list = (tenantId: string) => call(api, 'GET', '/issuers', { token: admin.token, headers: { 'X-Tenant-Id': tenantId } });
    for (let times = 0; times < 3; times += 1) expect((await list(owner.tenantId)).status).toBe(200);
    const entered = await audit(owner, 'platform.tenant_entered');
    expect(entered[0]).toEqual({ actor_kind: 'platform_admin', actor_id: admin.userId });
    // A second line only when the hour has just ended.
    expect(entered.length).toBeLessThanOrEqual(2);
    expect((await list(admin.tenantId)).status).toBe(200);
    expect(await audit(owner, 'platform.tenant_entered')).toHaveLength(entered.length);
    expect((await list('11111111-1111-4111-8111-111111111111')).status).toBe(403);
  });
});
