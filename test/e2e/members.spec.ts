import { createHash, randomUUID } from 'node:crypto';
import { OWN_SQL_STATE } from '../../src/platform/database/own-sql-state.js';
import { addDays, guayaquilDay } from '../../src/shared/guayaquil.js';
import { MEMBER_ROLES, type MemberRole } from '../../src/shared/tenant-context.js';
import { Business } from '../support/business.js';
import { inTransaction, lockAwaited } from '../support/held-transaction.js';
import { type Answer, call } from '../support/http.js';
import { join, member, signedIn, type Somebody } from '../support/people.js';
import { type Stack, startStack } from '../support/stack.js';

interface Member {
  member_id: string;
  user_id: string | null;
  email: string;
  name: string | null;
  role: MemberRole;
  status: string;
  invited_at: string;
  invitation_expires_at: string | null;
  last_login_at: string | null;
}

interface Refused {
  error: { code: string; detail: { reason?: string; status?: string; allowed_actions?: string[] } | null };
}

interface Line {
  action: string;
  actor_kind: string;
  actor_id: string;
  target_kind: string;
  target_id: string;
  detail: Record<string, unknown>;
  request_id: string;
  address: string;
  at: string;
}

/** Status, code and reason. */
const verdict = ({ status, body }: Answer): unknown[] => {
  const { code, detail } = (body as unknown as Refused).error;
  return [status, code, detail?.reason ?? null];
};

