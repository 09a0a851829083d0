import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CryptoChance } from '../../src/platform/adapters/crypto-chance.js';
import { generateApiKey } from '../../src/platform/security/api-key.js';
import { Business } from '../support/business.js';
import { inTransaction, lockAwaited } from '../support/held-transaction.js';
import { type Answer, call } from '../support/http.js';
import { type Stack, startStack } from '../support/stack.js';

interface Key {
  id: string;
  name: string;
  prefix: string;
  environment: string;
  created_at: string;
  last_used_at: string | null;
  revoked_at: string | null;
  key: string;
}

interface Line {
  action: string;
  actor_kind: string;
  actor_id: string;
  target_kind: string | null;
  target_id: string | null;
  detail: Record<string, unknown>;
  request_id: string | null;
  address: string | null;
}

describe('API keys', () => {
  let stack: Stack;
  let mine: Business;
  let other: Business;

  beforeAll(async () => {
    stack = await startStack({
      api: 2, workers: 0, simulator: false,
      env: { SRI_RECEPTION_URL: 'http://127.0.0.1:9/r', SRI_AUTHORIZATION_URL: 'http://127.0.0.1:9/a', RATE_LIMIT_AUTH_PER_MINUTE: '1000000' },
    });
    mine = await Business.open(stack, { certificate: null });
    other = await Business.open(stack, { certificate: null });
  });
  afterAll(() => stack.stop());

  const created = async (name: string): Promise<Key> => {
    const answer = await mine.call<Key>('POST', '/auth/api-keys', { name });
    expect([answer.status, answer.body]).toMatchObject([201, { name: name.trim() }]);
    return answer.body;
  };
  const lines = async (business: Business, query = ''): Promise<Line[]> => (await business.call<{ items: Line[] }>('GET', `/tenant/audit-log${query}`)).body.items;

  it('are shown once, listed by their beginning, and stored as a hash', async () => {
    const key = await created(' Caja 1 ');
    expect(key).toMatchObject({ name: 'Caja 1', environment: 'TEST', last_used_at: null, revoked_at: null });
    expect(key.key).toMatch(/^svc_test_[0-9A-Za-z]{38}$/);
    expect(key.prefix).toBe(key.key.slice(0, 13));
    const list = await mine.call<{ items: Record<string, unknown>[]; total: number }>('GET', '/auth/api-keys');
    const { key: clear, ...shown } = key;
    expect(list.body.items[0]).toEqual(shown);
    expect(list.body.total).toBe(2);
    expect(JSON.stringify(list.body)).not.toContain(clear);
    const [row] = await stack.database.query<{ whole: string; bytes: number }>('select k::text as whole, length(key_hash) as bytes from api_keys k where id = $1', [key.id]);
    expect([row?.bytes, row?.whole.includes(clear.slice(9))]).toEqual([32, false]);
    for (const log of readdirSync(stack.logFolder)) expect(readFileSync(join(stack.logFolder, log), 'utf8')).not.toContain(clear.slice(9));
  });

  it('are a hundred at once at most: each has limits of its own', async () => {
    const many = await Business.open(stack, { certificate: null });
    const make = (name: string): Promise<Answer<Key>> => many.call<Key>('POST', '/auth/api-keys', { name });
    const made: Key[] = [];
    for (let n = 1; n < 100; n += 1) made.push((await make(`key ${n}`)).body);
    const refused = await make('one more');
    expect([refused.status, refused.body]).toMatchObject([422, { detail: [{ loc: ['body', 'name'], type: 'too_many_keys', ctx: { max: 100 } }] }]);
    expect((await many.call('DELETE', `/auth/api-keys/${made[0]!.id}`)).status).toBe(204);
    expect((await make('in its place')).status).toBe(201);
  });

  it('are never more than a hundred, however many are made at once', async () => {
    const many = await Business.open(stack, { certificate: null });
    await stack.database.query(
      `insert into api_keys (tenant_id, id, name, prefix, key_hash, environment, created_at)
       select $1, gen_random_uuid(), 'filler', 'svc_test_fill', sha256(gen_random_uuid()::text::bytea), 'TEST', now() from generate_series(1, 95) n`, [many.tenantId]);
    const answers = await Promise.all(Array.from({ length: 20 }, (_unused, n) => call(stack.apiUrls[n % 2]!, 'POST', '/auth/api-keys', { apiKey: many.apiKey, body: { name: `at once ${n}` } })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(4);
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(16);
  });

  it('act for their tenant, and revoked they fail from the next request on, on every process', async () => {
    const key = await created('Two processes');
    const asKey = (apiUrl: string): Promise<Answer> => call(apiUrl, 'GET', '/tenant', { apiKey: key.key });
    for (const url of stack.apiUrls) expect([(await asKey(url)).status, (await asKey(url)).body['id']]).toEqual([200, mine.tenantId]);
    expect((await mine.call('DELETE', `/auth/api-keys/${key.id}`)).status).toBe(204);
    for (const url of stack.apiUrls) expect((await asKey(url)).status).toBe(401);
    expect((await mine.call('DELETE', `/auth/api-keys/${key.id}`)).status).toBe(204);
    const list = await mine.call<{ items: Key[] }>('GET', '/auth/api-keys');
    expect(list.body.items.find(({ id }) => id === key.id)?.revoked_at).not.toBeNull();
    expect((await lines(mine, '?action=api_key.revoked')).filter((line) => line.target_id === key.id)).toHaveLength(1);
  });

  it('leave no key behind when they are revoked while they make one', async () => {
    const maker = await created('maker');
    let making: Promise<Answer> | undefined;
    await inTransaction(stack.database, async (revoking) => {
      await revoking.query('update api_keys set revoked_at = now() where id = $1', [maker.id]);
      making = call(stack.apiUrl, 'POST', '/auth/api-keys', { apiKey: maker.key, body: { name: 'left behind' } });
      await lockAwaited(stack.database, 1, 'from api_keys');
      await revoking.query('commit');
    });
    expect((await making)?.status).toBe(401);
    expect(await stack.database.query(`select 1 from api_keys where name = 'left behind'`)).toEqual([]);
  });

  it('may revoke themselves', async () => {
    const key = await created('Leaked');
    expect((await call(stack.apiUrl, 'DELETE', `/auth/api-keys/${key.id}`, { apiKey: key.key })).status).toBe(204);
    expect((await call(stack.apiUrl, 'GET', '/tenant', { apiKey: key.key })).status).toBe(401);
  });

  it('tell when they were last used, to the minute', async () => {
    const key = await created('Used');
    const used = async (): Promise<string | null> =>
      (await mine.call<{ items: Key[] }>('GET', '/auth/api-keys')).body.items.find(({ id }) => id === key.id)?.last_used_at ?? null;
    /** Once another time is told than this: nobody waits for it to be written. */
    const usedAfter = async (earlier: string | null): Promise<string> => {
      for (;;) {
        const latest = await used();
        if (latest !== null && latest !== earlier) return latest;
        await sleep(20);
      }
    };
    expect(await used()).toBeNull();
    const before = Date.now();
    await Promise.all(Array.from({ length: 20 }, (_unused, i) => call(stack.apiUrls[i % 2]!, 'GET', '/tenant', { apiKey: key.key })));
    const first = await usedAfter(null);
    expect(Date.parse(first)).toBeGreaterThanOrEqual(before);
    await call(stack.apiUrl, 'GET', '/tenant', { apiKey: key.key });
    await sleep(200);
    expect(await used()).toBe(first);
    await stack.database.query(`update api_keys set last_used_at = now() - interval '61 seconds' where id = $1`, [key.id]);
    const old = await used();
    await call(stack.apiUrl, 'GET', '/tenant', { apiKey: key.key });
    expect(Date.parse(await usedAfter(old))).toBeGreaterThanOrEqual(Date.parse(first));
    // Noted by a clock that was wrong.
    await stack.database.query(`update api_keys set last_used_at = now() + interval '1 year' where id = $1`, [key.id]);
    const ahead = await used();
    await call(stack.apiUrl, 'GET', '/tenant', { apiKey: key.key });
    expect(Date.parse(await usedAfter(ahead))).toBeLessThan(Date.parse(ahead!));
  });

  it('of the other environment, of nobody, or mistyped are one and the same refusal', async () => {
    const [live, unknown] = [generateApiKey(new CryptoChance(), 'PRODUCTION'), generateApiKey(new CryptoChance(), 'TEST')];
    // Even one that is in the table.
    await stack.database.query(`insert into api_keys (tenant_id, id, name, prefix, key_hash, environment, created_at) values ($1, $2, 'live', 'svc_live_', $3, 'PRODUCTION', now())`, [
      mine.tenantId, randomUUID(), live.hash,
    ]);
    const bodies = new Set<string>();
    for (const key of [live.clear, unknown.clear, `${unknown.clear.slice(0, -1)}_`, 'x']) {
      const { status, body } = await call<{ error: { request_id: string } }>(stack.apiUrl, 'GET', '/tenant', { apiKey: key });
      expect(status).toBe(401);
      bodies.add(JSON.stringify({ ...body.error, request_id: '' }));
    }
    expect(bodies.size).toBe(1);
  });

  it('of a tenant that was closed fail', async () => {
    const closed = await Business.open(stack, { certificate: null });
    await stack.database.query('update tenants set is_active = false where id = $1', [closed.tenantId]);
    expect((await closed.call('GET', '/tenant')).status).toBe(401);
  });

  it('that name another tenant are refused, which the log of their own tenant tells once a minute', async () => {
    expect((await mine.call('GET', '/tenant', undefined, { 'x-tenant-id': mine.tenantId.toUpperCase() })).status).toBe(200);
    for (const named of [other.tenantId, randomUUID(), 'garbage', `${mine.tenantId}, ${mine.tenantId}`]) {
      const answer = await mine.call<{ error: { message: string; detail: unknown } }>('GET', '/tenant', undefined, { 'x-tenant-id': named, 'x-request-id': 'foreign-1' });
      expect([answer.status, answer.body.error.detail]).toEqual([403, { reason: 'tenant_mismatch' }]);
      // GET /auth/me is for persons.
      expect(answer.body.error.message).toContain('Con una clave de API omítalo: GET /tenant');
    }
    const [line, ...more] = await lines(mine, '?action=access.foreign_tenant_refused');
    expect(line).toMatchObject({ actor_kind: 'api_key', actor_id: mine.apiKeyId, detail: { named: other.tenantId }, request_id: 'foreign-1', address: '127.0.0.1' });
    expect([more, await lines(other, '?action=access.foreign_tenant_refused')]).toEqual([[], []]);
  });

  it('say in the audit log who made and revoked them', async () => {
    const key = await created('Audited');
    const [line] = await lines(mine, '?action=api_key.created&page_size=1');
    expect(line).toMatchObject({ actor_kind: 'api_key', actor_id: mine.apiKeyId, target_kind: 'api_key', target_id: key.id, detail: { name: 'Audited', prefix: key.prefix } });
  });

  it.each([[{}, 400], [{ name: '' }, 422], [{ name: 'x'.repeat(101) }, 422], [{ name: 'x', environment: 'PRODUCTION' }, 422], [{ name: 'x', id: randomUUID() }, 422]])(
    'are not made of %j', async (body, status) => {
      expect((await mine.call('POST', '/auth/api-keys', body)).status).toBe(status);
    });
});
