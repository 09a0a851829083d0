import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AUDIT_ACTIONS, type AuditAction } from '../../src/platform/audit/audit-actions.js';
import { Business } from '../support/business.js';
import { BUSINESS_PASSWORD, businessCertificate } from '../support/business-certificate.js';
import type { Answer } from '../support/http.js';
import { member, type Somebody } from '../support/people.js';
import { type RunningStack, sharedStack } from '../support/stack.js';

interface Line {
  id: string;
  at: string;
  action: AuditAction;
  actor_kind: string;
  actor_id: string;
  target_kind: string | null;
  target_id: string | null;
  detail: Record<string, unknown>;
  request_id: string;
  address: string;
}

describe('the audit log of a tenant', () => {
  let stack: RunningStack;
  let business: Business;
  let owner: Somebody;

  beforeAll(async () => {
    stack = await sharedStack();
    business = await Business.open(stack);
    owner = await member(stack, business.tenantId, 'tenant_owner');
  });
  afterAll(() => stack.stop());

  const lines = async (query = ''): Promise<Line[]> => (await owner.call<{ items: Line[] }>('GET', `/tenant/audit-log?page_size=100${query}`)).body.items;
  const authorized = async (): Promise<string> => {
    const { document_id } = await business.accepted();
    expect((await business.settled(document_id)).status).toBe('AUTHORIZED');
    return document_id;
  };
  /** Refused by the SRI at authorization, or already at reception, where nothing is stored. */
  const refused = async (code: string, at: 'reception' | 'authorization'): Promise<string> => {
    const { document_id } = await business.accepted({ additional_info: [{ name: 'Simulador', value: at === 'reception' ? `refuse:${code}` : `refuse:${code}@authorization` }] });
    expect((await business.settled(document_id)).status).toBe('REJECTED');
    return document_id;
  };
  const pause = async (): Promise<string> => {
    const [row] = await stack.database.query<{ id: string }>(
      `insert into issuing_pauses (tenant_id, id, scope, issuer_id, document_type, code, document_id, created_at)
       select tenant_id, gen_random_uuid(), 'document_type', issuer_id, '07', '34', id, now() from documents where tenant_id = $1 limit 1 returning id`, [business.tenantId]);
    return row!.id;
  };
  const buyer = async (buyer_id: string): Promise<string> =>
    (await business.call('POST', '/buyers', { buyer_id_type: 'EXTERIOR', buyer_id, legal_name: 'X' })).body['id'] as string;
  const product = async (main_code: string): Promise<string> =>
    (await business.call('POST', '/products', { main_code, name: 'X', unit_price: '1', iva_rate_code: '4' })).body['id'] as string;
  const standing = async (): Promise<string> =>
    (await business.call<{ items: { id: string }[] }>('GET', `/issuers/${business.issuerId}/certificates`)).body.items[0]!.id;
  const webhook = async (): Promise<string> => (await business.call<{ items: { id: string }[] }>('GET', '/webhooks')).body.items[0]!.id;
  const file = (): string => businessCertificate(business.ruc).toString('base64');

  /** Each act with the line it must leave: what is asked, the answer, the target, and what the line tells besides. */
  const acts: readonly (readonly [AuditAction, string, () => Promise<{ answer: Answer; target: string; detail: Record<string, unknown> }>])[] = [
    ['issuer.created', 'issuer', async () => {
      const answer = await owner.call('POST', '/issuers', { ruc: '1710034065001', razon_social: 'Pérez', direccion_matriz: 'Quito', obligado_contabilidad: false });
      return { answer, target: answer.body['id'] as string, detail: { ruc: '1710034065001' } };
    }],
    ['issuer.changed', 'issuer', async () => ({
      answer: await owner.call('PATCH', `/issuers/${business.issuerId}`, { nombre_comercial: 'Ñ', is_active: true }), target: business.issuerId, detail: { fields: ['nombre_comercial', 'is_active'] },
    })],
    ['establishment.created', 'establishment', async () => {
      const answer = await owner.call('POST', `/issuers/${business.issuerId}/establishments`, { code: '002', address: 'Cuenca' });
      return { answer, target: answer.body['id'] as string, detail: { issuer_id: business.issuerId, code: '002' } };
    }],
    ['sequence.raised', 'emission_point', async () => {
      const answer = await owner.call('POST', `/emission-points/${business.emissionPointId}/sequences/06/raise`, { next_number: 7, reason: 'Otro sistema' });
      return { answer, target: business.emissionPointId, detail: { document_type: '06', from_number: 1, to_number: 6, reason: 'Otro sistema' } };
    }],
    ['emission_point.created', 'emission_point', async () => {
      const answer = await owner.call('POST', `/issuers/${business.issuerId}/establishments/${business.establishmentId}/emission-points`, { code: '002' });
      return { answer, target: answer.body['id'] as string, detail: { issuer_id: business.issuerId, establishment_id: business.establishmentId, code: '002' } };
    }],
    ['buyer.created', 'buyer', async () => {
      const answer = await owner.call('POST', '/buyers', { buyer_id_type: 'EXTERIOR', buyer_id: 'X-1', legal_name: 'X' });
      return { answer, target: answer.body['id'] as string, detail: { buyer_id_type: '08' } };
    }],
    ['buyer.changed', 'buyer', async () => {
      const id = await buyer('X-2');
      return { answer: await owner.call('PATCH', `/buyers/${id}`, { email: 'other@example.com' }), target: id, detail: { fields: ['email'] } };
    }],
    ['product.created', 'product', async () => {
      const answer = await owner.call('POST', '/products', { main_code: 'P-1', name: 'X', unit_price: '1', iva_rate_code: '4' });
      return { answer, target: answer.body['id'] as string, detail: { main_code: 'P-1' } };
    }],
    ['product.changed', 'product', async () => {
      const id = await product('P-2');
      return { answer: await owner.call('PATCH', `/products/${id}`, { unit_price: '2', name: 'Y' }), target: id, detail: { fields: ['name', 'unit_price'] } };
    }],
    ['product.deleted', 'product', async () => {
      const id = await product('P-3');
      return { answer: await owner.call('DELETE', `/products/${id}`), target: id, detail: { main_code: 'P-3' } };
    }],
    ['buyer.deleted', 'buyer', async () => {
      const id = await buyer('X-3');
      return { answer: await owner.call('DELETE', `/buyers/${id}`), target: id, detail: {} };
    }],
    ['establishment.changed', 'establishment', async () => ({
      answer: await owner.call('PATCH', `/issuers/${business.issuerId}/establishments/${business.establishmentId}`, { name: 'Matriz' }), target: business.establishmentId, detail: { issuer_id: business.issuerId, fields: ['name'] },
    })],
    ['emission_point.changed', 'emission_point', async () => ({
      answer: await owner.call('PATCH', `/issuers/${business.issuerId}/establishments/${business.establishmentId}/emission-points/${business.emissionPointId}`, { is_active: true }),
      target: business.emissionPointId, detail: { issuer_id: business.issuerId, establishment_id: business.establishmentId, fields: ['is_active'] },
    })],
    ['emission_point.deleted', 'emission_point', async () => {
      const path = `/issuers/${business.issuerId}/establishments/${business.establishmentId}/emission-points`;
      const target = (await owner.call('POST', path, { code: '003' })).body['id'] as string;
      return { answer: await owner.call('DELETE', `${path}/${target}`), target, detail: { issuer_id: business.issuerId, establishment_id: business.establishmentId, code: '003' } };
    }],
    ['establishment.deleted', 'establishment', async () => {
      const path = `/issuers/${business.issuerId}/establishments`;
      const target = (await owner.call('POST', path, { code: '003', address: 'Loja' })).body['id'] as string;
      return { answer: await owner.call('DELETE', `${path}/${target}`), target, detail: { issuer_id: business.issuerId, code: '003' } };
    }],
    ['issuer.deleted', 'issuer', async () => {
      const target = (await owner.call('POST', '/issuers', { ruc: '1710034073001', razon_social: 'Paz', direccion_matriz: 'Quito', obligado_contabilidad: false })).body['id'] as string;
      return { answer: await owner.call('DELETE', `/issuers/${target}`), target, detail: { ruc: '1710034073001' } };
    }],
    ['certificate.activated', 'certificate', async () => {
      const id = await standing();
      return { answer: await owner.call('POST', `/issuers/${business.issuerId}/certificates/${id}/activate`), target: id, detail: { issuer_id: business.issuerId } };
    }],
    ['certificate.uploaded', 'certificate', async () => {
      const answer = await owner.call('POST', `/issuers/${business.issuerId}/certificates`, { file_base64: file(), password: BUSINESS_PASSWORD });
      return { answer, target: answer.body['id'] as string, detail: { issuer_id: business.issuerId } };
    }],
    ['pause.resumed', 'pause', async () => {
      await authorized();
      const id = await pause();
      return { answer: await owner.call('POST', `/issuers/${business.issuerId}/pauses/${id}/resume`), target: id, detail: { issuer_id: business.issuerId } };
    }],
    ['document.reconciled', 'document', async () => {
      const id = await refused('52', 'authorization');
      return { answer: await owner.call('POST', `/documents/${id}/reconcile`), target: id, detail: {} };
    }],
    ['document.retried', 'document', async () => {
      const id = await refused('39', 'authorization');
      return { answer: await owner.call('POST', `/documents/${id}/retry`), target: id, detail: {} };
    }],
    ['document.corrected', 'document', async () => {
      const id = await refused('52', 'reception');
      return { answer: await owner.call('POST', `/documents/${id}/correct`, business.invoice({ buyer_name: 'Mended' })), target: id, detail: {} };
    }],
    ['document.abandoned', 'document', async () => {
      const id = await refused('52', 'authorization');
      return { answer: await owner.call('POST', `/documents/${id}/abandon`, { reason: 'No procede' }), target: id, detail: { reason: 'No procede' } };
    }],
    ['document.deleted', 'document', async () => {
      const id = (await owner.call('POST', '/documents/drafts', business.invoice())).body['id'] as string;
      return { answer: await owner.call('DELETE', `/documents/${id}`), target: id, detail: { document_type: '01' } };
    }],
    ['document.cancellation_requested', 'document', async () => {
      const id = await authorized();
      return { answer: await owner.call('POST', `/documents/${id}/cancel`, { reason: 'Error' }), target: id, detail: { reason: 'Error' } };
    }],
    ['document.cancellation_withdrawn', 'document', async () => {
      const id = await authorized();
      expect((await business.call('POST', `/documents/${id}/cancel`, { reason: 'Error' })).status).toBe(202);
      return { answer: await owner.call('DELETE', `/documents/${id}/cancel`), target: id, detail: {} };
    }],
    ['webhook.created', 'webhook', async () => {
      const answer = await owner.call('POST', '/webhooks', { url: 'https://127.0.0.1:8443/?token=secret', is_active: false });
      return { answer, target: answer.body['id'] as string, detail: { host: '127.0.0.1:8443' } };
    }],
    ['webhook.changed', 'webhook', async () => {
      const id = await webhook();
      return { answer: await owner.call('PATCH', `/webhooks/${id}`, { description: 'ERP', kinds: null }), target: id, detail: { fields: ['kinds', 'description'] } };
    }],
    ['webhook.secret_rotated', 'webhook', async () => {
      const id = await webhook();
      return { answer: await owner.call('POST', `/webhooks/${id}/rotate-secret`), target: id, detail: {} };
    }],
    ['webhook.deleted', 'webhook', async () => {
      const id = await webhook();
      return { answer: await owner.call('DELETE', `/webhooks/${id}`), target: id, detail: {} };
    }],
    ['document.email_requested', 'document', async () => {
      const id = await authorized();
      const answer = await owner.call('POST', `/documents/${id}/email`, { to: 'otra@example.com', language: 'en' });
      return { answer, target: id, detail: { mail_id: answer.body['id'], recipient: 'otra@example.com', language: 'en' } };
    }],
    ['mail_settings.changed', 'tenant', async () => ({
      answer: await owner.call('PATCH', '/tenant/mail-settings', { sender_name: 'Comercial', language: 'es', message: 'Hola, {{buyer_name}}' }), target: business.tenantId, detail: { fields: ['sender_name', 'message'] },
    })],
    ['certificate.revoked', 'certificate', async () => {
      const id = await standing();
      return { answer: await owner.call('DELETE', `/issuers/${business.issuerId}/certificates/${id}`), target: id, detail: { issuer_id: business.issuerId } };
    }],
  ];

  it.each(acts)('tells of %s', async (action, kind, act) => {
    const { answer, target, detail } = await act();
    expect([answer.status < 300, answer.body]).toEqual([true, answer.body]);
    expect((await lines(`&action=${action}`))[0]).toEqual({
      id: expect.any(String), tenant_id: business.tenantId, at: expect.any(String), action, actor_kind: 'user', actor_id: owner.userId, target_kind: kind, target_id: target, detail,
      request_id: answer.headers.get('x-request-id'), address: '127.0.0.1',
    });
  });

  it('begins with what the operator did to found the tenant', async () => {
    const [founded, made] = await Promise.all(['tenant.founded', 'api_key.created'].map((action) => lines(`&action=${action}`)));
    const [key] = await stack.database.query<{ id: string; name: string; prefix: string }>('select id, name, prefix from api_keys where tenant_id = $1 and created_by is null', [business.tenantId]);
    const line = { actor_kind: 'system', actor_id: null, request_id: null, address: null };
    expect(founded).toMatchObject([{ ...line, target_kind: 'tenant', target_id: business.tenantId }]);
    expect(made).toMatchObject([{ ...line, target_kind: 'api_key', target_id: key!.id, detail: { name: key!.name, prefix: key!.prefix } }]);
  });

  it('tells of nothing that was refused', async () => {
    const before = await lines();
    const id = (await business.call<{ items: { id: string }[] }>('GET', '/documents?status=AUTHORIZED')).body.items[0]!.id;
    for (const answer of [
      await owner.call('POST', `/documents/${id}/retry`), await owner.call('POST', `/documents/${id}/abandon`, { reason: 'x' }),
      await owner.call('POST', `/issuers/${business.issuerId}/establishments`, { code: '001', address: 'x' }),
      await owner.call('POST', `/issuers/${business.issuerId}/certificates`, { file_base64: file(), password: 'wrong' }),
      await owner.call('POST', '/issuers', { ruc: business.ruc, razon_social: 'x', direccion_matriz: 'x', obligado_contabilidad: false }),
      await owner.call('PATCH', `/issuers/${business.issuerId}`, {}),
      await owner.call('POST', '/tenant/members/invite', { email: owner.email, role: 'viewer' }),
    ]) expect([200, 400, 409]).toContain(answer.status);
    expect(await lines()).toEqual(before);
  });

  it('commits with the act or not at all: what cannot be told is not done', async () => {
    const { document_id } = await business.accepted().catch(() => ({ document_id: '' }));
    const target = document_id === '' ? (await business.call<{ items: { id: string }[] }>('GET', '/documents?status=AUTHORIZED')).body.items[0]!.id : document_id;
    await stack.database.query(`create function sello.silence() returns trigger language plpgsql as $$ begin raise exception 'no log today'; end $$`);
    await stack.database.query(`create trigger silence before insert on audit_log for each row when (new.tenant_id = '${business.tenantId}') execute function sello.silence()`);
    try {
      const key = await owner.call('POST', '/auth/api-keys', { name: 'untold' });
      const point = await owner.call('POST', `/issuers/${business.issuerId}/establishments/${business.establishmentId}/emission-points`, { code: '077' });
      const renamed = await owner.call('PATCH', '/tenant', { name: 'Untold' });
      const invited = await owner.call('POST', '/tenant/members/invite', { email: 'untold@example.com', role: 'viewer' });
      const cancelled = await owner.call('POST', `/documents/${target}/cancel`, { reason: 'untold' });
      expect([key.status, point.status, renamed.status, invited.status]).toEqual([500, 500, 500, 500]);
      expect(cancelled.status).toBeGreaterThanOrEqual(400);
    } finally {
      await stack.database.query('drop trigger silence on audit_log');
      await stack.database.query('drop function sello.silence()');
    }
    const [left] = await stack.database.query<Record<string, number>>(
      `select (select count(*)::int from api_keys where name = 'untold') as keys, (select count(*)::int from emission_points where tenant_id = $2 and code = '077') as points,
         (select count(*)::int from tenants where name = 'Untold') as tenants, (select count(*)::int from members where email = 'untold@example.com') as members,
         (select count(*)::int from documents where id = $1 and status = 'CANCELLATION_REQUESTED') as cancelled`, [target, business.tenantId]);
    expect(left).toEqual({ keys: 0, points: 0, tenants: 0, members: 0, cancelled: 0 });
  });

  it('knows the name of every action that the database functions write', () => {
    const sql = readdirSync('migrations').filter((name) => /(identity|sign-in|members|identity-rest|own-account|provisional-claims|who-holds-an-account)\.sql$/.test(name)).map((name) => readFileSync(join('migrations', name), 'utf8')).join('\n');
    const written = [...sql.matchAll(/'((?:login|logout|session|password|email|identity|person|tenant|invitation|platform|ruc)(?:\.[a-z_]+)?)'/g)].map(([, name]) => name!).filter((name) => name.includes('.') || name === 'logout');
    expect(written.length).toBeGreaterThan(8);
    expect([...new Set(written)].filter((name) => !AUDIT_ACTIONS.some((one) => one === name))).toEqual([]);
  });

  it('is in order and holds each line once, also page by page', async () => {
    const whole = await lines();
    const pages = await Promise.all([1, 2, 3].map(async (page) => (await owner.call<{ items: Line[] }>('GET', `/tenant/audit-log?page=${page}&page_size=5`)).body.items));
    expect(pages.flat()).toEqual(whole.slice(0, 15));
    expect(new Set(whole.map(({ id }) => id)).size).toBe(whole.length);
  });
});