describe('members of a tenant', () => {
  let stack: Stack;
  let business: Business;
  let other: Business;
  let owner: Somebody & { memberId: string };
  let admin: Somebody & { memberId: string };
  let platform: Somebody;

  beforeAll(async () => {
    stack = await startStack({
      api: 2, workers: 0, simulator: false,
      env: { SRI_RECEPTION_URL: 'http://127.0.0.1:9/r', SRI_AUTHORIZATION_URL: 'http://127.0.0.1:9/a', RATE_LIMIT_AUTH_PER_MINUTE: '1000000' },
    });
    [business, other] = [await Business.open(stack, { certificate: null }), await Business.open(stack, { certificate: null })];
    [owner, admin] = [await member(stack, business.tenantId, 'tenant_owner'), await member(stack, business.tenantId, 'tenant_admin')];
    platform = await signedIn(stack, { platformAdmin: true });
  });
  afterAll(() => stack.stop());

  /** Until the invitation of an answered member runs out, rounded. */
  const daysLeft = ({ body }: Answer): number => Math.round((Date.parse(String(body['invitation_expires_at'])) - Date.now()) / 86_400_000);

  let invitations = 0;
  const invite = (caller: { call: Somebody['call'] } | Business, role: string, email = `guest-${(invitations += 1)}@example.com`): Promise<Answer> =>
    caller instanceof Business
      ? caller.call('POST', '/tenant/members/invite', { email, role })
      : caller.call('POST', '/tenant/members/invite', { email, role }, business.tenantId);
  const act = (caller: Somebody, id: string, what: string): Promise<Answer> => caller.call('POST', `/tenant/members/${id}/${what}`, undefined, business.tenantId);
  const change = (caller: Somebody, id: string, role: string): Promise<Answer> => caller.call('PATCH', `/tenant/members/${id}`, { role }, business.tenantId);
  const remove = (caller: Somebody, id: string): Promise<Answer> => caller.call('DELETE', `/tenant/members/${id}`, undefined, business.tenantId);
  const lines = async (query = ''): Promise<Line[]> => (await business.call<{ items: Line[] }>('GET', `/tenant/audit-log?page_size=100${query}`)).body.items;

  describe('the tenant', () => {
    it('is read by its members and named by its owner', async () => {
      const read = await owner.call('GET', '/tenant');
      expect([read.status, read.body]).toEqual([200, { id: business.tenantId, name: 'Business', is_active: true, sri_environment: 'TEST', created_at: expect.any(String) }]);
      const named = await owner.call('PATCH', '/tenant', { name: ' Ñandú ' });
      expect([named.status, named.body]).toEqual([200, { ...read.body, name: 'Ñandú' }]);
      expect((await owner.call('PATCH', '/tenant', { name: 'Ñandú' })).status).toBe(200);
      expect(await lines('&action=tenant.changed')).toMatchObject([
        { actor_kind: 'user', actor_id: owner.userId, target_kind: 'tenant', target_id: business.tenantId, detail: { name: { from: 'Business', to: 'Ñandú' } } },
      ]);
      expect(verdict(await admin.call('PATCH', '/tenant', { name: 'x' }))).toEqual([403, 'FORBIDDEN', null]);
      expect(verdict(await business.call('PATCH', '/tenant', { name: 'x' }))).toEqual([403, 'FORBIDDEN', null]);
    });

    it.each([[{}, 400], [{ name: '' }, 422], [{ name: null }, 422], [{ name: 'x', is_active: false }, 422], [{ name: 'x'.repeat(201) }, 422]])('refuses the change %j', async (body, status) => {
      expect((await owner.call('PATCH', '/tenant', body)).status).toBe(status);
    });
  });

  describe('an invitation', () => {
    it('adds a member whose account is unknown until it is accepted', async () => {
      const answer = await invite(owner, 'accountant', 'Ana.Pérez@Example.COM');
      expect([answer.status, answer.body]).toEqual([
        201,
        { member_id: expect.any(String), tenant_id: business.tenantId, user_id: null, email: 'ana.pérez@example.com', name: null, role: 'accountant', status: 'invited', invited_at: expect.any(String), invitation_expires_at: expect.any(String), last_login_at: null },
      ]);
      expect(daysLeft(answer)).toBe(7);
      const [line] = await lines('&action=member.invited');
      expect(line).toMatchObject({ actor_id: owner.userId, target_id: answer.body['member_id'], detail: { email: 'ana.pérez@example.com', role: 'accountant' } });
    });

    it('is answered the same for an address that has an account', async () => {
      const known = await signedIn(stack);
      const answer = await invite(owner, 'viewer', known.email);
      expect([answer.status, answer.body]).toMatchObject([201, { user_id: null, name: null, status: 'invited', last_login_at: null }]);
    });

    it('is refused for an address that is a member, however it is written', async () => {
      expect(verdict(await invite(owner, 'viewer', admin.email.toUpperCase()))).toEqual([409, 'ALREADY_EXISTS', null]);
      expect((await invite(owner, 'viewer', 'twice@example.com')).status).toBe(201);
      expect(verdict(await invite(owner, 'viewer', 'Twice@example.com'))).toEqual([409, 'ALREADY_EXISTS', null]);
      expect((await invite(other, 'viewer', 'twice@example.com')).status).toBe(201);
    });

    it('exists once when it is sent many times at once', async () => {
      const answers = await Promise.all(Array.from({ length: 6 }, () => invite(owner, 'viewer', 'race@example.com')));
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
    });

    it('never makes a platform administrator', async () => {
      for (const caller of [owner, platform, business]) expect((await invite(caller, 'platform_admin')).status).toBe(422);
      expect((await change(owner, admin.memberId, 'platform_admin')).status).toBe(422);
    });

    it.each(['tenant_owner', 'tenant_admin', 'billing_operator', 'accountant', 'viewer'])('of a %s comes from whoever may give the role', async (role) => {
      const ownersOnly = role === 'tenant_owner' ? [403, 'FORBIDDEN', 'owners_only'] : null;
      for (const [caller, refusal] of [[owner, null], [platform, null], [admin, ownersOnly], [business, ownersOnly]] as const) {
        const answer = await invite(caller, role);
        if (refusal === null) expect([answer.status, answer.body['role']]).toEqual([201, role]);
        else expect(verdict(answer)).toEqual(refusal);
      }
    });

    it.each([
      [{ email: 'a@b.co' }, 400], [{ role: 'viewer' }, 400], [{ email: 'a b@c.co', role: 'viewer' }, 422], [{ email: 'a@b', role: 'viewer' }, 422], [{ email: `a@${`${'İ'.repeat(60)}.`.repeat(4)}co`, role: 'viewer' }, 422],
      [{ email: `${'a'.repeat(250)}@b.co`, role: 'viewer' }, 422], [{ email: 'a@b.co', role: 'owner' }, 422], [{ email: 'a@b.co\nBcc: c@d.co', role: 'viewer' }, 422],
      [{ email: ['a@b.co'], role: 'viewer' }, 422], [{ email: 'a@b.co', role: 'viewer', status: 'active' }, 422], [{ email: 'a@b.co', role: 'viewer', tenant_id: randomUUID() }, 422],
    ])('is refused as %j', async (body, status) => {
      expect((await owner.call('POST', '/tenant/members/invite', body)).status).toBe(status);
    });

    it('of an owner comes from the platform where a tenant was made without one', async () => {
      const made = await Business.open(stack, { certificate: null });
      const body = { email: 'first-owner@example.com', role: 'tenant_owner' };
      const byKey = await made.call('POST', '/tenant/members/invite', body);
      expect([verdict(byKey), byKey.body]).toMatchObject([[403, 'FORBIDDEN', 'owners_only'], { error: { message: expect.stringContaining('plat') as unknown } }]);
      const invited = await platform.call('POST', '/tenant/members/invite', body, made.tenantId);
      expect([invited.status, invited.body['role']]).toEqual([201, 'tenant_owner']);
    });

    it('is sent to one address five times a day, and 200 times by a tenant', async () => {
      const business = await Business.open(stack, { certificate: null });
      const anew = (email = 'patient@example.com') => business.call('POST', '/tenant/members/invite', { email, role: 'viewer' });
      const again = (id: unknown) => business.call('POST', `/tenant/members/${String(id)}/reinvite`);
      const takeBack = (id: unknown) => business.call('DELETE', `/tenant/members/${String(id)}`);
      // An address is the same one however often it is taken back and invited.
      for (let round = 0; round < 2; round += 1) {
        const { body } = await anew();
        expect((await again(body['member_id'])).status).toBe(200);
        expect((await takeBack(body['member_id'])).status).toBe(204);
      }
      const { status, body } = await anew();
      expect(status).toBe(201);
      for (const refuse of [() => again(body['member_id']), async () => (await takeBack(body['member_id']), anew()), () => anew('PATIENT@example.com')]) {
        const refused = await refuse();
        expect([refused.status, refused.body]).toMatchObject([429, { error: { code: 'RATE_LIMITED', detail: { limit: 5, invitations_of: 'member' } } }]);
        expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(86_400 - 60);
        expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(86_400);
      }
      expect((await anew('other@example.com')).status).toBe(201);
      await stack.database.query(
        `insert into audit_log (tenant_id, id, at, actor_kind, action) select $1, gen_random_uuid(), now(), 'system', 'member.invited' from generate_series(1, 195)`, [business.tenantId]);
      const late = await anew('late@example.com');
      expect([late.status, late.body]).toMatchObject([429, { error: { detail: { limit: 200, invitations_of: 'tenant' } } }]);
    });

    it('says after how many seconds there is room for another', async () => {
      const business = await Business.open(stack, { certificate: null });
      await stack.database.query(
        `insert into audit_log (tenant_id, id, at, actor_kind, action, detail)
         select $1, gen_random_uuid(), now() - interval '1 day' + n * interval '100 seconds', 'system', 'member.invited', '{"email": "patient@example.com"}' from generate_series(1, 6) n`, [business.tenantId]);
      const refused = await business.call('POST', '/tenant/members/invite', { email: 'patient@example.com', role: 'viewer' });
      // With the second of the six gone, four are left.
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(170);
      expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(200);
    });

    it('keeps only a hash of its token, which changes when it is sent anew, and lasts a week', async () => {
      const { body } = await invite(owner, 'viewer');
      const id = body['member_id'] as string;
      const row = async (): Promise<{ invitation_hash: Buffer; days: number }> =>
        (await stack.database.query<{ invitation_hash: Buffer; days: number }>(
          `select invitation_hash, (extract(epoch from invitation_expires_at - now()) / 86400)::float8 as days from members where id = $1`, [id]))[0]!;
      const first = await row();
      expect([first.invitation_hash.length, Math.round(first.days)]).toEqual([32, 7]);
      await stack.database.query(`update members set invitation_expires_at = now() - interval '1 day' where id = $1`, [id]);
      const again = await act(owner, id, 'reinvite');
      expect([again.status, again.body]).toEqual([200, { ...body, invitation_expires_at: expect.any(String) as unknown }]);
      expect(daysLeft(again)).toBe(7);
      const second = await row();
      expect([second.invitation_hash.equals(first.invitation_hash), Math.round(second.days)]).toEqual([false, 7]);
    });

    it('tells when it runs out, and when it did, but not of who is a member', async () => {
      const id = (await invite(owner, 'viewer')).body['member_id'] as string;
      const [row] = await stack.database.query<{ ended: Date }>(`update members set invitation_expires_at = now() - interval '1 day' where id = $1 returning invitation_expires_at as ended`, [id]);
      const { items } = (await owner.call<{ items: Member[] }>('GET', '/tenant/members?page_size=100')).body;
      expect(items.find(({ member_id }) => member_id === id)?.invitation_expires_at).toBe(row?.ended.toISOString());
      expect(items.filter(({ status, invitation_expires_at }) => (status === 'invited') !== (invitation_expires_at !== null))).toEqual([]);
    });

    it('may be taken back and its role changed, but it is neither suspended nor resumed', async () => {
      const id = (await invite(owner, 'viewer')).body['member_id'] as string;
      expect(await change(admin, id, 'accountant')).toMatchObject({ status: 200, body: { role: 'accountant', status: 'invited' } });
      for (const what of ['suspend', 'resume']) {
        const answer = await act(owner, id, what);
        expect([answer.status, answer.body]).toMatchObject([409, { error: { code: 'INVALID_STATE', detail: { status: 'invited', allowed_actions: ['change_role', 'reinvite', 'remove'] } } }]);
      }
      expect((await remove(admin, id)).status).toBe(204);
      expect(verdict(await remove(admin, id))).toEqual([404, 'NOT_FOUND', null]);
    });
  });

  it('are listed newest first, in pages, with what the tenant may know of the person', async () => {
    const { body } = await owner.call<{ items: Member[]; total: number }>('GET', '/tenant/members?page_size=100');
    expect(body.total).toBe(body.items.length);
    const me = body.items.find(({ member_id }) => member_id === owner.memberId);
    expect(me).toEqual({
      member_id: owner.memberId, tenant_id: business.tenantId, user_id: owner.userId, email: owner.email, name: expect.stringMatching(/^Person/), role: 'tenant_owner', status: 'active',
      invited_at: expect.any(String), invitation_expires_at: null, last_login_at: null,
    });
    const times = body.items.map(({ invited_at }) => invited_at);
    expect(times).toEqual([...times].sort().reverse());
    const page = await owner.call<{ items: Member[]; page: number }>('GET', '/tenant/members?page=2&page_size=2');
    expect([page.body.items, page.body.page]).toEqual([body.items.slice(2, 4), 2]);
    const foreign = await other.call<{ items: Member[] }>('GET', '/tenant/members');
    expect(foreign.body.items.filter(({ member_id }) => body.items.some((mine) => mine.member_id === member_id))).toEqual([]);
  });

  describe('roles', () => {
    it('change for the next request', async () => {
      const clerk = await member(stack, business.tenantId, 'viewer');
      expect((await clerk.call('POST', '/auth/api-keys', { name: 'x' })).status).toBe(403);
      expect(await change(admin, clerk.memberId, 'tenant_admin')).toMatchObject({ status: 200, body: { role: 'tenant_admin' } });
      for (const url of stack.apiUrls) expect((await clerk.call('POST', '/auth/api-keys', { name: 'x' }, null, url)).status).toBe(201);
      expect((await change(admin, clerk.memberId, 'viewer')).status).toBe(200);
      for (const url of stack.apiUrls) expect((await clerk.call('POST', '/auth/api-keys', { name: 'x' }, null, url)).status).toBe(403);
      const told = (await lines('&action=member.role_changed')).filter((line) => line.target_id === clerk.memberId);
      expect(told.map(({ detail, actor_id }) => [detail, actor_id])).toEqual([
        [{ from: 'tenant_admin', to: 'viewer' }, admin.userId], [{ from: 'viewer', to: 'tenant_admin' }, admin.userId],
      ]);
    });

    it('to the same role tell nothing', async () => {
      const clerk = await member(stack, business.tenantId, 'viewer');
      expect((await change(admin, clerk.memberId, 'viewer')).status).toBe(200);
      expect((await lines('&action=member.role_changed')).filter((line) => line.target_id === clerk.memberId)).toEqual([]);
    });

    it('of owners are for owners', async () => {
      const second = await member(stack, business.tenantId, 'tenant_owner');
      const refused = [403, 'FORBIDDEN', 'owners_only'];
      expect(verdict(await change(admin, second.memberId, 'viewer'))).toEqual(refused);
      expect(verdict(await act(admin, second.memberId, 'suspend'))).toEqual(refused);
      expect(verdict(await remove(admin, second.memberId))).toEqual(refused);
      expect(verdict(await change(admin, admin.memberId, 'tenant_owner'))).toEqual([403, 'FORBIDDEN', 'own_role']);
      const key = await business.call('DELETE', `/tenant/members/${second.memberId}`);
      expect(verdict(key)).toEqual(refused);
      expect((await change(owner, second.memberId, 'viewer')).status).toBe(200);
      expect((await change(owner, second.memberId, 'tenant_owner')).status).toBe(200);
      expect((await remove(owner, second.memberId)).status).toBe(204);
    });

    it('are raised by nobody for themselves, not by a key that they or such a key made', async () => {
      const [clerk, colleague] = [await member(stack, business.tenantId, 'tenant_admin'), await member(stack, business.tenantId, 'viewer')];
      const { key } = (await clerk.call<{ key: string }>('POST', '/auth/api-keys', { name: 'Caja' })).body;
      const by = (apiKey: string, method: string, path: string, body?: unknown): Promise<Answer> => call(stack.apiUrl, method, path, { apiKey, body });
      const second = (await by(key, 'POST', '/auth/api-keys', { name: 'Otra' })).body['key'] as string;
      const own = `/tenant/members/${clerk.memberId}`;
      expect((await change(owner, clerk.memberId, 'viewer')).status).toBe(200);
      for (const one of [key, second]) expect(verdict(await by(one, 'PATCH', own, { role: 'tenant_admin' }))).toEqual([403, 'FORBIDDEN', 'own_role']);
      expect((await act(owner, clerk.memberId, 'suspend')).status).toBe(200);
      for (const one of [key, second]) expect(verdict(await by(one, 'POST', `${own}/resume`))).toEqual([403, 'FORBIDDEN', 'own_role']);
      for (const one of [key, second]) expect(verdict(await by(one, 'DELETE', own))).toEqual([403, 'FORBIDDEN', 'own_key']);
      // Others are the tenant's matter, as before.
      expect((await by(key, 'PATCH', `/tenant/members/${colleague.memberId}`, { role: 'accountant' })).status).toBe(200);
      expect((await business.call('POST', `${own}/resume`)).status).toBe(200);
      expect((await remove(owner, clerk.memberId)).status).toBe(204);
      for (const one of [key, second]) expect(verdict(await by(one, 'POST', '/tenant/members/invite', { email: clerk.email, role: 'viewer' }))).toEqual([403, 'FORBIDDEN', 'own_key']);
      // Invited anew by somebody else: the invitation is theirs all the same.
      const again = `/tenant/members/${String((await invite(owner, 'viewer', clerk.email)).body['member_id'])}`;
      for (const one of [key, second]) {
        expect(verdict(await by(one, 'PATCH', again, { role: 'tenant_admin' }))).toEqual([403, 'FORBIDDEN', 'own_role']);
        expect(verdict(await by(one, 'POST', `${again}/reinvite`))).toEqual([403, 'FORBIDDEN', 'own_key']);
        expect(verdict(await by(one, 'DELETE', again))).toEqual([403, 'FORBIDDEN', 'own_key']);
      }
      expect((await business.call('PATCH', again, { role: 'accountant' })).status).toBe(200);
      expect((await business.call('POST', `${again}/reinvite`)).status).toBe(200);
    });

    it.each(MEMBER_ROLES)('%s: other than owners and admins change no member', async (role) => {
      const person = await member(stack, business.tenantId, role);
      const target = await member(stack, business.tenantId, 'viewer');
      const may = role === 'tenant_owner' || role === 'tenant_admin';
      for (const answer of [
        await invite(person, 'viewer'), await change(person, target.memberId, 'accountant'), await act(person, target.memberId, 'suspend'),
        await act(person, target.memberId, 'resume'), await remove(person, target.memberId),
      ]) expect(answer.status < 300).toBe(may);
      await stack.database.query('delete from members where id = $1', [person.memberId]);
    });

    it('are judged as they are when a change that was waited for has ended', async () => {
      const [first, second] = [await member(stack, other.tenantId, 'tenant_owner'), await member(stack, other.tenantId, 'tenant_owner')];
      for (let round = 0; round < 10; round += 1) {
        // Each takes the other's ownership away: one of them comes too late to be an owner.
        const answers = await Promise.all([
          first.call('PATCH', `/tenant/members/${second.memberId}`, { role: 'viewer' }, other.tenantId, stack.apiUrls[0]),
          second.call('PATCH', `/tenant/members/${first.memberId}`, { role: 'viewer' }, other.tenantId, stack.apiUrls[1]),
        ]);
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
        const owners = await stack.database.query(`select 1 from members where tenant_id = $1 and role = 'tenant_owner' and status = 'active'`, [other.tenantId]);
        expect(owners).toHaveLength(1);
        await stack.database.query(`update members set role = 'tenant_owner' where id = any($1)`, [[first.memberId, second.memberId]]);
      }
    });
  });

  it.each([
    ['removed', 'DELETE', '', undefined], ['given another role', 'PATCH', '', { role: 'viewer' }], ['invited anew', 'POST', '/reinvite', undefined],
  ] as const)('a first owner who accepts the invitation just then is not %s', async (_what, method, path, body) => {
    const admin = await signedIn(stack, { platformAdmin: true });
    const [founder, { tenantId }] = [await signedIn(stack), await Business.open(stack, { certificate: null })];
    const id = randomUUID();
    await stack.database.query(
      `insert into members (tenant_id, id, email, role, status, invited_at, invitation_hash, invitation_expires_at, created_at, updated_at)
       values ($1, $2, $3, 'tenant_owner', 'invited', now(), '\\x00', now() + interval '7 days', now(), now())`, [tenantId, id, founder.email]);
    let answer: Promise<Answer> | null = null;
    await inTransaction(stack.database, async (client) => {
      // What the acceptance does, up to its commit.
      await client.query(`update members set status = 'active', user_id = $2, invitation_hash = null, invitation_expires_at = null where id = $1`, [id, founder.userId]);
      answer = admin.call(method, `/tenant/members/${id}${path}`, body, tenantId);
      await lockAwaited(stack.database);
      await client.query('commit');
    });
    const { status, body: told } = await answer!;
    expect([status, told]).toMatchObject([409, { error: { code: 'INVALID_STATE' } }]);
    expect(await stack.database.query('select role, status, invitation_hash from members where tenant_id = $1', [tenantId])).toEqual([{ role: 'tenant_owner', status: 'active', invitation_hash: null }]);
  });

  describe('suspension and removal', () => {
    it('leaves the keys of who is removed, which say whose they are, or revokes them', async () => {
      const madeBy = async (maker: Somebody): Promise<{ id: string; key: string; created_by: string; created_by_name: string }> => {
        const answer = await maker.call<{ id: string; key: string; created_by: string; created_by_name: string }>('POST', '/auth/api-keys', { name: 'Caja' });
        expect(answer.status).toBe(201);
        return answer.body;
      };
      const withKey = (key: string, method = 'GET', path = '/tenant', body?: object): Promise<Response> =>
        fetch(`${stack.apiUrls[1]}${path}`, { method, headers: { 'X-Api-Key': key, 'Content-Type': 'application/json' }, ...(body && { body: JSON.stringify(body) }) });
      for (const revokes of [false, true]) {
        const clerk = await member(stack, business.tenantId, 'tenant_admin');
        const own = await madeBy(clerk);
        expect(own).toMatchObject({ created_by: clerk.userId, created_by_name: expect.any(String) });
        const second = (await (await withKey(own.key, 'POST', '/auth/api-keys', { name: 'Otra' })).json()) as typeof own;
        expect(second).toMatchObject({ created_by: clerk.userId, created_by_name: own.created_by_name });
        const others = await madeBy(owner);
        expect((await owner.call('DELETE', `/tenant/members/${clerk.memberId}${revokes ? '?revoke_keys=true' : ''}`)).status).toBe(204);
        const left = async (): Promise<number[]> => Promise.all([own, second, others].map(async ({ key }) => (await withKey(key)).status));
        expect(await left()).toEqual(revokes ? [401, 401, 200] : [200, 200, 200]);
        const told = (await lines('&action=api_key.revoked')).filter(({ target_id }) => [own.id, second.id].includes(target_id));
        expect(told.map(({ actor_id }) => actor_id)).toEqual(revokes ? [owner.userId, owner.userId] : []);
        if (revokes) continue;
        // The invitation of who was removed is theirs by its address alone.
        const again = await invite(owner, 'viewer', clerk.email);
        expect((await owner.call('DELETE', `/tenant/members/${String(again.body['member_id'])}?revoke_keys=true`)).status).toBe(204);
        expect(await left()).toEqual([401, 401, 200]);
      }
    });

    it('shut out from the next request on, on every process, and resuming lets in again', async () => {
      const clerk = await member(stack, business.tenantId, 'viewer');
      const statuses = async (): Promise<number[]> => Promise.all(stack.apiUrls.map(async (url) => (await clerk.call('GET', '/tenant', undefined, null, url)).status));
      expect(await statuses()).toEqual([200, 200]);
      expect(await act(admin, clerk.memberId, 'suspend')).toMatchObject({ status: 200, body: { status: 'suspended' } });
      expect(await statuses()).toEqual([403, 403]);
      // Named or not, it is the suspension that they hear of, and no tenant hears of an attempt.
      for (const named of [null, business.tenantId]) expect(verdict(await clerk.call('GET', '/tenant', undefined, named))).toEqual([403, 'FORBIDDEN', 'no_active_membership']);
      expect((await lines('&action=access.foreign_tenant_refused')).filter(({ actor_id }) => actor_id === clerk.userId)).toEqual([]);
      expect(verdict(await act(admin, clerk.memberId, 'suspend'))).toEqual([409, 'INVALID_STATE', null]);
      expect(await act(admin, clerk.memberId, 'resume')).toMatchObject({ status: 200, body: { status: 'active', role: 'viewer' } });
      expect(await statuses()).toEqual([200, 200]);
      expect((await remove(admin, clerk.memberId)).status).toBe(204);
      expect(await statuses()).toEqual([403, 403]);
      const told = (await lines()).filter((line) => line.target_id === clerk.memberId).map(({ action }) => action);
      expect(told).toEqual(['member.removed', 'member.resumed', 'member.suspended']);
      expect((await lines()).find(({ target_id, action }) => target_id === clerk.memberId && action === 'member.removed')).toMatchObject({ detail: { email: clerk.email } });
      expect(await invite(admin, 'viewer', clerk.email)).toMatchObject({ status: 201 });
    });

    it('never take the last owner', async () => {
      const lone = await Business.open(stack, { certificate: null });
      const last = await member(stack, lone.tenantId, 'tenant_owner');
      await join(stack, await signedIn(stack), lone.tenantId, 'tenant_owner', 'suspended');
      expect((await last.call('POST', '/tenant/members/invite', { email: 'next@example.com', role: 'tenant_owner' })).status).toBe(201);
      const refused = [409, 'INVALID_STATE', 'last_owner'];
      const path = `/tenant/members/${last.memberId}`;
      for (const caller of [last, platform]) {
        expect(verdict(await caller.call('PATCH', path, { role: 'viewer' }, lone.tenantId))).toEqual(refused);
        expect(verdict(await caller.call('POST', `${path}/suspend`, undefined, lone.tenantId))).toEqual(refused);
        expect(verdict(await caller.call('DELETE', path, undefined, lone.tenantId))).toEqual(refused);
      }
      const next = await member(stack, lone.tenantId, 'tenant_owner');
      expect((await next.call('DELETE', path)).status).toBe(204);
    });

    it('do not take the last owner whose account is open', async () => {
      const lone = await Business.open(stack, { certificate: null });
      const [last, closed] = [await member(stack, lone.tenantId, 'tenant_owner'), await member(stack, lone.tenantId, 'tenant_owner')];
      await stack.database.query('select set_person_disabled($1, true, now())', [closed.email]);
      const path = `/tenant/members/${last.memberId}`;
      for (const answer of [await last.call('DELETE', path), await last.call('PATCH', path, { role: 'viewer' }), await last.call('DELETE', `/auth/me/tenants/${lone.tenantId}`)]) {
        expect(verdict(answer)).toEqual([409, 'INVALID_STATE', 'last_owner']);
      }
      expect((await last.call('DELETE', `/tenant/members/${closed.memberId}`)).status).toBe(204);
    });

    it('of all owners at once leaves one', async () => {
      const crowd = await Business.open(stack, { certificate: null });
      const owners = await Promise.all(Array.from({ length: 6 }, () => member(stack, crowd.tenantId, 'tenant_owner')));
      // Each resigns; the last one who asks may not.
      const answers = await Promise.all(owners.map((one, i) => one.call('DELETE', `/tenant/members/${one.memberId}`, undefined, null, stack.apiUrls[i % 2])));
      expect(answers.map(({ status }) => status).sort()).toEqual([204, 204, 204, 204, 204, 409]);
    });
  });

  describe('leaving', () => {
    const leave = (person: Somebody, tenantId = business.tenantId, apiUrl = stack.apiUrl): Promise<Answer> => person.call('DELETE', `/auth/me/tenants/${tenantId}`, undefined, null, apiUrl);
    const left = async (memberId: string): Promise<Line[]> => (await lines()).filter(({ target_id, action }) => target_id === memberId && action === 'member.left');
    const rolesIn = async ({ userId }: Somebody): Promise<unknown[]> =>
      (await stack.database.query<{ tenant_id: string; role: string }>('select tenant_id, role from members where user_id = $1', [userId])).map(({ tenant_id, role }) => [tenant_id, role]);
    /** Asks while somebody holds the tenant, who does something before the calls go on; what comes of them. */
    const whileHeld = async (tenantId: string, ask: () => Promise<Answer>[], meanwhile: string[] = []): Promise<Answer[]> => {
      let asked: Promise<Answer>[] = [];
      await inTransaction(stack.database, async (client) => {
        await client.query('select 1 from tenants where id = $1 for no key update', [tenantId]);
        asked = ask();
        await lockAwaited(stack.database, asked.length);
        for (const statement of meanwhile) await client.query(statement);
        await client.query('commit');
      });
      return Promise.all(asked);
    };

    it.each(MEMBER_ROLES)('of a %s ends that place on every process, and no other', async (role) => {
      const person = await member(stack, business.tenantId, role);
      const elsewhere = await Business.open(stack, { certificate: null });
      await join(stack, person, elsewhere.tenantId, 'tenant_admin');
      const logged = (): Promise<object[]> => stack.database.query('select id from audit_log where tenant_id = $1 order by id', [elsewhere.tenantId]);
      const before = await logged();
      // Whatever tenant the header names: the path says which.
      const answer = await person.call('DELETE', `/auth/me/tenants/${business.tenantId.toUpperCase()}`, undefined, elsewhere.tenantId);
      expect([answer.status, await rolesIn(person), await logged()]).toEqual([204, [[elsewhere.tenantId, 'tenant_admin']], before]);
      for (const url of stack.apiUrls) {
        expect(verdict(await person.call('GET', '/tenant', undefined, business.tenantId, url))).toEqual([403, 'FORBIDDEN', 'tenant_mismatch']);
        expect(await person.call('GET', '/tenant', undefined, null, url)).toMatchObject({ status: 200, body: { id: elsewhere.tenantId } });
      }
      expect(await person.call('GET', '/auth/me')).toMatchObject({ status: 200, body: { memberships: [{ tenant_id: elsewhere.tenantId, role: 'tenant_admin', status: 'active' }] } });
      expect(await left(person.memberId)).toEqual([
        expect.objectContaining({ actor_kind: 'user', actor_id: person.userId, target_kind: 'member', detail: { email: person.email, role }, request_id: answer.headers.get('x-request-id'), address: '127.0.0.1' }),
      ]);
      expect((await invite(owner, role, person.email)).status).toBe(201);
    });

    it('leaves the keys that the person made', async () => {
      const clerk = await member(stack, business.tenantId, 'tenant_admin');
      const { key } = (await clerk.call<{ key: string }>('POST', '/auth/api-keys', { name: 'Caja' })).body;
      expect((await leave(clerk)).status).toBe(204);
      for (const url of stack.apiUrls) expect((await fetch(`${url}/tenant`, { headers: { 'X-Api-Key': key } })).status).toBe(200);
    });

    it('is as the member one is, also for an administrator of the platform', async () => {
      const admin = await signedIn(stack, { platformAdmin: true });
      const memberId = await join(stack, admin, business.tenantId, 'viewer');
      expect((await leave(admin)).status).toBe(204);
      expect(await left(memberId)).toMatchObject([{ actor_kind: 'user', actor_id: admin.userId, detail: { role: 'viewer' } }]);
      // The platform enters by its own right: there is no place of its own to be given up.
      expect([verdict(await leave(admin)), (await admin.call('GET', '/tenant', undefined, business.tenantId)).status]).toEqual([[404, 'NOT_FOUND', null], 200]);
    });

    it('finds no place of who has none, was invited only, or has left, nor in a closed tenant', async () => {
      const [person, closed] = [await member(stack, business.tenantId, 'viewer'), await Business.open(stack, { certificate: null })];
      await invite(other, 'viewer', person.email);
      const memberId = await join(stack, person, closed.tenantId, 'viewer');
      await stack.database.query('update tenants set is_active = false where id = $1', [closed.tenantId]);
      const logged = async (): Promise<unknown> => stack.database.query('select tenant_id, count(*)::int as lines from audit_log group by tenant_id order by tenant_id');
      expect((await leave(person)).status).toBe(204);
      const before = await logged();
      const texts = new Set<string>();
      for (const tenantId of [business.tenantId, other.tenantId, closed.tenantId, randomUUID()]) {
        const answer = await leave(person, tenantId);
        expect(verdict(answer)).toEqual([404, 'NOT_FOUND', null]);
        texts.add(answer.text.replace(answer.headers.get('x-request-id')!, ''));
      }
      expect([texts.size, (await leave(person, 'garbage')).status]).toEqual([1, 422]);
      expect([await logged(), await stack.database.query('select id from members where user_id = $1', [person.userId])]).toEqual([before, [{ id: memberId }]]);
    });

    it('is not for who is suspended', async () => {
      const person = await member(stack, business.tenantId, 'viewer');
      expect((await act(admin, person.memberId, 'suspend')).status).toBe(200);
      expect([verdict(await leave(person)), await rolesIn(person)]).toEqual([[403, 'FORBIDDEN', 'no_active_membership'], [[business.tenantId, 'viewer']]]);
    });

    it('is refused to the last owner, who is told what to do first', async () => {
      const lone = await Business.open(stack, { certificate: null });
      const [last, clerk] = [await member(stack, lone.tenantId, 'tenant_owner'), await member(stack, lone.tenantId, 'viewer')];
      await join(stack, await signedIn(stack), lone.tenantId, 'tenant_owner', 'suspended');
      const refused = await leave(last, lone.tenantId);
      expect([refused.status, refused.body]).toMatchObject([
        409, { error: { code: 'INVALID_STATE', message: expect.stringContaining('PATCH /tenant/members/{member_id}') as unknown, detail: { reason: 'last_owner', allowed_actions: ['make_another_owner'] } } },
      ]);
      expect((await last.call('PATCH', `/tenant/members/${clerk.memberId}`, { role: 'tenant_owner' })).status).toBe(200);
      expect([(await leave(last, lone.tenantId)).status, await rolesIn(clerk)]).toEqual([204, [[lone.tenantId, 'tenant_owner']]]);
    });

    it('of the last owner closes a tenant without other members and issuers, and no other', async () => {
      const [founder, guest] = [await signedIn(stack), await signedIn(stack)];
      const founded = await founder.call<{ tenant_id: string }>('POST', '/auth/tenants', { tenant_name: 'Nobody asked for it' });
      const { tenant_id: tenantId } = founded.body;
      await join(stack, founder, business.tenantId, 'viewer');
      const isActive = async (): Promise<unknown> => (await stack.database.query<{ is_active: boolean }>('select is_active from tenants where id = $1', [tenantId]))[0]?.is_active;
      const ask = (method: string, path: string, body?: unknown): Promise<Answer> => founder.call(method, path, body, tenantId);
      expect((await founder.call('GET', '/tenant')).status).toBe(403);
      // An invitation waits, then there is an issuer.
      const { body: invited } = await ask('POST', '/tenant/members/invite', { email: guest.email, role: 'viewer' });
      expect(verdict(await leave(founder, tenantId))).toEqual([409, 'INVALID_STATE', 'last_owner']);
      expect((await ask('DELETE', `/tenant/members/${String(invited['member_id'])}`)).status).toBe(204);
      const { body: issuer } = await ask('POST', '/issuers', { ruc: '1710034065001', razon_social: 'Pérez', direccion_matriz: 'Quito', obligado_contabilidad: false });
      expect(verdict(await leave(founder, tenantId))).toEqual([409, 'INVALID_STATE', 'last_owner']);
      expect((await ask('DELETE', `/issuers/${String(issuer['id'])}`)).status).toBe(204);
      const { body: key } = await ask('POST', '/auth/api-keys', { name: 'ERP' });
      expect([(await leave(founder, tenantId)).status, await isActive()]).toEqual([204, false]);
      expect((await founder.call('GET', '/tenant')).body).toMatchObject({ id: business.tenantId });
      expect((await fetch(`${stack.apiUrl}/tenant`, { headers: { 'X-Api-Key': String(key['key']) } })).status).toBe(401);
      const told = await stack.database.query(
        `select action, actor_id from audit_log where tenant_id = $1 and action in ('member.left', 'tenant.deactivated') order by action`, [tenantId]);
      expect(told).toEqual(['member.left', 'tenant.deactivated'].map((action) => ({ action, actor_id: founder.userId })));
    });

    it('and a new issuer at once make no issuer in a closed tenant', async () => {
      const founder = await signedIn(stack);
      const tenantId = String((await founder.call('POST', '/auth/tenants', { tenant_name: 'Lonely' })).body['tenant_id']);
      const found = (): Promise<Answer> =>
        founder.call('POST', '/issuers', { ruc: '1710034065001', razon_social: 'Pérez', direccion_matriz: 'Quito', obligado_contabilidad: false }, tenantId);
      const answers = await whileHeld(tenantId, () => [leave(founder, tenantId), found()]);
      const [{ issuers, is_active: isOpen } = { issuers: -1, is_active: null }] = await stack.database.query<{ issuers: number; is_active: boolean }>(
        'select t.is_active, (select count(*)::int from issuers i where i.tenant_id = t.id) as issuers from tenants t where t.id = $1', [tenantId]);
      expect([answers.map(({ status }) => status), issuers, isOpen]).toEqual(isOpen === true ? [[409, 201], 1, true] : [[204, 401], 0, false]);
    });

    it('of two last owners at once leaves one', async () => {
      const pair = await Business.open(stack, { certificate: null });
      const owners = [await member(stack, pair.tenantId, 'tenant_owner'), await member(stack, pair.tenantId, 'tenant_owner')];
      const answers = await whileHeld(pair.tenantId, () => owners.map((one, i) => leave(one, pair.tenantId, stack.apiUrls[i])));
      expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
      const told = await stack.database.query(`select from audit_log where tenant_id = $1 and action = 'member.left'`, [pair.tenantId]);
      expect([(await Promise.all(owners.map(rolesIn))).flat(), told.length]).toEqual([[[pair.tenantId, 'tenant_owner']], 1]);
      // Leaving and removing wait for each other, too.
      const next = await member(stack, pair.tenantId, 'tenant_owner');
      const stays = owners[answers.findIndex(({ status }) => status === 409)]!;
      const crossed = await whileHeld(pair.tenantId, () => [leave(stays, pair.tenantId, stack.apiUrls[0]), next.call('DELETE', `/tenant/members/${next.memberId}`, undefined, null, stack.apiUrls[1])]);
      expect(crossed.map(({ status }) => status).sort()).toEqual([204, 409]);
    });

    it('twice at once happens once', async () => {
      const person = await member(stack, business.tenantId, 'viewer');
      const answers = await whileHeld(business.tenantId, () => stack.apiUrls.map((url) => leave(person, business.tenantId, url)));
      expect([answers.map(({ status }) => status).sort(), (await left(person.memberId)).length]).toEqual([[204, 404], 1]);
    });

    it.each([
      ['whose session has ended', `update sessions set ended_at = now() where user_id = '$'`, [401, 'UNAUTHENTICATED', null], 1],
      ['who has another role', `update members set role = 'accountant' where user_id = '$'`, [403, 'FORBIDDEN', 'role_changed'], 1],
      ['who was removed', `delete from members where user_id = '$'`, [404, 'NOT_FOUND', null], 0],
      ['who was suspended', `update members set status = 'suspended' where user_id = '$'`, [404, 'NOT_FOUND', null], 1],
    ])('does nothing for a person %s meanwhile', async (_who, change, due, places) => {
      const person = await member(stack, business.tenantId, 'viewer');
      const [answer] = await whileHeld(business.tenantId, () => [leave(person)], [change.replace('$', person.userId)]);
      expect([verdict(answer!), (await rolesIn(person)).length, await left(person.memberId)]).toEqual([due, places, []]);
    });

    it('ends the calls of the person that are under way', async () => {
      const person = await member(stack, business.tenantId, 'billing_operator');
      const answer = await inTransaction(stack.database, async (client) => {
        await client.query('lock table buyers in share mode');
        const late = person.call('POST', '/buyers', { buyer_id_type: 'EXTERIOR', buyer_id: 'LATE', legal_name: 'X' }, null, stack.apiUrls[1]);
        await lockAwaited(stack.database, 1, 'buyers');
        expect((await leave(person)).status).toBe(204);
        await client.query('commit');
        return late;
      });
      expect(verdict(answer)).toEqual([401, 'UNAUTHENTICATED', null]);
      expect(await stack.database.query(`select from buyers where buyer_id = 'LATE'`)).toEqual([]);
    });
  });

  describe('the audit log', () => {
    it('is filtered by action, actor and days, newest first', async () => {
      const all = await lines();
      const times = all.map(({ at }) => at);
      expect(times).toEqual([...times].sort().reverse());
      expect((await lines(`&actor_id=${owner.userId}`)).every((line) => line.actor_id === owner.userId)).toBe(true);
      // Two days only when midnight has just passed.
      const [last, first] = [times[0]!, times.at(-1)!].map((at) => guayaquilDay(new Date(at)));
      expect((await lines(`&from=${first}&to=${last}`)).length).toBe(all.length);
      expect(await lines(`&to=${addDays(first!, -1)}`)).toEqual([]);
      for (const query of ['action=none', 'actor_id=x', 'from=today', 'unknown=1']) expect((await owner.call('GET', `/tenant/audit-log?${query}`)).status).toBe(422);
    });

    it('is written to and never changed, not even by its owner', async () => {
      for (const statement of [`update audit_log set action = 'x'`, 'delete from audit_log', 'truncate audit_log']) {
        await expect(stack.database.query(statement)).rejects.toMatchObject({ code: OWN_SQL_STATE.appendOnly });
      }
    });

    it('names somebody of the platform as such', async () => {
      expect((await platform.call('POST', '/auth/api-keys', { name: 'support' }, business.tenantId)).status).toBe(201);
      expect((await lines('&action=api_key.created')).find(({ actor_id }) => actor_id === platform.userId)).toMatchObject({ actor_kind: 'platform_admin' });
    });

    it('tells of a member who tried another tenant', async () => {
      const curious = await member(stack, business.tenantId, 'viewer');
      for (let times = 0; times < 3; times += 1) expect(verdict(await curious.call('GET', '/tenant', undefined, other.tenantId))).toEqual([403, 'FORBIDDEN', 'tenant_mismatch']);
      const told = (await lines('&action=access.foreign_tenant_refused')).filter(({ actor_id }) => actor_id === curious.userId);
      expect(told[0]).toMatchObject({ actor_kind: 'user', detail: { named: other.tenantId } });
      // Once a minute: a second line only when the minute has just ended.
      expect(told.length).toBeLessThanOrEqual(2);
      expect((await other.call<{ items: Line[] }>('GET', '/tenant/audit-log?action=access.foreign_tenant_refused')).body.items).toEqual([]);
    });

    it('holds nothing of a token', async () => {
      const rows = await stack.database.query<{ line: string }>('select a::text as line from audit_log a');
      const hashes = await stack.database.query<{ hash: Buffer }>('select invitation_hash as hash from members where invitation_hash is not null');
      const text = rows.map(({ line }) => line).join('\n');
      expect(hashes.length).toBeGreaterThan(3);
      for (const { hash } of hashes) expect([text.includes(hash.toString('hex')), text.includes(createHash('sha256').update(hash).digest('hex'))]).toEqual([false, false]);
    });
  });
});
