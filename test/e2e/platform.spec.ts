import { randomUUID } from 'node:crypto';
import { OWN_SQL_STATE } from '../../src/platform/database/own-sql-state.js';
import { Business } from '../support/business.js';
import { type Answer, call } from '../support/http.js';
import { join, member, signedIn, type Somebody } from '../support/people.js';
import { type Stack, startStack } from '../support/stack.js';

interface Line {
  action: string;
  actor_kind: string;
  actor_id: string;
  target_kind: string;
  target_id: string;
  detail: Record<string, unknown>;
  address: string | null;
}

interface Refused {
  error: { code: string; detail: { reason?: string } | null };
}

const verdict = ({ status, body }: Answer): unknown[] => [status, (body as unknown as Refused).error.code];

describe('running the platform', () => {
  let stack: Stack;
  let business: Business;
  let owner: Somebody;
  let admin: Somebody;

  beforeAll(async () => {
    stack = await startStack({
      workers: 0, simulator: false,
      env: { SRI_RECEPTION_URL: 'http://127.0.0.1:9/r', SRI_AUTHORIZATION_URL: 'http://127.0.0.1:9/a', RATE_LIMIT_AUTH_PER_MINUTE: '1000000' },
    });
    business = await Business.open(stack);
    owner = await member(stack, business.tenantId, 'tenant_owner');
    admin = await signedIn(stack, { platformAdmin: true });
  });
  afterAll(() => stack.stop());

  const lines = async (query = ''): Promise<Line[]> => (await owner.call<{ items: Line[] }>('GET', `/tenant/audit-log?page_size=100${query}`)).body.items;

  it('is for platform administrators: no key, no owner, nobody who was one', async () => {
    const former = await signedIn(stack, { platformAdmin: true });
    const disabled = await signedIn(stack, { platformAdmin: true });
    expect((await former.call('GET', '/platform/tenants')).status).toBe(200);
    await stack.database.query('update users set is_platform_admin = false where id = $1', [former.userId]);
    await stack.database.query('update users set disabled_at = now() where id = $1', [disabled.userId]);
    for (const [caller, due] of [[owner, [403, 'FORBIDDEN']], [former, [403, 'FORBIDDEN']], [disabled, [401, 'UNAUTHENTICATED']]] as const) {
      expect(verdict(await caller.call('GET', '/platform/tenants'))).toEqual(due);
      expect(verdict(await caller.call('POST', '/platform/tenants', { name: 'x', owner_email: 'a@example.com' }))).toEqual(due);
      expect(verdict(await caller.call('PATCH', `/platform/tenants/${business.tenantId}`, { is_active: false }))).toEqual(due);
    }
    expect(verdict(await business.call('GET', '/platform/tenants'))).toEqual([403, 'FORBIDDEN']);
  });

  it('is asked for again by the database itself', async () => {
    const calls = [
      ['select * from platform_tenants($1, 10, 0)', []],
      [`select platform_create_tenant($1, $2, 'x', $3, 'a@b.co', '\\x00', now(), now(), '{}')`, [randomUUID(), randomUUID()]],
      [`select * from platform_set_tenant_active($1, $2, false, '{}')`, [business.tenantId]],
    ] as const;
    for (const [sql, more] of calls) await expect(stack.database.query(sql, [owner.userId, ...more])).rejects.toMatchObject({ code: OWN_SQL_STATE.notPlatformAdmin });
  });

  it('founds a tenant whose owner is invited', async () => {
    const answer = await admin.call('POST', '/platform/tenants', { name: ' Ñandú S.A. ', owner_email: 'Dueña@Example.com' });
    expect([answer.status, answer.body]).toEqual([201, { id: expect.any(String), name: 'Ñandú S.A.', is_active: true, created_at: expect.any(String) }]);
    const members = await admin.call<{ items: unknown[] }>('GET', '/tenant/members', undefined, answer.body['id'] as string);
    expect(members.body.items).toMatchObject([{ email: 'dueña@example.com', role: 'tenant_owner', status: 'invited', user_id: null }]);
    const log = await admin.call<{ items: Line[] }>('GET', '/tenant/audit-log', undefined, answer.body['id'] as string);
    // Entered by two calls: that is told twice only when the hour has just ended.
    expect([...new Set(log.body.items.map(({ action, actor_kind }) => `${action} ${actor_kind}`))]).toEqual(['platform.tenant_entered platform_admin', 'tenant.founded platform_admin']);
    const listed = await admin.call<{ items: { id: string }[]; total: number }>('GET', '/platform/tenants?page_size=1');
    expect([listed.body.items, listed.body.total]).toEqual([[answer.body], expect.any(Number)]);
    const beyond = await admin.call<{ items: unknown[]; total: number }>('GET', '/platform/tenants?page=100');
    expect(beyond.body).toEqual({ items: [], total: listed.body.total, page: 100, page_size: 20 });
  });

  it.each([[{}, 400], [{ name: 'x' }, 400], [{ name: '', owner_email: 'a@b.co' }, 422], [{ name: 'x', owner_email: 'a' }, 422], [{ name: 'x', owner_email: 'a@b.co', id: randomUUID() }, 422]])(
    'founds none of %j', async (body, status) => {
      expect((await admin.call('POST', '/platform/tenants', body)).status).toBe(status);
    });

  it('closes a tenant to its people and keys and opens it again, which its log tells once', async () => {
    const closed = await Business.open(stack, { certificate: null });
    const boss = await member(stack, closed.tenantId, 'tenant_owner');
    const path = `/platform/tenants/${closed.tenantId}`;
    for (const _twice of [1, 2]) expect(await admin.call('PATCH', path, { is_active: false })).toMatchObject({ status: 200, body: { id: closed.tenantId, is_active: false } });
    expect([(await closed.call('GET', '/tenant')).status, (await boss.call('GET', '/tenant')).status]).toEqual([401, 403]);
    expect((await admin.call('GET', '/tenant', undefined, closed.tenantId)).body['is_active']).toBe(false);
    expect(await admin.call('PATCH', path, { is_active: true })).toMatchObject({ status: 200, body: { is_active: true } });
    expect([(await closed.call('GET', '/tenant')).status, (await boss.call('GET', '/tenant')).status]).toEqual([200, 200]);
    const { body } = await closed.call<{ items: Line[] }>('GET', '/tenant/audit-log');
    expect(body.items.filter(({ action }) => action.startsWith('tenant.')).map(({ action, actor_kind, actor_id }) => [action, actor_kind, actor_id])).toEqual([
      ['tenant.activated', 'platform_admin', admin.userId], ['tenant.deactivated', 'platform_admin', admin.userId],
      ['tenant.founded', 'system', null],
    ]);
    expect(verdict(await admin.call('PATCH', `/platform/tenants/${randomUUID()}`, { is_active: false }))).toEqual([404, 'NOT_FOUND']);
  });

  it('works in a closed tenant, as nobody else does', async () => {
    const closed = await Business.open(stack, { certificate: null });
    const [boss, rogue, other] = await Promise.all((['tenant_owner', 'tenant_admin', 'viewer'] as const).map((role) => member(stack, closed.tenantId, role)));
    const acts = [
      ['POST', `/tenant/members/${other!.memberId}/suspend`, undefined],
      ['DELETE', `/tenant/members/${rogue!.memberId}`, undefined],
      ['POST', '/tenant/members/invite', { email: 'nueva@example.com', role: 'tenant_owner' }],
    ] as const;
    const all = (who: Somebody) => Promise.all(acts.map(async ([method, path, body]) => (await who.call(method, path, body, closed.tenantId)).status));
    expect((await admin.call('PATCH', `/platform/tenants/${closed.tenantId}`, { is_active: false })).status).toBe(200);
    const former = await signedIn(stack, { platformAdmin: true });
    await stack.database.query('update users set is_platform_admin = false where id = $1', [former.userId]);
    expect([await all(boss!), await all(former)]).toEqual([[403, 403, 403], [403, 403, 403]]);
    expect(await all(admin)).toEqual([200, 204, 201]);
  });

  it('issues nothing in a closed tenant, which is told by name: signing in again would not help', async () => {
    const closed = await Business.open(stack);
    const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
      call(stack.apiUrl, method, path, { body, headers: { authorization: `Bearer ${admin.token}`, 'x-tenant-id': closed.tenantId, ...headers } });
    const repeated = closed.invoice({ idempotency_key: 'before it was closed' });
    const issued = await ask('POST', '/documents', repeated);
    const draft = await ask('POST', '/documents/drafts', closed.invoice());
    expect([issued.status, draft.status]).toEqual([202, 201]);
    expect((await admin.call('PATCH', `/platform/tenants/${closed.tenantId}`, { is_active: false })).status).toBe(200);
    const refused = [403, 'FORBIDDEN', { reason: 'tenant_closed' }];
    for (const [path, body] of [['/documents', closed.invoice()], [`/documents/${String(draft.body['id'])}/issue`, undefined]] as const) {
      const answer = await ask('POST', path, body);
      expect([...verdict(answer), (answer.body as unknown as Refused).error.detail]).toEqual(refused);
    }
    expect(await closed.lastNumber()).toBe(1);
    const dryRun = (await ask('POST', '/documents/validate', closed.invoice())).body;
    expect(dryRun).toMatchObject({ valid: false, findings: [{ rule: 'issuing.forbidden', severity: 'error', message: expect.stringContaining('La empresa está cerrada') as string }] });
    // What was issued before is answered as ever, also to who waits.
    const again = await ask('POST', '/documents', repeated, { prefer: 'wait=1' });
    expect([again.status, again.body]).toMatchObject([202, { document_id: issued.body['document_id'], action_taken: 'replayed' }]);
    expect((await admin.call('PATCH', `/platform/tenants/${closed.tenantId}`, { is_active: true })).status).toBe(200);
    expect((await ask('POST', '/documents', closed.invoice())).status).toBe(202);
  });

  it('lets an issuer issue nothing more, and issue again', async () => {
    const path = `/platform/tenants/${business.tenantId}/issuers/${business.issuerId}`;
    expect((await business.issue()).status).toBe(202);
    const disabled = await admin.call('POST', `${path}/disable`);
    expect([disabled.status, disabled.body]).toMatchObject([200, { id: business.issuerId, tenant_id: business.tenantId, ruc: business.ruc, disabled_at: expect.any(String) }]);
    expect((await admin.call('POST', `${path}/disable`)).body).toEqual(disabled.body);
    expect(verdict(await business.issue())).toEqual([403, 'ISSUER_DISABLED']);
    // The owner sees why, and cannot change it.
    expect((await owner.call('GET', `/issuers/${business.issuerId}`)).body['disabled_at']).toBe(disabled.body['disabled_at']);
    expect((await owner.call('PATCH', `/issuers/${business.issuerId}`, { disabled_at: null })).status).toBe(422);
    expect((await owner.call('PATCH', `/issuers/${business.issuerId}`, { is_active: true })).status).toBe(200);
    expect(verdict(await business.issue())).toEqual([403, 'ISSUER_DISABLED']);
    expect((await admin.call('POST', `${path}/enable`)).body).toMatchObject({ disabled_at: null });
    expect((await business.issue()).status).toBe(202);
    expect((await lines()).filter(({ action }) => /^issuer\.(en|dis)abled$/.test(action)).map(({ action, actor_id, target_id }) => [action, actor_id, target_id])).toEqual([
      ['issuer.enabled', admin.userId, business.issuerId], ['issuer.disabled', admin.userId, business.issuerId],
    ]);
    expect(verdict(await admin.call('POST', `/platform/tenants/${randomUUID()}/issuers/${business.issuerId}/disable`))).toEqual([404, 'NOT_FOUND']);
  });

  it('enters a tenant only where the call names it, and its owner can read that', async () => {
    expect(verdict(await admin.call('GET', '/issuers'))).toEqual([403, 'FORBIDDEN']);
    expect(verdict(await admin.call('GET', '/issuers', undefined, randomUUID()))).toEqual([403, 'FORBIDDEN']);
    for (let times = 0; times < 3; times += 1) expect((await admin.call('GET', '/issuers', undefined, business.tenantId)).status).toBe(200);
    const entries = await lines('&action=platform.tenant_entered');
    expect(entries[0]).toMatchObject({ actor_kind: 'platform_admin', actor_id: admin.userId, target_id: business.tenantId, address: '127.0.0.1' });
    // Once an hour: a second line only when the hour has just ended.
    expect(entries.length).toBeLessThanOrEqual(2);
  });

  it('gives a platform administrator no more of a tenant they are a member of than the call says', async () => {
    const both = await signedIn(stack, { platformAdmin: true });
    await join(stack, both, business.tenantId, 'viewer');
    expect((await both.call('GET', '/tenant')).body['id']).toBe(business.tenantId);
    // Unnamed they are the viewer they are; named, they act for the platform, which the tenant can read.
    expect(verdict(await both.call('PATCH', '/tenant', { name: 'Otro nombre' }))).toEqual([403, 'FORBIDDEN']);
    expect((await both.call('PATCH', '/tenant', { name: 'Otro nombre' }, business.tenantId)).status).toBe(200);
    expect((await lines('&action=platform.tenant_entered')).some((line) => line.actor_id === both.userId)).toBe(true);
    const foreign = await Business.open(stack, { certificate: null });
    expect((await both.call('GET', '/tenant', undefined, foreign.tenantId)).body['id']).toBe(foreign.tenantId);
  });
});
