import { randomBytes, randomUUID } from 'node:crypto';
import { beginNewLife } from '../../src/platform/database/backup/new-life.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { seedTenant, type SeededTenant } from '../support/seed.js';

const NOW = new Date('2026-08-30T12:00:00Z');
const REASON = 'The database was restored from an earlier point: switch it on if it still stands';

describe('webhooks of a database whose new life begins', () => {
  let database: TestDatabase;
  let tenant: SeededTenant;
  const begin = (url: string, lineage: string, webhooksHeld: string | null) =>
    beginNewLife(url, { lineage, documentTypes: [], skip: 0, reason: 'restored', now: NOW, whileServed: true, isFilled: true, webhooksHeld });
  const active = async (): Promise<unknown> => (await database.query('select array_agg(is_active order by created_at) as active from webhooks'))[0]?.['active'];
  const lineage = async (): Promise<unknown> => (await database.query('select lineage from deployment'))[0]?.['lineage'];

  beforeAll(async () => {
    database = await createTestDatabase();
    await database.query(`select bind_environment('TEST')`);
    tenant = await seedTenant(database);
    for (const [isActive, at] of [[true, '2026-08-01'], [false, '2026-08-02']]) {
      await database.query(`insert into webhooks (tenant_id, id, url, is_active, created_at, updated_at) values ($1, $2, 'https://example.com/', $3, $4, $4)`, [tenant.tenantId, randomUUID(), isActive, at]);
    }
  });
  afterAll(() => database.drop());

  it('are as they were, unless they are to be held', async () => {
    expect(await begin(database.ownerUrl, '00000001', null)).toEqual({ raised: [], held: 0 });
    expect(await active()).toEqual([true, false]);
  });

  it('are not held by a login from which rows are hidden, and no life begins', async () => {
    const login = `login_${randomBytes(6).toString('hex')}`;
    const url = new URL(database.ownerUrl);
    [url.username, url.password] = [login, 'secret'];
    await database.query(`create role ${login} login password 'secret' in role sello_resolver, sello_worker`);
    try {
      await expect(begin(url.href, '00000002', REASON)).rejects.toThrow(/^DATABASE_OWNER_URL: row security hides rows from this login.*BYPASSRLS$/);
      expect([await active(), await lineage()]).toEqual([[true, false], '00000001']);
    } finally {
      await database.query(`drop role ${login}`);
    }
  });

  it('are switched off where they were on, and the audit log says why', async () => {
    expect(await begin(database.ownerUrl, '00000003', REASON)).toEqual({ raised: [], held: 1 });
    expect([await active(), await lineage()]).toEqual([[false, false], '00000003']);
    expect(await database.query(`select tenant_id, at, actor_kind, detail from audit_log where action = 'webhook.changed'`)).toEqual([
      { tenant_id: tenant.tenantId, at: NOW, actor_kind: 'system', detail: { fields: ['is_active'], reason: REASON } }]);
  });
});
