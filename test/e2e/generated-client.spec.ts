import createClient from 'openapi-fetch';
import type { components, paths } from '../../docs/client/sello.js';
import { createDemoPkcs12 } from '../../src/local/demo-certificate.js';
import { Mailbox } from '../../src/local/mailbox.js';
import { exampleDocuments, exampleInvoice } from '../../src/modules/documents/documents.examples.js';
import { guayaquilDay } from '../../src/shared/guayaquil.js';
import { awaitMail } from '../support/await-mail.js';
import { newAddress } from '../support/callers.js';
import { checkedFetch, OpenApiContract } from '../support/openapi-contract.js';
import { type Stack, startStack } from '../support/stack.js';

type Body = components['schemas']['DocumentCreate'];
/** What is answered as a part of a document may be sent as one: the compiler would say where it may not. */
const partsOf = ({ lines, taxes, payments, additional_info, foreign_trade, reimbursements, third_party_charges, substitute_guide, transport, withholding }: components['schemas']['Document']): Partial<Body> =>
  ({ lines, taxes, payments, additional_info, foreign_trade, reimbursements, third_party_charges, substitute_guide, transport, withholding });

const WAIT = { header: { Prefer: 'wait=30' } };
const PASSWORD = 'cuatro palabras al azar';
/** The code at the end of the link in a mail. */
const codeIn = (text: string): string => /[?&#](?:code|token)=([\w-]+)/.exec(text)?.[1] ?? '';

/** What the service does for a new business, with the client that is generated from its description and nothing else. */
describe('a business that knows nothing but the generated client', () => {
  let stack: Stack;
  let mailbox: Mailbox;
  const faults: string[] = [];

  beforeAll(async () => {
    mailbox = await Mailbox.start();
    stack = await startStack({ env: { SMTP_URL: mailbox.smtpUrl } });
  });
  afterAll(async () => {
    await stack.stop();
    await mailbox.stop();
  });

  const clientWith = (headers: Record<string, string>) => createClient<paths>({ baseUrl: stack.apiUrl, headers, fetch: checkedFetch(OpenApiContract.read(), faults) });
  /** The answer of a call that worked. */
  const good = <Data>({ data, error, response }: { data?: Data; error?: unknown; response: Response }): Data => {
    if (!response.ok) throw new Error(`${response.url}: ${response.status} ${JSON.stringify(error)}`);
    return data as Data;
  };

  it('signs up, sets itself up, and has an invoice, a credit note, a withholding and a delivery guide authorized', async () => {
    const anybody = clientWith({});
    const email = newAddress();
    const session = good(await anybody.POST('/auth/signup', { body: { email, password: PASSWORD, name: 'Rosa Calle', tenant_name: 'Café Andino', cookie: false } }));
    expect((await anybody.POST('/auth/email/verify', { body: { token: codeIn((await awaitMail(mailbox, email)).text) } })).response.status).toBe(204);

    const owner = clientWith({ Authorization: `Bearer ${session.access_token}` });
    expect(good(await owner.GET('/auth/me'))).toMatchObject({ email, email_verified: true, memberships: [{ role: 'tenant_owner' }] });
    const { key } = good(await owner.POST('/auth/api-keys', { body: { name: 'Shop' } }));

    const api = clientWith({ 'X-API-Key': key });
    const ruc = '1790098765001';
    const issuer = good(await api.POST('/issuers', { body: { ruc, razon_social: 'CAFÉ ANDINO S.A.', direccion_matriz: 'Av. Amazonas, Quito', obligado_contabilidad: true } }));
    const ofIssuer = { issuer_id: issuer.id };
    const establishment = good(await api.POST('/issuers/{issuer_id}/establishments', { params: { path: ofIssuer }, body: { code: '001', address: 'Av. Amazonas, Quito' } }));
    const place = { ...ofIssuer, establishment_id: establishment.id };
    const point = good(await api.POST('/issuers/{issuer_id}/establishments/{establishment_id}/emission-points', { params: { path: place }, body: { code: '001' } }));
    const file = await createDemoPkcs12({ ruc, legalName: 'CAFÉ ANDINO S.A.', password: PASSWORD, now: new Date() });
    const certificate = good(await api.POST('/issuers/{issuer_id}/certificates', { params: { path: ofIssuer }, body: { file_base64: file.toString('base64'), password: PASSWORD } }));
    expect(certificate).toMatchObject({ ruc, status: 'active', is_active: true });

    const today = guayaquilDay(new Date());
    const here = { ...place, emission_point_id: point.id };
    const issued = async (body: Body): Promise<string> => {
      const answer = good(await api.POST('/documents', { params: WAIT, body }));
      expect(answer).toMatchObject({ status: 'AUTHORIZED', action_taken: 'authorized' });
      return answer.document_id;
    };
    const invoice = await issued(exampleInvoice(here, today, '10000001') as Body);
    const number = { path: { document_id: invoice } };
    expect(good(await api.GET('/documents/{document_id}', { params: number }))).toMatchObject({ status: 'AUTHORIZED', sequential: 1, lines: [{ subtotal: '50.00' }, { line_number: 2 }] });

    const { lines, taxes, subtotal, total_tax, total } = exampleDocuments(here, today, invoice)[1]!.body('10000002') as Body;
    const draft = good(await api.POST('/documents/{document_id}/credit-note', { params: number, body: { reason: 'Devolución', lines, taxes, subtotal, total_tax, total } }));
    expect(draft).toMatchObject({ original_document_id: invoice, status: 'DRAFT', access_key: null });
    const creditNote = { path: { document_id: draft.credit_note_id } };
    const drafted = good(await api.GET('/documents/{document_id}', { params: creditNote }));
    expect(good(await api.PATCH('/documents/{document_id}', { params: creditNote, body: partsOf(drafted) }))).toMatchObject(partsOf(drafted));
    good(await api.POST('/documents/{document_id}/issue', { params: creditNote }));
    await expect(settled(creditNote)).resolves.toMatchObject({ status: 'AUTHORIZED', document_type: '04', modified_document_id: invoice });
    expect(good(await api.GET('/documents', { params: { query: { modified_document_id: invoice } } })).items).toMatchObject([{ id: draft.credit_note_id }]);

    const others = exampleDocuments(here, today, invoice).filter(({ type }) => type === '06' || type === '07');
    expect(others.map(({ type }) => type)).toEqual(['06', '07']);
    for (const [index, { body }] of others.entries()) await issued(body(`1000001${index}`) as Body);

    const xml = good(await api.GET('/documents/{document_id}/xml', { params: { ...number, query: { kind: 'authorized' } }, parseAs: 'text' }));
    expect(xml).toContain('<estado>AUTORIZADO</estado>');
    const ride = good(await api.GET('/documents/{document_id}/ride', { params: number, parseAs: 'arrayBuffer' }));
    expect(Buffer.from(ride).subarray(0, 5).toString()).toBe('%PDF-');
    expect(good(await api.GET('/documents/{document_id}/history', { params: number })).items.length).toBeGreaterThan(5);
    expect(good(await api.GET('/documents', { params: { query: { status: 'AUTHORIZED' } } })).total).toBe(4);

    /** Polls, as a business without webhooks does. */
    async function settled(params: { path: { document_id: string } }) {
      for (;;) {
        const document = good(await api.GET('/documents/{document_id}', { params }));
        if (document.status === 'AUTHORIZED' || document.error !== null) return document;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }
  });

  it('is told of mistakes by code and field, in the types of the description', async () => {
    const { error, response } = await clientWith({}).POST('/auth/login', { body: { email: 'nobody', password: PASSWORD } as never });
    expect([response.status, error?.error.code]).toEqual([422, 'VALIDATION_FAILED']);
    expect((await clientWith({ 'X-API-Key': 'svc_test_none' }).GET('/tenant')).response.status).toBe(401);
  });

  it('was answered every time as the description says', () => {
    expect(faults).toEqual([]);
  });
});
