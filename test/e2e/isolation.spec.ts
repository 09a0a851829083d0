import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { Business } from '../support/business.js';
import type { Answer } from '../support/http.js';
import { member, type Somebody } from '../support/people.js';
import { type Stack, startStack } from '../support/stack.js';

const TENANTS = 10;
const REQUESTS = 1_000;
const AT_ONCE = 20;
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

describe('ten tenants on two connections', () => {
  let stack: Stack;
  let tenants: { business: Business; owner: Somebody; foundedBy: string }[];

  beforeAll(async () => {
    stack = await startStack({
      workers: 0, simulator: false,
      env: {
        SRI_RECEPTION_URL: 'http://127.0.0.1:9/r', SRI_AUTHORIZATION_URL: 'http://127.0.0.1:9/a',
        DATABASE_POOL_SIZE: '2', RATE_LIMIT_AUTH_PER_MINUTE: '1000000',
      },
    });
    tenants = [];
    for (let i = 0; i < TENANTS; i += 1) {
      const business = await Business.open(stack);
      const owner = await member(stack, business.tenantId, 'tenant_owner');
      tenants.push({ business, owner, foundedBy: owner.userId });
    }
  });
  afterAll(() => stack.stop());

  it('see nothing of each other in a thousand interleaved requests, also after errors, aborts and time-outs', async () => {
    const answers: { tenantId: string; what: string; answer: Answer }[] = [];
    const failures: string[] = [];
    const kinds: readonly ((tenant: (typeof tenants)[number], round: number) => Promise<[string, number, Answer]>)[] = [
      async ({ business }) => ['issuers', 200, await business.call('GET', '/issuers')],
      async ({ business }, round) => ['issue', 202, await business.issue({ numeric_code: String(10_000_000 + round) })],
      async ({ owner }) => ['members', 200, await owner.call('GET', '/tenant/members')],
      async ({ business }) => ['documents', 200, await business.call('GET', '/documents?page_size=100')],
      async ({ owner }, round) => ['invite', 201, await owner.call('POST', '/tenant/members/invite', { email: `guest-${round}@example.com`, role: 'viewer' })],
      async ({ business }) => ['not found', 404, await business.call('GET', `/documents/${randomUUID()}`)],
      async ({ owner }) => ['audit log', 200, await owner.call('GET', '/tenant/audit-log?page_size=100')],
      async ({ business }) => ['duplicate', 409, await business.call('POST', `/issuers/${business.issuerId}/establishments`, { code: '001', address: 'Quito' })],
      async ({ business }) => ['keys', 200, await business.call('GET', '/auth/api-keys')],
      async ({ business }) => ['draft', 201, await business.call('POST', '/documents/drafts', business.invoice())],
      async ({ business }) => ['foreign key', 404, await business.call('POST', '/documents/drafts', business.invoice({ document_type: '04', reason: 'x', modified_document_id: randomUUID() }))],
      async ({ owner }) => ['me', 200, await owner.call('GET', '/tenant')],
    ];
    // A stranger holds a tenant's row: whoever wants to change its members waits until the lock times out.
    const stranger = new pg.Client({ connectionString: stack.ownerUrl });
    await stranger.connect();
    await stranger.query('begin');
    await stranger.query('select 1 from sello.tenants where id = $1 for update', [tenants[0]!.business.tenantId]);
    const blocked = tenants[0]!.owner.call('POST', '/tenant/members/invite', { email: 'blocked@example.com', role: 'viewer' }).finally(() => stranger.query('rollback'));

    let next = 0;
    const caller = async (): Promise<void> => {
      for (let round = next++; round < REQUESTS; round = next++) {
        const tenant = tenants[round % TENANTS]!;
        const kind = kinds[(round * 7 + Math.floor(round / TENANTS)) % kinds.length]!;
        if (round % 50 === 49) await aborted(tenant.business);
        const [what, due, answer] = await kind(tenant, round);
        // While the stranger holds the row, changes of that tenant's members may time out too.
        const lockedOut = tenant === tenants[0] && what === 'invite' && answer.status === 503;
        if (answer.status !== due && !lockedOut) failures.push(`${what}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 200)}`);
        answers.push({ tenantId: tenant.business.tenantId, what, answer });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, caller));
    const timedOut = await blocked;
    await stranger.end();

    expect(failures).toEqual([]);
    expect(timedOut.status).toBe(503);
    const owners = await ownersOfIds();
    const foreign = answers.flatMap(({ tenantId, what, answer }) =>
      [...new Set(JSON.stringify(answer.body).match(UUID) ?? [])]
        .filter((id) => owners.has(id) && owners.get(id) !== tenantId)
        .map((id) => `${what} of ${tenantId} showed ${id} of ${owners.get(id) ?? ''}`),
    );
    expect(foreign).toEqual([]);
    // The check can see something: ids of the callers' own tenants were found.
    const own = answers.filter(({ tenantId, answer }) => (JSON.stringify(answer.body).match(UUID) ?? []).some((id) => owners.get(id) === tenantId));
    expect(own.length).toBeGreaterThan(REQUESTS / 2);
  });

  it('leave no tenant behind on a connection', async () => {
    // Wrote all that was asked, each for itself.
    for (const { business, owner } of tenants) {
      const { body } = await owner.call<{ items: { tenant_id: string }[] }>('GET', '/issuers');
      expect(body.items.map(({ tenant_id }) => tenant_id)).toEqual([business.tenantId]);
      const wrong = await stack.database.query(
        'select 1 from audit_log a where a.tenant_id = $1 and a.actor_id <> all($2)', [business.tenantId, [business.apiKeyId, owner.userId]],
      );
      expect(wrong).toEqual([]);
    }
  });

  /** A call whose caller hangs up before the answer. */
  const aborted = async (business: Business): Promise<void> => {
    const hangUp = new AbortController();
    const call = fetch(`${stack.apiUrl}/documents?page_size=100`, { headers: { 'x-api-key': business.apiKey }, signal: hangUp.signal });
    setImmediate(() => hangUp.abort());
    await call.then((answer) => answer.text()).catch(() => undefined);
  };

  /** Whose every id in the database is. */
  const ownersOfIds = async (): Promise<Map<string, string>> => {
    const tables = await stack.database.query<{ name: string }>(
      `select c.table_name::text as name from information_schema.columns c
       where c.table_schema = 'sello' and c.column_name = 'tenant_id' and c.table_name in
         (select i.table_name from information_schema.columns i where i.table_schema = 'sello' and i.column_name = 'id' and i.data_type = 'uuid')`,
    );
    const owners = new Map<string, string>(tenants.map(({ business: { tenantId } }) => [tenantId, tenantId]));
    for (const { name } of tables) {
      for (const { id, tenant_id } of await stack.database.query<{ id: string; tenant_id: string }>(`select id, tenant_id from ${name}`)) owners.set(id, tenant_id);
    }
    expect(owners.size).toBeGreaterThan(200);
    return owners;
  };
});
