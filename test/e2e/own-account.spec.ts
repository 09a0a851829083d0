import { Mailbox } from '../../src/local/mailbox.js';
import { awaitMail } from '../support/await-mail.js';
import { cookiesOf, logIn, newAddress, type Owner, PASSWORD, signUp } from '../support/callers.js';
import { inTransaction, lockAwaited } from '../support/held-transaction.js';
import { type Answer, call, type Json } from '../support/http.js';
import { member } from '../support/people.js';
import { type Stack, startStack } from '../support/stack.js';

const OTHER_PASSWORD = 'otras palabras distintas';
const WRONG = 'nada de lo que fue';

describe('the own account', () => {
  let stack: Stack;
  let mailbox: Mailbox;
  let api: string;

  beforeAll(async () => {
    mailbox = await Mailbox.start();
    stack = await startStack({ api: 2, workers: 0, simulator: false, env: { SMTP_URL: mailbox.smtpUrl } });
    api = stack.apiUrl;
  });
  afterAll(async () => {
    await stack.stop();
    await mailbox.stop();
  });

  const me = (token: string) => call(api, 'GET', '/auth/me', { token });
  /** What a token is answered on each process. */
  const everywhere = (token: string): Promise<number[]> => Promise.all(stack.apiUrls.map(async (url) => (await call(url, 'GET', '/auth/me', { token })).status));
  const refresh = (refreshToken: string) => call(api, 'POST', '/auth/refresh', { body: { refresh_token: refreshToken } });
  const lines = async (owner: Owner, action: string) =>
    stack.database.query<{ actor_kind: string; actor_id: string | null; target_id: string; detail: unknown }>(
      'select actor_kind, actor_id, target_id, detail from audit_log where tenant_id = $1 and action = $2', [owner.tenantId, action]);
  /** The line of what a person did themselves. */
  const by = ({ userId }: Owner, detail: object) => ({ actor_kind: 'user', actor_id: userId, target_id: userId, detail });
  const session = async (owner: Owner, password = PASSWORD): Promise<{ token: string; refreshToken: string }> => {
    const { body } = await logIn(api, owner.email, password);
    return { token: body.access_token as string, refreshToken: body.refresh_token as string };
  };
  /** Asks for something and ends its session once that waits for a lock: what comes of it. */
  const whileItsSessionEnds = async (owner: Owner, ask: () => Promise<Answer<Json>>, waitsIn: string): Promise<Answer<Json> | undefined> => {
    let late: Promise<Answer<Json>> | undefined;
    await inTransaction(stack, async (client) => {
      await client.query('update sessions set ended_at = now() where id = $1', [sessionOf(owner.token)]);
      late = ask();
      await lockAwaited(stack.database, 1, waitsIn);
      await client.query('commit');
    });
    return late;
  };
  const sessionOf = (token: string): string => (JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { sid: string }).sid;

  describe('takes another name', () => {
    const rename = (token: string, body: object) => call(api, 'PATCH', '/auth/me', { token, body });

    it('that all of the tenants see, and are told of once', async () => {
      const owner = await signUp(api);
      const answer = await rename(owner.token, { name: ' Ana María Ñúñez ' });
      expect([answer.status, answer.body.name]).toEqual([200, 'Ana María Ñúñez']);
      expect(answer.body).toEqual((await me(owner.token)).body);
      const { items } = (await call(api, 'GET', '/tenant/members', { token: owner.token })).body;
      expect(items.map(({ name }: { name: string }) => name)).toEqual(['Ana María Ñúñez']);
      expect((await rename(owner.token, { name: 'Ana María Ñúñez' })).status).toBe(200);
      expect(await lines(owner, 'person.renamed')).toEqual([by(owner, { name: { from: 'Ana Ruiz', to: 'Ana María Ñúñez' } })]);
    });

    it.each([[{}, 400], [{ name: '' }, 422], [{ name: null }, 422], [{ name: 'x'.repeat(121) }, 422], [{ name: 'Ana\nRuiz' }, 422], [{ name: 'Ana', email: 'a@b.co' }, 422]])('but not %j', async (body, status) => {
      const owner = await signUp(api);
      expect((await rename(owner.token, body)).status).toBe(status);
      expect((await me(owner.token)).body.name).toBe('Ana Ruiz');
    });
  });

  describe('takes another password', () => {
    const change = (token: string, current_password = PASSWORD, password = OTHER_PASSWORD): Promise<Answer<Json>> => call(api, 'POST', '/auth/password/change', { token, body: { current_password, password } });
    const problem = ({ status, body }: Answer<Json>) => [status, body.detail?.[0]?.loc, body.detail?.[0]?.type, body.detail?.[0]?.input];
    const wrong = [422, ['body', 'current_password'], 'wrong_password', null];

    it('and ends every other session, on every process, but keeps this one', async () => {
      const owner = await signUp(api);
      const other = await session(owner);
      expect((await change(owner.token)).status).toBe(204);
      expect([await everywhere(other.token), (await refresh(other.refreshToken)).status]).toEqual([[401, 401], 401]);
      expect(await everywhere(owner.token)).toEqual([200, 200]);
      expect([(await logIn(api, owner.email)).status, (await logIn(api, owner.email, OTHER_PASSWORD)).status]).toEqual([401, 200]);
      expect(await lines(owner, 'password.changed')).toEqual([by(owner, {})]);
      // With the tokens from before, which are this session's still.
      expect((await change(owner.token, OTHER_PASSWORD, PASSWORD)).status).toBe(204);
      const renewed = await refresh(owner.refreshToken);
      expect([renewed.status, await everywhere(renewed.body.access_token as string), await everywhere(owner.token)]).toEqual([200, [200, 200], [200, 200]]);
    });

    it('and the session that was kept ends as any does', async () => {
      const owner = await signUp(api);
      const kept = await session(owner);
      expect((await change(kept.token)).status).toBe(204);
      const last = await session(owner, OTHER_PASSWORD);
      expect((await change(last.token, OTHER_PASSWORD, PASSWORD)).status).toBe(204);
      expect([await everywhere(kept.token), await everywhere(last.token)]).toEqual([[401, 401], [200, 200]]);
      await stack.database.query('select sello.set_person_disabled($1, true, now())', [owner.email]);
      await stack.database.query('select sello.set_person_disabled($1, false, now())', [owner.email]);
      expect(await everywhere(last.token)).toEqual([401, 401]);
    });

    it('by the cookie of a page of ours, which stays signed in', async () => {
      const owner = await signUp(api);
      const cookie = cookiesOf(await logIn(api, owner.email, PASSWORD, { cookie: true }));
      const ask = (origin: string) => call(api, 'POST', '/auth/password/change', { cookie, headers: { Origin: origin }, body: { current_password: PASSWORD, password: OTHER_PASSWORD } });
      expect([(await ask('https://elsewhere.example')).status, (await ask(api)).status]).toEqual([403, 204]);
      expect((await call(api, 'GET', '/auth/me', { cookie })).status).toBe(200);
      expect((await me(owner.token)).status).toBe(401);
    });

    it('as strong as any that is chosen', async () => {
      const owner = await signUp(api);
      for (const weak of ['Password123', '12345678', owner.email]) expect(problem(await change(owner.token, WRONG, weak))).toEqual([422, ['body', 'password'], 'weak_password', null]);
      expect(problem(await change(owner.token, PASSWORD, 'abc!9Z'))).toEqual([422, ['body', 'password'], 'string_too_short', null]);
      // Nobody looked at what was said to be the present one.
      expect(await lines(owner, 'login.failed')).toEqual([]);
    });

    it('from who tells the present one: a wrong one counts as at the sign-in, up to the lock of the account', async () => {
      const owner = await signUp(api);
      for (let tries = 0; tries < 5; tries += 1) expect((await logIn(api, owner.email, WRONG)).status).toBe(401);
      for (let tries = 0; tries < 4; tries += 1) expect(problem(await change(owner.token, WRONG))).toEqual(wrong);
      // Those at the sign-in are counted behind its answer.
      for (let waits = 0; (await lines(owner, 'login.failed')).length < 9 && waits < 1_200; waits += 1) await new Promise((resolve) => setTimeout(resolve, 50));
      expect(problem(await change(owner.token, WRONG))).toEqual(wrong);
      expect([(await lines(owner, 'login.failed')).length, (await lines(owner, 'login.locked')).length]).toEqual([9, 1]);
      for (const current of [PASSWORD, WRONG]) {
        const refused = await change(owner.token, current);
        expect([refused.status, refused.body.error]).toMatchObject([429, { code: 'RATE_LIMITED', detail: { limit: 10, window_seconds: 900, reason: 'account_locked', lifted_by: 'POST /auth/password/forgot' } }]);
        expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(840);
      }
      expect([(await logIn(api, owner.email)).status, await everywhere(owner.token)]).toEqual([401, [200, 200]]);
      await stack.database.query(`update users set locked_until = now() - interval '1 second' where id = $1`, [owner.userId]);
      expect((await change(owner.token)).status).toBe(204);
      expect(await lines(owner, 'login.failed')).toHaveLength(9);
    });

    it('and not while other tries lock the account: the right one is refused as any is then, and its session goes on', async () => {
      const owner = await signUp(api);
      let late: Promise<Answer<Json>> | undefined;
      await inTransaction(stack, async (client) => {
        await client.query(`update users set locked_until = now() + interval '15 minutes' where id = $1`, [owner.userId]);
        late = change(owner.token);
        await lockAwaited(stack.database, 1, 'change_password');
        await client.query('commit');
      });
      const refused = await late;
      expect([refused?.status, refused?.body.error]).toMatchObject([429, { code: 'RATE_LIMITED', detail: { reason: 'account_locked' } }]);
      expect(await everywhere(owner.token)).toEqual([200, 200]);
      await stack.database.query('update users set locked_until = null where id = $1', [owner.userId]);
      const answers = await Promise.all(Array.from({ length: 30 }, (_, i) => change(owner.token, i === 29 ? PASSWORD : `${WRONG} ${i}`)));
      // The right one may have come before the lock.
      expect(answers.slice(0, -1).filter(({ status }) => status !== 422 && status !== 429)).toEqual([]);
      expect([204, 429]).toContain(answers.at(-1)?.status);
    });

    it('after which wrong ones are counted anew', async () => {
      const owner = await signUp(api);
      for (let tries = 0; tries < 9; tries += 1) await change(owner.token, WRONG);
      expect((await change(owner.token)).status).toBe(204);
      expect(problem(await change(owner.token, WRONG))).toEqual(wrong);
      expect((await logIn(api, owner.email, OTHER_PASSWORD)).status).toBe(200);
    });

    it('once it has one: a first one is set by mail', async () => {
      const owner = await signUp(api);
      const person = await member(stack, owner.tenantId, 'viewer');
      const refused = await change(person.token);
      expect([refused.status, refused.body.error]).toMatchObject([409, { code: 'INVALID_STATE', detail: { reason: 'no_password', allowed_actions: ['POST /auth/password/forgot'] } }]);
      expect(await lines(owner, 'login.failed')).toEqual([]);
    });

    it('once, where its call comes twice at once: the later one is no guess, and the session goes on', async () => {
      const owner = await signUp(api);
      let late: Promise<Answer<Json>[]> | undefined;
      await inTransaction(stack, async (client) => {
        await client.query('select from users where id = $1 for update', [owner.userId]);
        late = Promise.all([change(owner.token), change(owner.token)]);
        await lockAwaited(stack.database, 2, 'change_password');
        await client.query('commit');
      });
      const [first, second] = (await late)!.sort((one, other) => one.status - other.status);
      expect([first?.status, problem(second!)]).toEqual([204, wrong]);
      expect([await lines(owner, 'login.failed'), await everywhere(owner.token)]).toEqual([[], [200, 200]]);
    });

    it('of one of two sessions that set one at once', async () => {
      const owner = await signUp(api);
      const tokens = [owner.token, (await session(owner)).token];
      const chosen = ['primera de las dos', 'segunda de las dos'];
      const answers = await Promise.all(tokens.map((token, index) => change(token, PASSWORD, chosen[index])));
      expect(answers.map(({ status }) => status).sort()).toEqual([204, 401]);
      const first = answers[0]?.status === 204;
      expect((await Promise.all(tokens.map(me))).map(({ status }) => status)).toEqual(first ? [200, 401] : [401, 200]);
      expect((await Promise.all(chosen.map((password) => logIn(api, owner.email, password)))).map(({ status }) => status)).toEqual(first ? [200, 401] : [401, 200]);
      expect(await lines(owner, 'password.changed')).toHaveLength(1);
    });

    it('and refuses a sign-in with the earlier one that is under way', async () => {
      const owner = await signUp(api);
      let late: Promise<Answer<Json>> | undefined;
      await inTransaction(stack, async (client) => {
        await client.query('select 1 from users where id = $1 for no key update', [owner.userId]);
        late = logIn(api, owner.email);
        await lockAwaited(stack.database, 1, 'open_session');
        const { rows } = await client.query<{ done: boolean }>(`select change_password($1, $2, 1, 'x', now(), 'r', '127.0.0.1') as done`, [owner.userId, sessionOf(owner.token)]);
        expect(rows).toEqual([{ done: true }]);
        await client.query('commit');
      });
      expect([(await late)?.status, await everywhere(owner.token)]).toEqual([401, [200, 200]]);
    });

    it('of no session that has ended under way', async () => {
      const owner = await signUp(api);
      const other = await session(owner);
      const late = await whileItsSessionEnds(owner, () => change(owner.token), 'change_password');
      expect([late?.status, await everywhere(other.token), (await logIn(api, owner.email)).status]).toEqual([401, [200, 200], 200]);
    });

    it('and leaves the links of a reset to whoever reads the mails', async () => {
      const owner = await signUp(api);
      // The letter of the sign-up, which the next might overtake.
      await awaitMail(mailbox, owner.email);
      await call(api, 'POST', '/auth/password/forgot', { body: { email: owner.email } });
      const token = /#token=([\w-]{43})\s/.exec((await awaitMail(mailbox, owner.email, 1)).text)?.[1];
      expect((await change(owner.token)).status).toBe(204);
      expect((await call(api, 'POST', '/auth/password/reset', { body: { token, password: PASSWORD } })).status).toBe(204);
      expect([await everywhere(owner.token), (await logIn(api, owner.email)).status]).toEqual([[401, 401], 200]);
    });
  });

  describe('is signed out everywhere', () => {
    const signOut = (token: string) => call(api, 'DELETE', '/auth/sessions', { token });

    it('at once, on every process, and told of as of a logout', async () => {
      const owner = await signUp(api);
      const other = await session(owner);
      expect((await signOut(other.token)).status).toBe(204);
      expect([await everywhere(owner.token), await everywhere(other.token)]).toEqual([[401, 401], [401, 401]]);
      expect([(await refresh(owner.refreshToken)).status, (await refresh(other.refreshToken)).status, (await signOut(owner.token)).status]).toEqual([401, 401, 401]);
      expect(await lines(owner, 'logout')).toEqual([by(owner, { everywhere: true, sessions: 2 })]);
      expect(await everywhere((await session(owner)).token)).toEqual([200, 200]);
    });

    it('with its cookies taken away, by a page of ours alone', async () => {
      const owner = await signUp(api);
      const cookie = cookiesOf(await logIn(api, owner.email, PASSWORD, { cookie: true }));
      const by = (origin: string) => call(api, 'DELETE', '/auth/sessions', { cookie, headers: { Origin: origin } });
      expect((await by('https://elsewhere.example')).status).toBe(403);
      const out = await by(api);
      expect([out.status, out.headers.getSetCookie().map((one) => one.replace(/=.*Expires=Thu, 01 Jan 1970.*/, ''))]).toEqual([204, ['service_access_token', 'service_refresh_token']]);
      expect([(await call(api, 'GET', '/auth/me', { cookie })).status, (await me(owner.token)).status]).toEqual([401, 401]);
    });

    it('and nobody else is', async () => {
      const [owner, other] = [await signUp(api), await signUp(api)];
      expect((await signOut(owner.token)).status).toBe(204);
      expect(await everywhere(other.token)).toEqual([200, 200]);
    });

    it('with a sign-in that is under way', async () => {
      const owner = await signUp(api);
      let late: Promise<Answer<Json>> | undefined;
      await inTransaction(stack, async (client) => {
        await client.query('select 1 from users where id = $1 for no key update', [owner.userId]);
        late = logIn(api, owner.email);
        await lockAwaited(stack.database, 1, 'open_session');
        await client.query(`select end_every_session($1, $2, now(), 'r', '127.0.0.1')`, [owner.userId, sessionOf(owner.token)]);
        await client.query('commit');
      });
      expect([(await late)?.status, (await logIn(api, owner.email)).status]).toEqual([401, 200]);
    });

    it('by no session that has ended under way', async () => {
      const owner = await signUp(api);
      const other = await session(owner);
      const late = await whileItsSessionEnds(owner, () => signOut(owner.token), 'end_every_session');
      expect([late?.status, await everywhere(other.token)]).toEqual([401, [200, 200]]);
    });
  });

  it('is out of reach of keys and of strangers', async () => {
    const owner = await signUp(api);
    const key = (await call(api, 'POST', '/auth/api-keys', { token: owner.token, body: { name: 'ERP' } })).body.key as string;
    const calls: readonly [string, string, object?][] = [['PATCH', '/auth/me', { name: newAddress() }], ['POST', '/auth/password/change', { current_password: PASSWORD, password: OTHER_PASSWORD }], ['DELETE', '/auth/sessions']];
    for (const [method, path, body] of calls) {
      const refused = [{ apiKey: key }, {}].map(async (who) => (await call(api, method, path, { ...who, ...(body === undefined ? {} : { body }) })).status);
      expect(await Promise.all(refused)).toEqual([403, 401]);
    }
    expect((await me(owner.token)).body.name).toBe('Ana Ruiz');
  });
});
