import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Mailbox } from '../../src/local/mailbox.js';
import { awaitMail } from '../support/await-mail.js';
import { Business } from '../support/business.js';
import { newAddress, PASSWORD, signUp } from '../support/callers.js';
import { type Answer, call, type Json } from '../support/http.js';
import { rawServer } from '../support/local-server.js';
import { member, signedIn, type Somebody } from '../support/people.js';
import { type Stack, startStack } from '../support/stack.js';

interface Line {
  action: string;
  actor_id: string;
  target_id: string;
  detail: unknown;
}

describe('an invitation by mail', () => {
  let mailbox: Mailbox;
  let stack: Stack;
  let business: Business;
  let owner: Somebody;

  beforeAll(async () => {
    mailbox = await Mailbox.start();
    stack = await startStack({
      workers: 0, simulator: false,
      env: {
        SRI_RECEPTION_URL: 'http://127.0.0.1:9/r', SRI_AUTHORIZATION_URL: 'http://127.0.0.1:9/a', SMTP_URL: mailbox.smtpUrl,
        RATE_LIMIT_AUTH_PER_MINUTE: '1000000', PANEL_URL: 'https://panel.example',
      },
    });
    business = await Business.open(stack, { certificate: null });
    owner = await member(stack, business.tenantId, 'tenant_owner');
    await owner.call('PATCH', '/tenant', { name: 'Café & Ñandú\u0020S.A.' });
  });
  afterAll(async () => {
    await stack.stop();
    await mailbox.stop();
  });

  const invite = async (email: string, role = 'accountant'): Promise<string> => {
    const answer = await owner.call('POST', '/tenant/members/invite', { email, role });
    expect(answer.status).toBe(201);
    return answer.body['member_id'] as string;
  };
  const tokenIn = async (email: string, index = 0): Promise<string> => {
    const { text } = await awaitMail(mailbox, email, index);
    return /https:\/\/panel\.example\/accept-invitation#token=([\w-]{43})\s/.exec(text)?.[1] ?? '';
  };
  const accept = (token: string, as: { name?: string; password?: string } = {}, bearer?: string): Promise<Answer<Json>> =>
    call(stack.apiUrl, 'POST', '/auth/invitations/accept', { body: { token, ...as }, ...(bearer === undefined ? {} : { token: bearer }) });
  const look = (token: string, more: object = {}): Promise<Answer<Json>> => call(stack.apiUrl, 'POST', '/auth/invitations/look', { body: { token }, ...more });
  const members = async (): Promise<Record<string, unknown>[]> =>
    (await owner.call<{ items: Record<string, unknown>[] }>('GET', '/tenant/members?page_size=100')).body.items;

  /** A look is refused with the words with which an acceptance is. */
  const refusedAlike = async (token: string): Promise<void> => {
    const [looked, accepted] = [await look(token), await accept(token, { name: 'Ana', password: PASSWORD })];
    const { code, message, detail } = accepted.body.error as { code: string; message: string; detail: unknown };
    expect([looked.status, looked.body.error]).toEqual([401, { code, message, detail, request_id: expect.any(String) as unknown }]);
    expect([accepted.status, code, detail]).toEqual([401, 'UNAUTHENTICATED', { reason: 'token_invalid' }]);
  };

  it('makes a new person a member, who signs in and works in the role', async () => {
    const email = newAddress();
    const memberId = await invite(email);
    const mail = await awaitMail(mailbox, email);
    expect(mail.text).toContain('Café & Ñandú S.A.');
    const token = await tokenIn(email);
    const accepted = await accept(token, { name: 'Ana', password: PASSWORD });
    expect([accepted.status, accepted.body]).toEqual([200, { tenant_id: business.tenantId, member_id: memberId }]);
    // It opens no session: the page signs in next.
    expect(accepted.headers.getSetCookie()).toEqual([]);
    expect((await members()).find((one) => one['member_id'] === memberId)).toMatchObject({ email, name: 'Ana', role: 'accountant', status: 'active', invitation_expires_at: null, last_login_at: null });
    const login = await call(stack.apiUrl, 'POST', '/auth/login', { body: { email, password: PASSWORD } });
    const bearer = login.body.access_token as string;
    const asMember = (method: string, path: string, body?: unknown): Promise<Answer> => call(stack.apiUrl, method, path, { body, token: bearer });
    expect([(await asMember('GET', '/issuers')).status, (await asMember('POST', '/auth/api-keys', { name: 'x' })).status]).toEqual([200, 403]);
    expect((await members()).find((one) => one['member_id'] === memberId)?.['last_login_at']).toEqual(expect.any(String));
    // Once.
    expect((await accept(token, { name: 'Eva', password: PASSWORD })).status).toBe(401);
    const { items } = (await owner.call<{ items: Line[] }>('GET', '/tenant/audit-log?page_size=100')).body;
    const told = items.filter((line) => line.target_id === memberId);
    expect(told.map(({ action }) => action)).toEqual(['invitation.accepted', 'member.invited']);
    // Removed while signed in: out at once, on the same token.
    expect((await owner.call('DELETE', `/tenant/members/${memberId}`)).status).toBe(204);
    expect((await asMember('GET', '/issuers')).status).toBe(403);
  });

  it('tells its reader what it offers, before it is accepted, and is as good afterwards', async () => {
    const email = newAddress();
    const memberId = await invite(email, 'billing_operator');
    const token = await tokenIn(email);
    const { invitation_expires_at: expiresAt } = (await members()).find((one) => one['member_id'] === memberId) ?? {};
    const seen = { tenant_name: 'Café & Ñandú S.A.', email, role: 'billing_operator', expires_at: expiresAt, has_account: false };
    for (const more of [{}, {}, { headers: { 'X-API-Key': 'svc_test_garbage' } }, { cookie: 'service_access_token=garbage', headers: { Origin: stack.apiUrl } }]) {
      const { status, body } = await look(token, more);
      expect([status, body]).toEqual([200, seen]);
    }
    // What it offers now: the role may have been changed since the mail.
    expect((await owner.call('PATCH', `/tenant/members/${memberId}`, { role: 'viewer' })).status).toBe(200);
    expect((await look(token)).body.role).toBe('viewer');
    const { items } = (await owner.call<{ items: Line[] }>('GET', '/tenant/audit-log?page_size=100')).body;
    expect(items.filter((line) => line.target_id === memberId).map(({ action }) => action)).toEqual(['member.role_changed', 'member.invited']);
    expect((await accept(token, { name: 'Ana', password: PASSWORD })).status).toBe(200);
    expect((await look(token)).status).toBe(401);
  });

  it('says whether its address has an account, to whoever has the mail alone', async () => {
    const known = await signUp(stack.apiUrl);
    // The first mail asks to confirm the address, and the second might overtake it.
    await awaitMail(mailbox, known.email);
    await invite(known.email, 'viewer');
    const token = await tokenIn(known.email, 1);
    expect((await look(token)).body).toMatchObject({ email: known.email, role: 'viewer', has_account: true });
    expect((await accept(token, {}, known.token)).status).toBe(200);
  });

  it.each([[{}, 400], [{ token: 7 }, 422], [{ token: '' }, 401], [{ token: 'x'.repeat(129) }, 422], [{ token: 'x', name: 'Ana' }, 422]])('is not looked at by %j', async (body, status) => {
    expect((await call(stack.apiUrl, 'POST', '/auth/invitations/look', { body })).status).toBe(status);
  });

  it('of a closed tenant, and of a mail of another kind, shows nothing', async () => {
    const founder = await signUp(stack.apiUrl);
    const guest = newAddress();
    const confirmation = /#token=([\w-]{43})\s/.exec((await awaitMail(mailbox, founder.email)).text)?.[1] ?? '';
    await call(stack.apiUrl, 'POST', '/tenant/members/invite', { token: founder.token, body: { email: guest, role: 'viewer' } });
    const token = await tokenIn(guest);
    expect((await look(token)).status).toBe(200);
    await stack.database.query('update tenants set is_active = false where id = $1', [founder.tenantId]);
    await refusedAlike(token);
    await refusedAlike(confirmation);
    await refusedAlike('garbage');
  });

  it('is listed to the person who has confirmed its address, and accepted by its token alone', async () => {
    const [guest, stranger] = await Promise.all([signUp(stack.apiUrl), signUp(stack.apiUrl)]);
    const seen = async (token = guest.token): Promise<unknown> => (await call(stack.apiUrl, 'GET', '/auth/me', { token })).body.invitations;
    const confirm = async (who: typeof guest): Promise<void> => {
      const token = /#token=([\w-]{43})\s/.exec((await awaitMail(mailbox, who.email)).text)?.[1];
      expect((await call(stack.apiUrl, 'POST', '/auth/email/verify', { body: { token } })).status).toBe(204);
    };
    await confirm(stranger);
    const { text: confirmation } = await awaitMail(mailbox, guest.email);
    const memberId = await invite(guest.email, 'viewer');
    const token = await tokenIn(guest.email, 1);
    // Whoever opened the account may have done so under another's address.
    expect(await seen()).toEqual([]);
    const proof = /#token=([\w-]{43})\s/.exec(confirmation)?.[1];
    expect((await call(stack.apiUrl, 'POST', '/auth/email/verify', { body: { token: proof } })).status).toBe(204);
    const { invitation_expires_at: expiresAt } = (await members()).find((one) => one['member_id'] === memberId) ?? {};
    const listed = { member_id: memberId, tenant_name: 'Café & Ñandú S.A.', role: 'viewer', expires_at: expiresAt };
    expect([await seen(), await seen(stranger.token)]).toEqual([[listed], []]);
    // What is listed accepts nothing, and looking changes nothing.
    expect((await accept(memberId, {}, guest.token)).status).toBe(401);
    for (const [change, back, shown] of [
      ['update members set role = $2 where id = $1', 'viewer', [{ ...listed, role: 'accountant' }]],
      ['update members set invitation_expires_at = $2 where id = $1', expiresAt, []],
    ] as const) {
      await stack.database.query(change, [memberId, change.includes('role') ? 'accountant' : new Date()]);
      expect(await seen()).toEqual(shown);
      await stack.database.query(change, [memberId, back]);
    }
    await stack.database.query('update tenants set is_active = false where id = $1', [business.tenantId]);
    expect(await seen()).toEqual([]);
    await stack.database.query('update tenants set is_active = true where id = $1', [business.tenantId]);
    expect(await seen()).toEqual([listed]);
    expect((await accept(token, {}, guest.token)).status).toBe(200);
    expect(await seen()).toEqual([]);
    // Taken back.
    const again = await invite(stranger.email);
    expect(await seen(stranger.token)).toMatchObject([{ member_id: again }]);
    expect((await owner.call('DELETE', `/tenant/members/${again}`)).status).toBe(204);
    expect(await seen(stranger.token)).toEqual([]);
  });

  it('is listed among the latest 20, newest first, whoever many invite', async () => {
    const person = await signedIn(stack);
    await stack.database.query(
      `with many as (insert into tenants (id, name, created_at) select gen_random_uuid(), 'Tenant ' || n, now() from generate_series(1, 25) n returning id, name)
       insert into members (tenant_id, id, email, role, status, invited_at, invitation_hash, invitation_expires_at, created_at, updated_at)
       select id, gen_random_uuid(), $1, 'viewer', 'invited', now(), '\\x00', now() + substr(name, 8)::int * interval '1 hour', now(), now() from many`, [person.email]);
    const { invitations } = (await person.call<{ invitations: { tenant_name: string }[] }>('GET', '/auth/me')).body;
    expect(invitations.map(({ tenant_name }) => tenant_name)).toEqual(Array.from({ length: 20 }, (_, i) => `Tenant ${25 - i}`));
  });

  it('makes the signed-in person of that address a member of a second tenant, and nobody else', async () => {
    const [invited, other] = await Promise.all([signUp(stack.apiUrl), signUp(stack.apiUrl)]);
    // The first mail asks to confirm the address, and the second might overtake it.
    await awaitMail(mailbox, invited.email);
    await invite(invited.email, 'viewer');
    const token = await tokenIn(invited.email, 1);
    expect((await accept(token, {}, other.token)).status).toBe(403);
    expect((await accept(token, { name: 'Eva', password: PASSWORD })).status).toBe(409);
    expect((await accept(token, {}, invited.token)).status).toBe(200);
    const seen = await call(stack.apiUrl, 'GET', '/tenant', { token: invited.token, headers: { 'X-Tenant-Id': business.tenantId } });
    expect([seen.status, seen.body.id]).toEqual([200, business.tenantId]);
    const own = await call(stack.apiUrl, 'GET', '/tenant', { token: invited.token, headers: { 'X-Tenant-Id': invited.tenantId } });
    expect([own.status, own.body.id]).toEqual([200, invited.tenantId]);
  });

  it('of an account asks for a sign-in, not for a name and a password, of whom is signed in no more', async () => {
    const known = await signUp(stack.apiUrl);
    await awaitMail(mailbox, known.email);
    await invite(known.email, 'viewer');
    const token = await tokenIn(known.email, 1);
    const signedOut = [409, 'INVALID_STATE', { reason: 'sign_in_required' }];
    const told = async (body: object, cookie?: string): Promise<unknown> => {
      const answer = await call(stack.apiUrl, 'POST', '/auth/invitations/accept', { body: { token, ...body }, ...(cookie === undefined ? {} : { cookie, headers: { Origin: stack.apiUrl } }) });
      const { code, detail } = answer.body.error as { code: string; detail: unknown };
      return [answer.status, code, detail];
    };
    expect([await told({}), await told({ name: 'Eva' }), await told({ password: PASSWORD })]).toEqual([signedOut, signedOut, signedOut]);
    // The access cookie has run out; the page gets another by the refresh cookie, and accepts.
    const login = await call(stack.apiUrl, 'POST', '/auth/login', { body: { email: known.email, password: PASSWORD, cookie: true } });
    const refreshCookie = login.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '').find((cookie) => cookie.includes('refresh')) ?? '';
    expect(await told({}, refreshCookie)).toEqual([401, 'UNAUTHENTICATED', null]);
    const refreshed = await call(stack.apiUrl, 'POST', '/auth/refresh', { body: {}, cookie: refreshCookie, headers: { Origin: stack.apiUrl } });
    expect((await accept(token, {}, refreshed.body.access_token as string)).status).toBe(200);
  });

  it('is void when it was sent anew, taken back, or is too old', async () => {
    const [anew, back, old] = [newAddress(), newAddress(), newAddress()];
    const memberId = await invite(anew);
    const first = await tokenIn(anew);
    expect((await owner.call('POST', `/tenant/members/${memberId}/reinvite`)).status).toBe(200);
    const second = await tokenIn(anew, 1);
    expect(second).not.toBe(first);
    await refusedAlike(first);
    expect((await accept(second, { name: 'Ana', password: PASSWORD })).status).toBe(200);

    const taken = await invite(back);
    expect((await owner.call('DELETE', `/tenant/members/${taken}`)).status).toBe(204);
    await refusedAlike(await tokenIn(back));

    const stale = await invite(old);
    await stack.database.query(`update members set invitation_expires_at = now() where id = $1`, [stale]);
    await refusedAlike(await tokenIn(old));
  });

  it('of a tenant that the platform founds makes its owner', async () => {
    const admin = await signedIn(stack, { platformAdmin: true });
    const email = newAddress();
    const { body: tenant } = await admin.call('POST', '/platform/tenants', { name: 'Nueva', owner_email: email });
    const accepted = await accept(await tokenIn(email), { name: 'Dueña', password: PASSWORD });
    expect([accepted.status, accepted.body.tenant_id]).toEqual([200, tenant['id']]);
    const login = await call(stack.apiUrl, 'POST', '/auth/login', { body: { email, password: PASSWORD } });
    expect((await call(stack.apiUrl, 'PATCH', '/tenant', { token: login.body.access_token, body: { name: 'Mía' } })).status).toBe(200);
  });

  it('of a tenant whose people have not confirmed their address is one of five a day, also by a key', async () => {
    const founder = await signUp(stack.apiUrl);
    const { text } = await awaitMail(mailbox, founder.email);
    const key = await call(stack.apiUrl, 'POST', '/auth/api-keys', { token: founder.token, body: { name: 'ERP' } });
    const by = (who: object, email = newAddress()) => call(stack.apiUrl, 'POST', '/tenant/members/invite', { ...who, body: { email, role: 'viewer' } });
    const [person, program] = [{ token: founder.token }, { apiKey: key.body.key as string }];
    const sent = [await by(person), await by(program), await by(person), await by(program)];
    const again = (): Promise<Answer<Json>> => call(stack.apiUrl, 'POST', `/tenant/members/${String(sent[0]?.body.member_id)}/reinvite`, person);
    expect([...sent, await again()].map(({ status }) => status)).toEqual([201, 201, 201, 201, 200]);
    for (const refused of [await by(person), await by(program), await again()]) {
      expect([refused.status, refused.body.error]).toMatchObject([
        429, { code: 'RATE_LIMITED', detail: { limit: 5, window_seconds: 86_400, invitations_of: 'tenant', reason: 'email_unconfirmed', lifted_by: 'POST /auth/email/verify' } },
      ]);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(86_400 - 60);
    }
    const token = /#token=([\w-]{43})\s/.exec(text)?.[1];
    expect((await call(stack.apiUrl, 'POST', '/auth/email/verify', { body: { token } })).status).toBe(204);
    expect([(await by(person)).status, (await by(program)).status]).toEqual([201, 201]);
  });

  it('to one address is one of two a day of all who have not confirmed theirs, and one of 20 of all', async () => {
    const victim = newAddress();
    const by = (who: object, email = victim) => call(stack.apiUrl, 'POST', '/tenant/members/invite', { ...who, body: { email, role: 'viewer' } });
    const founders = await Promise.all([1, 2, 3, 4].map(() => signUp(stack.apiUrl)));
    // At once: they are counted one after the other, whatever the tenant.
    const answers = await Promise.all(founders.map(({ token }) => by({ token })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 429, 429]);
    const late = founders[answers.findIndex(({ status }) => status === 429)];
    const refused = await by({ token: late?.token });
    expect(refused.body.error.detail).toEqual({
      limit: 2, limits: 'invitations', window_seconds: 86_400, invitations_of: 'address', reason: 'email_unconfirmed', lifted_by: 'POST /auth/email/verify', retry_after_seconds: expect.any(Number) as unknown,
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(86_400 - 60);
    // What was refused has left no trace, and other addresses are open to its sender.
    expect((await call(stack.apiUrl, 'GET', '/tenant/members', { token: late?.token })).body.total).toBe(1);
    expect((await by({ token: late?.token }, newAddress())).status).toBe(201);
    // An accountant may well be invited by many, who are no strangers to us.
    const inviteAndTakeBack = async (of: Business): Promise<number> => {
      const answer = await of.call('POST', '/tenant/members/invite', { email: victim, role: 'viewer' });
      if (answer.status === 201) await of.call('DELETE', `/tenant/members/${String(answer.body['member_id'])}`);
      return answer.status;
    };
    for (let round = 0; round < 6; round += 1) {
      const client = await Business.open(stack, { certificate: null });
      for (let mail = 0; mail < 3; mail += 1) expect(await inviteAndTakeBack(client)).toBe(201);
    }
    const another = await Business.open(stack, { certificate: null });
    const last = await another.call('POST', '/tenant/members/invite', { email: victim.toUpperCase(), role: 'viewer' });
    expect([last.status, last.body]).toMatchObject([429, { error: { code: 'RATE_LIMITED', detail: { limit: 20, invitations_of: 'address' } } }]);
    // Reinvitations are mails, too.
    const [mailed] = founders.filter((one) => one !== late && answers[founders.indexOf(one)]?.status === 201);
    const { items } = (await call(stack.apiUrl, 'GET', '/tenant/members', { token: mailed?.token })).body;
    const invited = items.find(({ email }: { email: string }) => email === victim);
    expect((await call(stack.apiUrl, 'POST', `/tenant/members/${String(invited.member_id)}/reinvite`, { token: mailed?.token })).body.error.detail).toMatchObject({ limit: 20, invitations_of: 'address' });
    // A day later there is room, and what is over is cleared away.
    await stack.database.query(
      `update invited_addresses set mails = array(select m - interval '25 hours' from unnest(mails) m), unconfirmed_mails = array(select m - interval '25 hours' from unnest(unconfirmed_mails) m)
       where email_hash = sha256($1)`, [Buffer.from(victim)]);
    await stack.database.query(`insert into invited_addresses (email_hash, last_at) values ('\\x00', now() - interval '25 hours')`);
    expect(await inviteAndTakeBack(another)).toBe(201);
    const kept = await stack.database.query(
      `select cardinality(mails) as mails, cardinality(unconfirmed_mails) as unconfirmed from invited_addresses where email_hash in (sha256($1), '\\x00')`, [Buffer.from(victim)]);
    expect(kept).toEqual([{ mails: 1, unconfirmed: 0 }]);
  });

  it('does not wait for the mail, and does not fail without one', async () => {
    let called: ((socket: Socket) => void) | undefined;
    const calling = new Promise<Socket>((resolve) => (called = resolve));
    const silent = await rawServer((socket) => called?.(socket));
    try {
      const api = await stack.startApi({ SMTP_URL: silent.url.replace('http:', 'smtp:') });
      const answer = await owner.call('POST', '/tenant/members/invite', { email: newAddress(), role: 'viewer' }, null, api);
      expect(answer.status).toBe(201);
      // Who is greeted only now must have been waiting when the answer came.
      const socket = await calling;
      socket.write('220 mail.example\r\n');
      const [said] = await Promise.race([once(socket, 'data'), once(socket, 'close')]);
      expect(String(said)).toMatch(/^EHLO/);
    } finally {
      await silent.close();
    }
  });
});
