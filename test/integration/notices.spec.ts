import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { type News, noticeLetter } from '../../src/modules/notifications/domain/notice-letter.js';
import { NoticesRepository } from '../../src/modules/notifications/persistence/notices.repository.js';
import { RandomIds } from '../../src/platform/adapters/random-ids.js';
import { TenantTransaction } from '../../src/platform/database/tenant-transaction.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { type SeededTenant, seedTenant } from '../support/seed.js';
import { serviceConnections } from '../support/service-connections.js';

/** As many items as a mail lists. */
const MOST = 50;

describe('a mail to the admins', () => {
  let database: TestDatabase;
  let service: DataSource;
  let notices: NoticesRepository;
  let transaction: TenantTransaction;

  beforeAll(async () => {
    database = await createTestDatabase();
    service = await serviceConnections(database.url, 'worker', 2);
    transaction = new TenantTransaction(service);
    notices = new NoticesRepository(transaction, new RandomIds());
  });
  afterAll(async () => {
    await service.destroy();
    await database.drop();
  });

  async function tenantWithOwner(ruc: string): Promise<SeededTenant> {
    const tenant = await seedTenant(database, { ruc });
    await owner(tenant.tenantId, new Date());
    return tenant;
  }

  /** Makes somebody an owner. @returns the address */
  async function owner(tenantId: string, confirmedAt: Date | null): Promise<string> {
    const [user, email] = [randomUUID(), `${randomUUID()}@example.com`];
    await database.query(`insert into users (id, email, name, email_verified_at, created_at, updated_at) values ($1, $2, 'Ana', $3, now(), now())`, [user, email, confirmedAt]);
    await database.query(
      `insert into members (tenant_id, id, user_id, email, role, status, invited_at, created_at, updated_at)
       values ($1, gen_random_uuid(), $2, $3, 'tenant_owner', 'active', now(), now(), now())`, [tenantId, user, email]);
    return email;
  }

  /** The news of the one mail about the latest event of a tenant. */
  async function newsOf(tenantId: string): Promise<News> {
    const [event] = await database.query<{ id: string }>('select id from events where tenant_id = $1 order by created_at desc limit 1', [tenantId]);
    const token = randomUUID();
    await database.query('update mail_outbox set lease_token = $2 where id = $1', [event?.id, token]);
    await notices.addressAdmins({ tenantId, id: event?.id ?? '', kind: 'notice' }, token, new Date());
    const [mail] = await database.query<{ id: string }>('select id from mails where tenant_id = $1', [tenantId]);
    return (await notices.find(tenantId, mail?.id ?? '', new Date()))!.news!;
  }

  it('names the certificate that it is about first, however many ran out before', async () => {
    const { tenantId } = await tenantWithOwner('0992345678001');
    await database.query(
      `with issuer as (
         insert into issuers (tenant_id, id, ruc, razon_social, direccion_matriz, obligado_contabilidad, created_at, updated_at)
         select $1, gen_random_uuid(), (1700000000000 + n)::text, case n when 0 then 'EL NUEVO' else 'ANTIGUO ' || n end, 'Quito', true, now(), now() from generate_series(0, ${MOST + 2}) n returning id, razon_social
       )
       insert into certificates (tenant_id, id, issuer_id, subject, issuer_name, serial_number, ruc, valid_from, valid_to, fingerprint_sha256, certificate_der, sealed_key, is_active, created_at)
       select $1, gen_random_uuid(), id, 'CN', 'CN', '1', '1', now() - interval '3 years',
         case razon_social when 'EL NUEVO' then now() + interval '29 days' else now() - interval '100 days' end, id::text, 'x', 'x', true, now() from issuer`, [tenantId]);
    await database.query(
      `insert into certificate_notices (tenant_id, certificate_id, threshold, event_id, noticed_at)
       select tenant_id, id, 0, gen_random_uuid(), now() from certificates where tenant_id = $1 and valid_to < now()`, [tenantId]);
    await transaction.withoutTenant('select notice_certificates(now())');
    const news = await newsOf(tenantId);
    expect(news).toMatchObject({ type: 'certificate.expiring', more: 3 });
    expect(news.items).toHaveLength(MOST);
    expect(news.items[0]).toMatchObject({ issuer: 'EL NUEVO' });
    const { text } = noticeLetter(news, 'Mía', 'es', new Date());
    expect(text).toContain('EL NUEVO');
    expect(text).toMatch(/Y otros.*3 más/s);
    expect(noticeLetter(news, 'Mine', 'en', new Date()).text).toMatch(/And others.*3 more/s);
  });

  it('names the latest pauses', async () => {
    const { tenantId, issuerId } = await tenantWithOwner('0990012345001');
    await database.query(
      `insert into issuing_pauses (tenant_id, id, issuer_id, scope, emission_point_id, document_id, document_type, code, created_at)
       select $1, gen_random_uuid(), $2, 'emission_point', gen_random_uuid(), gen_random_uuid(), case n when 0 then '07' else '01' end, '43', now() - n * interval '1 hour' from generate_series(0, ${MOST}) n`, [tenantId, issuerId]);
    await database.query(`insert into events (tenant_id, id, type, created_at, data) values ($1, gen_random_uuid(), 'issuer.paused', now(), '{"pause": {}}')`, [tenantId]);
    const news = await newsOf(tenantId);
    expect(news).toMatchObject({ type: 'issuer.paused', more: 1 });
    expect(news.items[0]).toMatchObject({ documentType: '07' });
    expect(news.items).toHaveLength(MOST);
  });

  it('says nothing of others where it names all', async () => {
    const { tenantId, issuerId } = await tenantWithOwner('0993456789001');
    await database.query(`insert into issuing_pauses (tenant_id, id, issuer_id, scope, document_id, document_type, code, created_at) values ($1, gen_random_uuid(), $2, 'document_type', gen_random_uuid(), '01', '43', now())`, [tenantId, issuerId]);
    await database.query(`insert into events (tenant_id, id, type, created_at, data) values ($1, gen_random_uuid(), 'issuer.paused', now(), '{"pause": {}}')`, [tenantId]);
    const news = await newsOf(tenantId);
    expect(news).toMatchObject({ more: 0, items: [{ documentType: '01', sriCode: '43' }] });
    expect(noticeLetter(news, 'Mía', 'es', new Date()).text).not.toContain('Y otros');
  });

  it('goes to confirmed addresses only: under another somebody else may have signed up', async () => {
    const { tenantId } = await tenantWithOwner('0995678901001');
    const stranger = await owner(tenantId, null);
    await database.query(`insert into events (tenant_id, id, type, created_at, data) values ($1, gen_random_uuid(), 'webhook.disabled', now(), '{"webhook": {"url": "https://a.example"}}')`, [tenantId]);
    expect(await newsOf(tenantId)).toMatchObject({ type: 'webhook.disabled' });
    const mails = await database.query<{ id: string; recipient: string }>('select id, recipient from mails where tenant_id = $1', [tenantId]);
    expect(mails.map(({ recipient }) => recipient)).not.toContain(stranger);
    expect(mails).toHaveLength(1);
    // Nor is one that was queued for such an address.
    await database.query('update mails set recipient = $2 where tenant_id = $1', [tenantId, stranger]);
    expect(await notices.find(tenantId, mails[0]!.id, new Date())).toMatchObject({ recipient: stranger, news: null });
    await database.query('update users set email_verified_at = now() where email = $1', [stranger]);
    expect(await notices.find(tenantId, mails[0]!.id, new Date())).toMatchObject({ recipient: stranger, news: { type: 'webhook.disabled' } });
  });

  it('waits while the tenant is closed, and is written once it is open again', async () => {
    const { tenantId, issuerId } = await tenantWithOwner('0994567890001');
    await database.query(`insert into issuing_pauses (tenant_id, id, issuer_id, scope, document_id, document_type, code, created_at) values ($1, gen_random_uuid(), $2, 'document_type', gen_random_uuid(), '01', '43', now())`, [tenantId, issuerId]);
    await database.query(`insert into events (tenant_id, id, type, created_at, data) values ($1, gen_random_uuid(), 'issuer.paused', now(), '{"pause": {}}')`, [tenantId]);
    const [event] = await database.query<{ id: string }>('select id from events where tenant_id = $1', [tenantId]);
    const work = { tenantId, id: event?.id ?? '', kind: 'notice' } as const;
    const token = randomUUID();
    await database.query('update tenants set is_active = false where id = $1', [tenantId]);
    await database.query('update mail_outbox set lease_token = $2 where id = $1', [work.id, token]);
    await notices.addressAdmins(work, token, new Date());
    expect(await database.query('select kind, due_at > now() as waits from mail_outbox where tenant_id = $1', [tenantId])).toEqual([{ kind: 'notice', waits: true }]);
    expect(await database.query('select from mails where tenant_id = $1', [tenantId])).toEqual([]);
    // One look puts off all that waits; what is old is news no more, and does not go round for ever.
    await database.query(
      `insert into events (tenant_id, id, type, created_at, data)
       select $1, gen_random_uuid(), 'issuer.paused', now() - make_interval(days => 10 * n), '{"pause": {}}' from generate_series(1, 5) n`, [tenantId]);
    await database.query(`update mail_outbox set due_at = now(), lease_token = case when id = $2 then $3::uuid end where tenant_id = $1`, [tenantId, work.id, token]);
    await notices.addressAdmins(work, token, new Date());
    expect(await database.query('select count(*)::int as waiting, bool_and(due_at > now()) as later from mail_outbox where tenant_id = $1', [tenantId])).toEqual([{ waiting: 4, later: true }]);
    await database.query('delete from mail_outbox where tenant_id = $1 and id <> $2', [tenantId, work.id]);
    await database.query('update tenants set is_active = true where id = $1', [tenantId]);
    expect(await newsOf(tenantId)).toMatchObject({ type: 'issuer.paused', items: [{ documentType: '01' }] });
  });
});
