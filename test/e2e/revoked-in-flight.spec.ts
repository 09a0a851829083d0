import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { CryptoChance } from '../../src/platform/adapters/crypto-chance.js';
import { generateApiKey } from '../../src/platform/security/api-key.js';
import { Business } from '../support/business.js';
import { BUSINESS_PASSWORD, businessCertificate } from '../support/business-certificate.js';
import { inTransaction, lockAwaited } from '../support/held-transaction.js';
import { type Answer, call } from '../support/http.js';
import { member, signedIn, type Somebody } from '../support/people.js';
import { type Stack, startStack } from '../support/stack.js';

/** What an act needs: ids of things that allow it. */
interface Things {
  readonly business: Business;
  readonly authorized: string;
  readonly refusedByContent: string;
  readonly refusedBySignature: string;
  readonly cancelling: string;
  readonly draft: string;
  readonly pause: string;
  readonly buyer: string;
  readonly product: string;
  readonly webhook: string;
  readonly delivery: string;
  readonly certificate: string;
  readonly key: string;
  readonly member: string;
  readonly suspended: string;
  readonly invited: string;
  readonly emptyIssuer: string;
  readonly emptyEstablishment: string;
  readonly emptyPoint: string;
}

interface Asked {
  /** The route's parameters, in its order. */
  readonly ids?: readonly string[];
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Every route that writes in a tenant's name. */
const ACTS: Readonly<Record<string, (things: Things) => Asked>> = {
  'POST /auth/api-keys': () => ({ body: { name: 'made in flight' } }),
  'DELETE /auth/api-keys/{api_key_id}': ({ key }) => ({ ids: [key] }),
  'POST /buyers': () => ({ body: { buyer_id_type: 'EXTERIOR', buyer_id: 'X-9', legal_name: 'X' } }),
  'PATCH /buyers/{profile_id}': ({ buyer }) => ({ ids: [buyer], body: { email: 'other@example.com' } }),
  'DELETE /buyers/{profile_id}': ({ buyer }) => ({ ids: [buyer] }),
  'POST /documents': ({ business }) => ({ body: business.invoice() }),
  'POST /documents/drafts': ({ business }) => ({ body: business.invoice() }),
  'PATCH /documents/{document_id}': ({ draft }) => ({ ids: [draft], body: { buyer_name: 'Changed' } }),
  'DELETE /documents/{document_id}': ({ draft }) => ({ ids: [draft] }),
  'POST /documents/{document_id}/abandon': ({ refusedByContent }) => ({ ids: [refusedByContent], body: { reason: 'No procede' } }),
  'POST /documents/{document_id}/cancel': ({ authorized }) => ({ ids: [authorized], body: { reason: 'Error' } }),
  'DELETE /documents/{document_id}/cancel': ({ cancelling }) => ({ ids: [cancelling] }),
  'POST /documents/{document_id}/correct': ({ business, refusedByContent }) => ({ ids: [refusedByContent], body: business.invoice({ buyer_name: 'Mended' }) }),
  'POST /documents/{document_id}/credit-note': ({ business, authorized }) => {
    const { subtotal, total_discount, total_tax, total, lines, taxes } = business.invoice();
    return { ids: [authorized], body: { reason: 'Devolución', subtotal, total_discount, total_tax, total, lines, taxes } };
  },
  'POST /documents/{document_id}/email': ({ authorized }) => ({ ids: [authorized], body: { to: 'otra@example.com' } }),
  'POST /documents/{document_id}/issue': ({ draft }) => ({ ids: [draft] }),
  'POST /documents/{document_id}/reconcile': ({ refusedByContent }) => ({ ids: [refusedByContent] }),
  'POST /documents/{document_id}/retry': ({ refusedBySignature }) => ({ ids: [refusedBySignature] }),
  'POST /emission-points/{emission_point_id}/sequences/{document_type}/raise': ({ business }) => ({
    ids: [business.emissionPointId, '06'], body: { next_number: 7, reason: 'Otro sistema' },
  }),
  'POST /issuers': () => ({ body: { ruc: '1710034065001', razon_social: 'Pérez', direccion_matriz: 'Quito', obligado_contabilidad: false } }),
  'PATCH /issuers/{issuer_id}': ({ business }) => ({ ids: [business.issuerId], body: { nombre_comercial: 'Ñ' } }),
  'DELETE /issuers/{issuer_id}': ({ emptyIssuer }) => ({ ids: [emptyIssuer] }),
  'POST /issuers/{issuer_id}/certificates': ({ business }) => ({
    ids: [business.issuerId], body: { file_base64: businessCertificate(business.ruc).toString('base64'), password: BUSINESS_PASSWORD },
  }),
  'DELETE /issuers/{issuer_id}/certificates/{certificate_id}': ({ business, certificate }) => ({ ids: [business.issuerId, certificate] }),
  'POST /issuers/{issuer_id}/certificates/{certificate_id}/activate': ({ business, certificate }) => ({ ids: [business.issuerId, certificate] }),
  'POST /issuers/{issuer_id}/establishments': ({ business }) => ({ ids: [business.issuerId], body: { code: '005', address: 'Cuenca' } }),
  'PATCH /issuers/{issuer_id}/establishments/{establishment_id}': ({ business }) => ({ ids: [business.issuerId, business.establishmentId], body: { name: 'Matriz' } }),
  'DELETE /issuers/{issuer_id}/establishments/{establishment_id}': ({ business, emptyEstablishment }) => ({ ids: [business.issuerId, emptyEstablishment] }),
  'POST /issuers/{issuer_id}/establishments/{establishment_id}/emission-points': ({ business }) => ({
    ids: [business.issuerId, business.establishmentId], body: { code: '005' },
  }),
  'PATCH /issuers/{issuer_id}/establishments/{establishment_id}/emission-points/{emission_point_id}': ({ business, emptyPoint }) => ({
    ids: [business.issuerId, business.establishmentId, emptyPoint], body: { is_active: false },
  }),
  'DELETE /issuers/{issuer_id}/establishments/{establishment_id}/emission-points/{emission_point_id}': ({ business, emptyPoint }) => ({
    ids: [business.issuerId, business.establishmentId, emptyPoint],
  }),
  'POST /issuers/{issuer_id}/pauses/{pause_id}/resume': ({ business, pause }) => ({ ids: [business.issuerId, pause] }),
  'POST /products': () => ({ body: { main_code: 'P-9', name: 'X', unit_price: '1', iva_rate_code: '4' } }),
  'POST /products/import': () => ({ body: 'main_code,name,unit_price,iva_rate_code\nP-8,X,1,4\n', headers: { 'content-type': 'text/csv' } }),
  'PATCH /products/{product_id}': ({ product }) => ({ ids: [product], body: { unit_price: '2' } }),
  'DELETE /products/{product_id}': ({ product }) => ({ ids: [product] }),
  'PATCH /tenant': () => ({ body: { name: 'Renamed in flight' } }),
  'PATCH /tenant/mail-settings': () => ({ body: { sender_name: 'Comercial' } }),
  'POST /tenant/members/invite': () => ({ body: { email: 'in-flight@example.com', role: 'viewer' } }),
  'PATCH /tenant/members/{member_id}': (things) => ({ ids: [things.member], body: { role: 'accountant' } }),
  'DELETE /tenant/members/{member_id}': (things) => ({ ids: [things.member] }),
  'POST /tenant/members/{member_id}/reinvite': ({ invited }) => ({ ids: [invited] }),
  'POST /tenant/members/{member_id}/resume': ({ suspended }) => ({ ids: [suspended] }),
  'POST /tenant/members/{member_id}/suspend': (things) => ({ ids: [things.member] }),
  'POST /webhooks': () => ({ body: { url: 'https://127.0.0.1:8443/' } }),
  'PATCH /webhooks/{webhook_id}': ({ webhook }) => ({ ids: [webhook], body: { description: 'ERP' } }),
  'DELETE /webhooks/{webhook_id}': ({ webhook }) => ({ ids: [webhook] }),
  'POST /webhooks/{webhook_id}/deliveries/{delivery_id}/replay': ({ webhook, delivery }) => ({ ids: [webhook, delivery] }),
  'POST /webhooks/{webhook_id}/replay': ({ webhook }) => ({
    ids: [webhook], body: { from: new Date(Date.now() - 3_600_000).toISOString(), to: new Date().toISOString() },
  }),
  'POST /webhooks/{webhook_id}/rotate-secret': ({ webhook }) => ({ ids: [webhook] }),
  'POST /webhooks/{webhook_id}/test': ({ webhook }) => ({ ids: [webhook] }),
};

/** A key may not: they are done by a person, whose session ends. */
const BY_PERSON = ['PATCH /tenant', 'PATCH /tenant/mail-settings'];

const ISSUING = ['POST /documents', 'POST /documents/{document_id}/issue'];

const REMOVALS = /^DELETE \/issuers\/\{issuer_id\}(?!\/certificates)/;

/** What is a person's or the platform's own matter (the platform's are judged below), in no tenant's name, and what writes nothing. */
const NO_ACTS = [/ \/auth\/(?!api-keys)/, / \/platform\//, /^POST \/documents\/validate$/, /\/certificates\/check$/, /\/mail-settings\/preview$/];

/** Where acts write last before the look at who acts; lines of the audit log are written by nearly all of them. */
const HOLD = 'lock table audit_log, documents, webhook_deliveries in share mode';

/** What an act is made to wait for. */
function holdOf(route: string, tenantId: string): string {
  // Issuing waits for its number.
  if (ISSUING.includes(route)) return `select 1 from sequence_counters where tenant_id = '${tenantId}' for update`;
  // Whoever makes a key holds what it is made by from the last look on, and waits for the tenant before it.
  if (route === 'POST /auth/api-keys') return `select 1 from tenants where id = '${tenantId}' for update`;
  // A removal waits only shortly from its look for documents on, so it waits before that.
  if (REMOVALS.test(route)) return 'lock table documents in access exclusive mode';
  return HOLD;
}

describe('a credential that ends, or a role that changes, while a call is under way', () => {
  let stack: Stack;
  let things: Things;

  beforeAll(async () => {
    stack = await startStack({ env: { RATE_LIMIT_AUTH_PER_MINUTE: '1000000' } });
    const business = await Business.open(stack);
    const made = async (path: string, body: object): Promise<string> => {
      const answer = await business.call('POST', path, body);
      if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
      return (answer.body['id'] ?? answer.body['member_id'] ?? answer.body['document_id']) as string;
    };
    const settled = async (status: string, told?: string): Promise<string> => {
      const { document_id } = await business.accepted(told === undefined ? {} : { additional_info: [{ name: 'Simulador', value: told }] });
      expect((await business.settled(document_id)).status).toBe(status);
      return document_id;
    };
    const webhook = await made('/webhooks', { url: 'https://127.0.0.1:8443/' });
    const cancelling = await settled('AUTHORIZED');
    expect((await business.call('POST', `/documents/${cancelling}/cancel`, { reason: 'Error' })).status).toBe(202);
    const authorized = await settled('AUTHORIZED');
    const [refusedByContent, refusedBySignature] = [await settled('REJECTED', 'refuse:52'), await settled('REJECTED', 'refuse:39@authorization')];
    const [paused] = await stack.database.query<{ id: string }>(
      `insert into issuing_pauses (tenant_id, id, scope, issuer_id, document_type, code, document_id, created_at)
       values ($1, gen_random_uuid(), 'document_type', $2, '07', '34', $3, now()) returning id`, [business.tenantId, business.issuerId, authorized]);
    const places = `/issuers/${business.issuerId}/establishments`;
    const emptyPoint = await made(`${places}/${business.establishmentId}/emission-points`, { code: '004' });
    const colleague = await member(stack, business.tenantId, 'viewer');
    const suspended = await member(stack, business.tenantId, 'viewer');
    expect((await business.call('POST', `/tenant/members/${suspended.memberId}/suspend`)).status).toBe(200);
    const certificates = await business.call<{ items: { id: string }[] }>('GET', `/issuers/${business.issuerId}/certificates`);
    things = {
      business, authorized, refusedByContent, refusedBySignature, cancelling, webhook, emptyPoint,
      delivery: await made(`/webhooks/${webhook}/test`, {}),
      draft: await made('/documents/drafts', business.invoice()),
      pause: paused!.id,
      buyer: await made('/buyers', { buyer_id_type: 'EXTERIOR', buyer_id: 'X-1', legal_name: 'X' }),
      product: await made('/products', { main_code: 'P-1', name: 'X', unit_price: '1', iva_rate_code: '4' }),
      certificate: certificates.body.items[0]!.id,
      key: await made('/auth/api-keys', { name: 'another' }),
      member: colleague.memberId,
      suspended: suspended.memberId,
      invited: await made('/tenant/members/invite', { email: 'guest@example.com', role: 'viewer' }),
      emptyIssuer: await made('/issuers', { ruc: '1710034073001', razon_social: 'Paz', direccion_matriz: 'Quito', obligado_contabilidad: false }),
      emptyEstablishment: await made(places, { code: '004', address: 'Loja' }),
    };
    // From here on only the calls themselves write.
    await stack.killWorker(0);
  });
  afterAll(() => stack.stop());

  /** A key of the tenant, and what revokes it. */
  async function keyOf(tenantId: string): Promise<{ id: string; clear: string; end: string }> {
    const [id, key] = [randomUUID(), generateApiKey(new CryptoChance(), 'TEST')];
    await stack.database.query(
      `insert into api_keys (tenant_id, id, name, prefix, key_hash, environment, created_at) values ($1, $2, 'in flight', $3, $4, 'TEST', now())`, [tenantId, id, key.prefix, key.hash]);
    return { id, clear: key.clear, end: `update api_keys set revoked_at = now() where id = '${id}'` };
  }

  /** Makes the call, ends what it came in with while it waits for its last writing, and answers with what it is told. */
  async function overtaken(call: () => Promise<Answer>, end: string, hold = HOLD): Promise<Answer> {
    let answer: Promise<Answer> | null = null;
    await inTransaction(stack.database, async (client) => {
      await client.query(hold);
      answer = call();
      await Promise.race([lockAwaited(stack.database), answer.then(({ status, body }) => Promise.reject(new Error(`answered ${status} ${JSON.stringify(body)} without waiting`)))]);
      await client.query(end);
      await client.query('commit');
    });
    return answer!;
  }

  const filled = (route: string, ids: readonly string[] = []): [method: string, path: string] => {
    const [method, path] = route.split(' ') as [string, string];
    const left = [...ids];
    return [method, path.replace(/\{[a-z_]+\}/g, () => left.shift()!)];
  };

  it.each(Object.entries(ACTS))('%s: the call fails with 401 and does nothing', async (route, ask) => {
    const { ids, body, headers = {} } = ask(things);
    const [method, path] = filled(route, ids);
    const { tenantId } = things.business;
    let person: Somebody | null = null;
    const key = await keyOf(tenantId);
    if (BY_PERSON.includes(route)) person = await member(stack, tenantId, 'tenant_owner');
    const before = await written(tenantId);
    const answer = await overtaken(
      () => (person === null ? call(stack.apiUrl, method, path, { apiKey: key.clear, body, headers }) : person.call(method, path, body)),
      person === null ? key.end : `update sessions set ended_at = now() where user_id = '${person.userId}'`,
      holdOf(route, tenantId),
    );
    expect([answer.status, answer.body]).toMatchObject([401, { error: { code: 'UNAUTHENTICATED' } }]);
    expect(await written(tenantId)).toEqual(before);
  });

  it.each(Object.entries(ACTS))('%s: of a person whose role changes meanwhile, the call fails with 403 and does nothing', async (route, ask) => {
    const { ids, body, headers = {} } = ask(things);
    const [method, path] = filled(route, ids);
    const { tenantId } = things.business;
    const person = await member(stack, tenantId, 'tenant_owner');
    const before = await written(tenantId);
    const answer = await overtaken(
      () => call(stack.apiUrl, method, path, { body, headers: { ...headers, authorization: `Bearer ${person.token}` } }),
      `update members set role = 'viewer' where user_id = '${person.userId}'`,
      holdOf(route, tenantId),
    );
    // Who makes keys is judged once more by what the act needs.
    const detail = route === 'POST /auth/api-keys' ? { permission: 'api_keys:write' } : { reason: 'role_changed' };
    expect([answer.status, answer.body]).toMatchObject([403, { error: { code: 'FORBIDDEN', detail } }]);
    expect(await written(tenantId)).toEqual(before);
  });

  it('knows every route that writes in the name of a tenant', () => {
    const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as { paths: Record<string, Record<string, unknown>> };
    const writing = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item).filter((method) => ['post', 'put', 'patch', 'delete'].includes(method)).map((method) => `${method.toUpperCase()} ${path}`));
    expect(writing.filter((route) => !NO_ACTS.some((none) => none.test(route))).sort()).toEqual(Object.keys(ACTS).sort());
  });

  it.each([
    ['/documents/export.csv', 'documents'], ['/documents/export.xlsx', 'documents'], ['/documents/export.csv?q=nobody', 'documents'], ['/products/export.csv', 'products'],
  ])('GET %s: nothing is told', async (path, table) => {
    const { clear, end } = await keyOf(things.business.tenantId);
    const answer = await overtaken(() => call(stack.apiUrl, 'GET', path, { apiKey: clear }), end, `lock table ${table} in access exclusive mode`);
    expect([answer.status, answer.body]).toMatchObject([401, { error: { code: 'UNAUTHENTICATED' } }]);
  });

  it.each<[string, (ids: { tenantId: string; issuerId: string }) => string, unknown]>([
    ['POST', () => '/platform/tenants', { name: 'Late', owner_email: 'late@example.com' }],
    ['PATCH', ({ tenantId }) => `/platform/tenants/${tenantId}`, { is_active: false }],
    ['POST', ({ tenantId, issuerId }) => `/platform/tenants/${tenantId}/issuers/${issuerId}/disable`, undefined],
  ])('%s of an administrator of the platform: the call fails with 401 and does nothing', async (method, path, body) => {
    const administrator = await signedIn(stack, { platformAdmin: true });
    const { tenantId, issuerId } = things.business;
    const state = (): Promise<object[]> =>
      stack.database.query(
        `select (select count(*)::int from tenants) as tenants, (select is_active from tenants where id = $1) as is_active,
           (select disabled_at from issuers where tenant_id = $1 and id = $2) as disabled_at, (select count(*)::int from audit_log) as lines`, [tenantId, issuerId]);
    const before = await state();
    const answer = await overtaken(
      () => administrator.call(method, path({ tenantId, issuerId }), body), `update sessions set ended_at = now() where user_id = '${administrator.userId}'`,
    );
    expect([answer.status, answer.body]).toMatchObject([401, { error: { code: 'UNAUTHENTICATED' } }]);
    expect(await state()).toEqual(before);
  });

  it.each(
    (['PATCH /auth/me', 'POST /auth/tenants', 'POST /auth/google/link', 'POST /auth/invitations/accept'] as const).flatMap((route) =>
      [
        ['ended', 'update sessions set ended_at = now() where user_id = $'],
        ['expired', `update sessions set expires_at = now() - interval '1 second' where user_id = $`],
        ['closed with the account', 'update users set disabled_at = now() where id = $'],
      ].map(([how, end]) => [route, how!, end!] as const)),
  )('%s of a person whose session is %s meanwhile: the call fails with 401 and does nothing', async (route, _how, end) => {
    const person = await signedIn(stack);
    const token = randomBytes(32).toString('base64url');
    await stack.database.query(
      `insert into one_time_tokens (token_hash, purpose, user_id, detail, created_at, expires_at)
       values (sha256($1), 'link_identity', $2, jsonb_build_object('issuer', 'https://idp.example', 'subject', $3::text, 'email', $4::text), now(), now() + interval '10 minutes')`,
      [Buffer.from(token), person.userId, person.userId, person.email]);
    const bodies = { 'PATCH /auth/me': { name: 'Late' }, 'POST /auth/tenants': { tenant_name: 'Late' }, 'POST /auth/google/link': { link_token: token }, 'POST /auth/invitations/accept': { token } };
    await stack.database.query(
      `insert into members (tenant_id, id, email, role, status, invited_at, invitation_hash, invitation_expires_at, created_at, updated_at)
       values ($1, gen_random_uuid(), $2, 'viewer', 'invited', now(), sha256($3), now() + interval '1 day', now(), now())`,
      [things.business.tenantId, person.email, Buffer.from(token)]);
    const state = (): Promise<object[]> =>
      stack.database.query(
        `select u.name, (select count(*)::int from user_identities i where i.user_id = u.id) as identities, (select count(*)::int from members m where m.user_id = u.id) as tenants,
           (select used_at from one_time_tokens o where o.user_id = u.id) as used from users u where u.id = $1`, [person.userId]);
    const before = await state();
    const [method, path] = filled(route);
    const answer = await overtaken(() => person.call(method, path, bodies[route]), end.replace('$', `'${person.userId}'`), `select 1 from users where id = '${person.userId}' for no key update`);
    expect([answer.status, answer.body]).toMatchObject([401, { error: { code: 'UNAUTHENTICATED' } }]);
    expect(await state()).toEqual(before);
  });

  it('DELETE /auth/api-keys/{api_key_id}: a key that revokes itself may', async () => {
    const { id, clear } = await keyOf(things.business.tenantId);
    expect((await call(stack.apiUrl, 'DELETE', `/auth/api-keys/${id}`, { apiKey: clear })).status).toBe(204);
    expect((await call(stack.apiUrl, 'GET', '/issuers', { apiKey: clear })).status).toBe(401);
  });

  /** What acts leave behind: lines of the log, and drafts and deliveries, of which the log does not tell. */
  async function written(tenantId: string): Promise<object[]> {
    return stack.database.query(
      `select (select count(*)::int from audit_log where tenant_id = $1) as lines,
         (select jsonb_agg(jsonb_build_array(d.id, d.status, d.version, d.buyer_name) order by d.id) from documents d where d.tenant_id = $1) as documents,
         (select jsonb_agg(jsonb_build_array(w.id, w.status, w.attempts) order by w.id) from webhook_deliveries w where w.tenant_id = $1) as deliveries`, [tenantId]);
  }
});
