import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { DataSource } from 'typeorm';
import { AwaitDocumentHandler, AwaitDocument } from '../../src/modules/documents/use-cases/await-document.js';
import { actLine } from '../../src/platform/audit/audit-trail.js';
import { SystemClock } from '../../src/platform/adapters/system-clock.js';
import { TimerSleeper } from '../../src/platform/adapters/timer-sleeper.js';
import { OWN_SQL_STATE } from '../../src/platform/database/own-sql-state.js';
import { requireCredential, StandingCredential } from '../../src/platform/database/standing-credential.js';
import { sqlState } from '../../src/platform/database/sql-error.js';
import { TenantTransaction } from '../../src/platform/database/tenant-transaction.js';
import { Shutdown } from '../../src/platform/shutdown/shutdown.js';
import type { DomainError } from '../../src/shared/domain-error.js';
import type { TenantContext } from '../../src/shared/tenant-context.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { issueBySql, type SeededTenant, seedTenant } from '../support/seed.js';
import { serviceConnections } from '../support/service-connections.js';

describe('the last look at a person', () => {
  let database: TestDatabase;
  let service: DataSource;
  let seed: SeededTenant;
  let userId: string;
  let sessionId: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    service = await serviceConnections(database.url, 'api', 2);
  });
  beforeEach(async () => {
    [seed, userId, sessionId] = [await seedTenant(database), randomUUID(), randomUUID()];
    await database.query(`insert into users (id, email, name, created_at, updated_at) values ($1, $2, 'Ana', now(), now())`, [userId, `${userId}@example.com`]);
    await database.query(`insert into sessions (id, user_id, created_at, expires_at) values ($1, $2, now(), now() + interval '1 day')`, [sessionId, userId]);
    await database.query(
      `insert into members (tenant_id, id, user_id, email, role, status, invited_at, created_at, updated_at)
       values ($1, $2, $2, $3, 'billing_operator', 'active', now(), now(), now())`, [seed.tenantId, userId, `${userId}@example.com`]);
  });
  afterAll(async () => {
    await service.destroy();
    await database.drop();
  });

  const issue = (): Promise<unknown> => issueBySql(service, { ...seed, apiKeyId: sessionId }).then(({ outcome }) => outcome, sqlState);
  const awaited = (documentId: string, principal: TenantContext['principal']): Promise<unknown> => {
    const waiting = new AwaitDocumentHandler(new TenantTransaction(service), new SystemClock(), new TimerSleeper(), new Shutdown({ SHUTDOWN_SECONDS: 1 }));
    return waiting.execute(new AwaitDocument({ tenantId: seed.tenantId, principal, environment: 'TEST' }, documentId, { seconds: 0, hasLeft: () => false }, false));
  };
  const ENDINGS = [
    ['an ended session', 'update sessions set ended_at = now() where user_id = $1'],
    ['an expired session', `update sessions set expires_at = now() - interval '1 minute' where user_id = $1`],
    ['a disabled person', 'update users set disabled_at = now() where id = $1'],
    ['a suspended member', `update members set status = 'suspended' where user_id = $1`],
    ['a removed member', 'delete from members where user_id = $1'],
    ['an inactive tenant', 'update tenants set is_active = false where id in (select tenant_id from members where user_id = $1)'],
  ] as const;

  it('lets a member issue, and a platform administrator who is none', async () => {
    expect(await issue()).toBe('accepted');
    await database.query('delete from members where user_id = $1', [userId]);
    await database.query('update users set is_platform_admin = true where id = $1', [userId]);
    // Behind the first, which is still to be sent.
    expect(await issue()).toBe('in_line');
  });

  it('lets an administrator of the platform issue nothing in a closed tenant, and wait there for a document', async () => {
    const { response } = await issueBySql(service, seed);
    await database.query('delete from members where user_id = $1', [userId]);
    await database.query('update users set is_platform_admin = true where id = $1', [userId]);
    await database.query('update tenants set is_active = false where id = $1', [seed.tenantId]);
    expect(await issue()).toBe(OWN_SQL_STATE.tenantClosed);
    expect(await awaited(response.document_id, { kind: 'user', id: userId, sessionId, memberId: null, role: 'platform_admin' })).toMatchObject({ document_id: response.document_id });
    await database.query('update sessions set ended_at = now() where user_id = $1', [userId]);
    expect(await issue()).toBe(OWN_SQL_STATE.credentialEnded);
  });

  it.each(ENDINGS)('breaks a long answer off after %s', async (_what, change) => {
    const tenant: TenantContext = { tenantId: seed.tenantId, principal: { kind: 'user', id: userId, sessionId, memberId: userId, role: 'billing_operator' }, environment: 'TEST' };
    const parts = new StandingCredential(new TenantTransaction(service), new SystemClock()).whileItStands(tenant, Readable.from(['first', 'second']));
    expect(await parts.next()).toEqual({ done: false, value: 'first' });
    await database.query(change, [userId]);
    await expect(parts.next()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(await parts.next()).toEqual({ done: true, value: undefined });
  });

  it.each(ENDINGS)('refuses %s, and takes no number', async (_what, change) => {
    await database.query(change, [userId]);
    expect(await issue()).toBe(OWN_SQL_STATE.credentialEnded);
    expect(await database.query('select from sequence_counters where tenant_id = $1', [seed.tenantId])).toEqual([]);
  });

  it.each(ENDINGS)('tells %s nothing at the end of a wait', async (_what, change) => {
    const { response } = await issueBySql(service, seed);
    await database.query(change, [userId]);
    const principal = { kind: 'user', id: userId, sessionId, memberId: userId, role: 'billing_operator' } as const;
    await expect(awaited(response.document_id, principal)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  it('breaks a long answer off when its person has another role by now', async () => {
    const tenant: TenantContext = { tenantId: seed.tenantId, principal: { kind: 'user', id: userId, sessionId, memberId: userId, role: 'billing_operator' }, environment: 'TEST' };
    const parts = new StandingCredential(new TenantTransaction(service), new SystemClock()).whileItStands(tenant, Readable.from(['first', 'second']));
    expect(await parts.next()).toEqual({ done: false, value: 'first' });
    await database.query(`update members set role = 'viewer' where user_id = $1`, [userId]);
    await expect(parts.next()).rejects.toMatchObject({ code: 'FORBIDDEN', detail: { reason: 'role_changed' } });
  });

  it('refuses a person who has another role by now, a higher one too, an administrator of the platform like any other, and asks no key for one', async () => {
    const acting = (principal: TenantContext['principal']): Promise<unknown> => {
      const tenant: TenantContext = { tenantId: seed.tenantId, principal, environment: 'TEST' };
      const database = new TenantTransaction(service);
      const act = database.run(seed.tenantId, (manager) => requireCredential(manager, tenant, new Date()));
      const line = database.call(seed.tenantId, 'select record_act($1, $2)', [actLine(tenant, { action: 'mail_settings.changed' }, new Date())]);
      return Promise.all([act, line].map((one) => one.then(() => 'acts', (error: unknown) => [(error as DomainError).code, (error as DomainError).detail])));
    };
    const member = { kind: 'user', id: userId, sessionId, memberId: userId, role: 'billing_operator' } as const;
    const refused = ['FORBIDDEN', { reason: 'role_changed' }];
    expect(await acting(member)).toEqual(['acts', 'acts']);
    for (const role of ['viewer', 'tenant_owner']) {
      await database.query('update members set role = $2 where user_id = $1', [userId, role]);
      expect(await acting(member)).toEqual([refused, refused]);
    }
    expect(await acting({ kind: 'api_key', id: seed.apiKeyId })).toEqual(['acts', 'acts']);
    await database.query('update users set is_platform_admin = true where id = $1', [userId]);
    const administrator = { ...member, role: 'platform_admin' } as const;
    expect(await acting(administrator)).toEqual(['acts', 'acts']);
    await database.query('update users set is_platform_admin = false where id = $1', [userId]);
    expect(await acting(administrator)).toEqual([refused, refused]);
    await database.query('update users set is_platform_admin = true where id = $1', [userId]);
    await database.query(`update members set role = 'billing_operator', status = 'suspended' where user_id = $1`, [userId]);
    expect(await acting(member)).toEqual([refused, refused]);
    await database.query('delete from members where user_id = $1', [userId]);
    expect(await acting({ ...administrator, memberId: null })).toEqual(['acts', 'acts']);
  });

  it('does not take a session for that of another tenant', async () => {
    const other = await seedTenant(database, { ruc: '0992345678001' });
    expect(await issueBySql(service, { ...other, apiKeyId: sessionId }).then(({ outcome }) => outcome, sqlState)).toBe(OWN_SQL_STATE.credentialEnded);
  });
});
