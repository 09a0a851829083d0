import { randomUUID } from 'node:crypto';
import { withinTime } from '../support/bad-input.js';
import { Business } from '../support/business.js';
import { BUSINESS_PASSWORD, businessCertificate } from '../support/business-certificate.js';
import { call } from '../support/http.js';
import { asCommand, type FuzzRequest, type OpenApi, OpenApiFuzz } from '../support/openapi-fuzz.js';
import { join, signedIn, type Somebody } from '../support/people.js';
import { ASKED_FOR_POLLUTION, expectUnpolluted } from '../support/prototype.js';
import { type Stack, startStack } from '../support/stack.js';

/** Another seed asks other questions: `FUZZ_SEED=7 FUZZ_REQUESTS=20000`. */
const SEED = Number(process.env['FUZZ_SEED'] ?? '1');
const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? '4000');
const AT_ONCE = 4;
/** What ends the session or the credential that the run needs is asked by somebody of no further use. */
const ENDS_THE_CALLER = /^POST \/auth\/logout$/;

describe('requests made out of the description of the API', () => {
  let stack: Stack;
  let fuzz: OpenApiFuzz;
  let business: Business;
  let owner: Somebody;
  let platform: Somebody;

  beforeAll(async () => {
    stack = await startStack({ env: ASKED_FOR_POLLUTION });
    business = await Business.open(stack);
    const spare = await Business.open(stack, { certificate: null });
    [owner, platform] = [await signedIn(stack), await signedIn(stack, { platformAdmin: true })];
    await join(stack, owner, business.tenantId, 'tenant_owner');
    const target = await signedIn(stack);
    const settled = (await business.accepted()).document_id;
    await business.settled(settled);
    const made = async (path: string, body: unknown): Promise<string> => (await business.call('POST', path, body)).body['id'] as string;
    const drafts = await Promise.all(Array.from({ length: 5 }, () => made('/documents/drafts', business.invoice())));
    const profiles = await Promise.all(Array.from({ length: 5 }, (_, index) => made('/buyers', { buyer_id_type: 'EXTERIOR', buyer_id: `X-${index}`, legal_name: 'X' })));
    const { body } = await business.call<{ items: { id: string }[] }>('GET', `/issuers/${business.issuerId}/certificates`);
    const file = businessCertificate(business.ruc).toString('base64');
    const description = (await (await fetch(`${stack.apiUrl}/openapi.json`)).json()) as OpenApi;
    const invoice = (): Record<string, unknown> => business.invoice();
    const { lines, taxes, subtotal, total_tax, total } = business.invoice();
    const webhook = { url: 'https://127.0.0.1:8443/' };
    const webhookId = await made('/webhooks', webhook);
    fuzz = new OpenApiFuzz(description, SEED, {
      ids: {
        tenant_id: [spare.tenantId], issuer_id: [business.issuerId, business.issuerId, spare.issuerId], establishment_id: [business.establishmentId], emission_point_id: [business.emissionPointId],
        certificate_id: body.items.map(({ id }) => id), document_id: [settled, ...drafts], modified_document_id: [settled], member_id: [await join(stack, target, business.tenantId, 'viewer')],
        api_key_id: [await made('/auth/api-keys', { name: 'target' })], product_id: await Promise.all(['A', 'B', 'C'].map((main_code) => made('/products', { main_code, name: 'Café', unit_price: '1.00', iva_rate_code: '4' }))), actor_id: [business.apiKeyId], webhook_id: [webhookId, await made('/webhooks', webhook)], delivery_id: [await made(`/webhooks/${webhookId}/test`, {})], profile_id: profiles, table: ['iva-rates', 'payment-methods'],
      },
      bodies: {
        DocumentCreate: invoice, DocumentDraft: invoice, DocumentValidate: invoice, DocumentPatch: invoice, CreditNoteCreate: () => ({ reason: 'Devolución', lines, taxes, subtotal, total_tax, total }),
        CertificateUpload: () => ({ file_base64: file, password: BUSINESS_PASSWORD }), WebhookCreate: () => webhook, WebhookUpdate: () => ({ description: 'ERP' }), WebhookReplay: () => ({ from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' }), IssuerUpdate: () => ({ nombre_comercial: 'Ñandú' }), MailSettingsUpdate: () => ({ subject: '{{document_number}}' }), PlatformTenantUpdate: () => ({ is_active: true }),
        ProductCreate: () => ({ main_code: randomUUID().slice(0, 20), name: 'Café', unit_price: '1.00', iva_rate_code: '4' }), ProductUpdate: () => ({ name: 'Té' }),
      },
    });
  });
  afterAll(() => stack.stop());

  /** People do what people may, the platform what it may; most calls come with a key. */
  const credentialsOf = async (number: number, { operation }: FuzzRequest): Promise<Record<string, string>> => {
    if (ENDS_THE_CALLER.test(operation)) return { authorization: `Bearer ${(await signedIn(stack)).token}` };
    if (operation.includes(' /platform/')) return { authorization: `Bearer ${platform.token}`, 'x-tenant-id': business.tenantId };
    if (/ \/auth\/(?!api-keys|google\/link|me)/.test(operation)) return {};
    return number % 5 === 0 || operation.includes(' /auth/') ? { authorization: `Bearer ${owner.token}` } : { 'x-api-key': business.apiKey };
  };

  /** What is wrong with the answer to a request, if anything. */
  const faultOf = async (number: number): Promise<{ operation: string; status: number; fault: string | null }> => {
    const sent = fuzz.request(number);
    const told = (status: number, fault: string): { operation: string; status: number; fault: string } => ({
      operation: sent.operation, status, fault: `${fault}\n  FUZZ_SEED=${SEED}, request ${number}: ${asCommand(sent, stack.apiUrl)}`,
    });
    try {
      const headers = { ...(await credentialsOf(number, sent)), ...sent.headers };
      const { status, headers: answered, body } = await withinTime(call<{ error?: { request_id?: string; code?: string } }>(stack.apiUrl, sent.method, sent.path, { body: sent.body, headers }));
      if (status >= 500) return told(status, `${status} ${JSON.stringify(body)}`);
      if (!sent.declared.includes(status)) return told(status, `${status} is not declared, ${sent.declared.join(' ')} are`);
      if (status >= 400 && (body.error?.code === undefined || body.error.request_id !== answered.get('x-request-id'))) return told(status, `${status} without the envelope: ${JSON.stringify(body).slice(0, 300)}`);
      return { operation: sent.operation, status, fault: null };
    } catch (error) {
      return told(0, String(error));
    }
  };

  it(`are all answered as it says, seed ${SEED}`, async () => {
    const faults: string[] = [];
    const taken = new Map<string, number>();
    let next = 0;
    const sender = async (): Promise<void> => {
      while (next < REQUESTS && faults.length < 20) {
        const { operation, status, fault } = await faultOf(next++);
        if (fault !== null) faults.push(`${operation}: ${fault}`);
        if (status > 0 && status < 400) taken.set(operation, (taken.get(operation) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, sender));
    expect(faults).toEqual([]);
    // Questions that are all refused at the door ask nothing; what names a thing that must have been made before mostly is.
    expect(fuzz.names.filter((name) => !taken.has(name)).length).toBeLessThan(fuzz.names.length * 0.4);
    expect(taken.get('POST /documents')).toBeGreaterThan(0);
  }, 300_000);

  it('and leave the service as sound as before', async () => {
    await expectUnpolluted(stack);
    expect((await call(stack.apiUrl, 'GET', '/health/ready')).body).toMatchObject({ status: 'ok' });
    const fresh = await Business.open(stack);
    const { document_id } = await fresh.accepted();
    expect((await fresh.settled(document_id)).status).toBe('AUTHORIZED');
    expect(stack.logs()).not.toContain('"level":"fatal"');
  });
});
