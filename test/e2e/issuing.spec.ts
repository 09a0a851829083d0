import { verifySignedDocument } from '../../src/sri/signing/self-check.js';
import { Business, simulatorAccount } from '../support/business.js';
import { keepXml } from '../support/kept-xml.js';
import { type RunningStack, sharedStack } from '../support/stack.js';

describe('issuing an invoice', () => {
  let stack: RunningStack;
  let business: Business;

  beforeAll(async () => {
    stack = await sharedStack();
    business = await Business.open(stack);
  });
  afterAll(() => stack.stop());

  const xmlOf = async (id: string, kind: string): Promise<string> => (await business.call<string>('GET', `/documents/${id}/xml?kind=${kind}`)).body;

  it('answers 202 with number and key at once and reaches AUTHORIZED', async () => {
    const { issue_date: today } = business.invoice();
    const answer = await business.issue({ issue_date: today });
    expect(answer.status).toBe(202);
    expect(answer.body).toEqual({ document_id: expect.any(String), status: 'NUMBER_RESERVED', access_key: expect.stringMatching(/^\d{49}$/) });
    const document = await business.settled(answer.body.document_id);
    expect(document).toMatchObject({
      status: 'AUTHORIZED', authorization_number: answer.body.access_key, sri_environment: 'TEST', sequential: 1, error: null,
      tenant_id: business.tenantId, subtotal: '100.00', total: '115.00', issue_date: today, next_attempt_at: null,
      number: answer.body.access_key.slice(24, 39).replace(/^(...)(...)/, '$1-$2-'),
    });
    expect(document['number']).toMatch(/^\d{3}-\d{3}-000000001$/);
    expect((await business.call<{ items: object[] }>('GET', '/documents')).body.items).toMatchObject([{ number: document['number'] }]);
    expect(Date.parse(document['authorization_date'] as string)).toBeGreaterThan(0);
    expect(await simulatorAccount(stack, answer.body.access_key)).toMatchObject({ state: 'authorized', authorized: 1, submissions: 1 });
  });

  it('keeps the signed bytes and the authorization as received', async () => {
    const { document_id, access_key } = await business.accepted();
    await business.settled(document_id);
    const signed = await xmlOf(document_id, 'signed');
    expect(verifySignedDocument(Buffer.from(signed)).valid).toBe(true);
    const authorized = await xmlOf(document_id, 'authorized');
    expect(authorized).toContain(`<numeroAutorizacion>${access_key}</numeroAutorizacion>`);
    expect(authorized).toContain(signed.slice(signed.indexOf('<factura')));
    keepXml('invoice-plain', signed);
  });

  it('carries texts unchanged into a valid signature', async () => {
    const texts = ['ñ á € 🧾 & < > "comillas" \'simples\' ]]> $& $1 $\' &amp; {{7*7}}', `largo ${'á'.repeat(290)}`, 'a  b   c', "'; drop table documents; --"];
    for (const [index, description] of texts.entries()) {
      const { document_id } = await business.accepted({
        buyer_name: description.slice(0, 280),
        lines: [{ line_number: 1, description, quantity: '1', unit_price: '100.00', subtotal: '100.00', tax_rate_code: '4' }],
      });
      const document = await business.settled(document_id);
      expect([description, document.status]).toEqual([description, 'AUTHORIZED']);
      expect((document['lines'] as { description: string }[])[0]?.description).toBe(description);
      const signed = await xmlOf(document_id, 'signed');
      expect(verifySignedDocument(Buffer.from(signed)).valid).toBe(true);
      keepXml(`invoice-text-${index}`, signed);
    }
  });

  it('warns of a text that it does not send with whole characters, wherever the excerpt ends', async () => {
    const { document_id } = await business.accepted({ reason: `${'x'.repeat(63)}😀 y` });
    expect((await business.settled(document_id))['warnings']).toMatchObject([{ pointer: '/reason', actual: `${'x'.repeat(63)}😀` }]);
  });

  it('takes an invoice without buyer as one to the final consumer and fills in the payment', async () => {
    const { document_id } = await business.accepted({
      buyer_id_type: null, buyer_id: null, buyer_name: null, buyer_email: null, payments: undefined,
      subtotal: '10', total_tax: '1.50', total: '11.50',
      lines: [{ line_number: 1, description: 'Café', quantity: 2, unit_price: 5, subtotal: 10, tax_rate_code: '4' }],
      taxes: [{ tax_code: '2', tax_rate_code: '4', taxable_base: 10, rate: 0.15, tax_amount: 1.5 }],
    });
    const document = await business.settled(document_id);
    expect(document).toMatchObject({ status: 'AUTHORIZED', buyer_id: '9999999999999', buyer_name: 'CONSUMIDOR FINAL', total: '11.50' });
    expect(document['payments']).toMatchObject([{ payment_method_code: '01', total: '11.50' }]);
    expect((document['warnings'] as unknown[]).length).toBeGreaterThan(0);
    keepXml('invoice-final-consumer', await xmlOf(document_id, 'signed'));
  });

  it('waits for the final state when asked with Prefer', async () => {
    const answer = await business.call('POST', '/documents', business.invoice(), { prefer: 'wait=30' });
    expect(answer.status).toBe(202);
    expect(answer.headers.get('preference-applied')).toBe('wait=30');
    expect(answer.body).toMatchObject({ status: 'AUTHORIZED', action_taken: 'authorized', sri_messages: expect.any(Array) as unknown[], new_access_key: null });
  });

  it('lists newest first, by page and by status', async () => {
    const page = await business.call<{ items: { created_at: string; status: string }[]; total: number }>('GET', '/documents?page=1&page_size=3&status=AUTHORIZED');
    expect(page.status).toBe(200);
    expect(page.body).toMatchObject({ page: 1, page_size: 3 });
    expect(page.body.items).toHaveLength(3);
    const times = page.body.items.map((item) => item.created_at);
    expect(times).toEqual([...times].sort().reverse());
    expect((await business.call('GET', '/documents?status=DRAFT')).body).toMatchObject({ items: [], total: 0 });
    expect((await business.call('GET', '/documents?status=nope')).status).toBe(422);
  });

  it('hides the document from another tenant as if it did not exist', async () => {
    const { document_id } = await business.accepted();
    const other = await Business.open(stack);
    const foreign = await other.call<{ error: Record<string, unknown> }>('GET', `/documents/${document_id}`);
    const random = await other.call<{ error: Record<string, unknown> }>('GET', '/documents/7b0c2f6e-3a39-4d7e-9c55-1f2c3d4e5f60');
    expect(foreign.status).toBe(404);
    expect({ ...foreign.body.error, request_id: '' }).toEqual({ ...random.body.error, request_id: '' });
    expect((await other.call('GET', `/documents/${document_id}/xml`)).status).toBe(404);
    const borrowed = await other.call('POST', '/documents', business.invoice());
    expect(borrowed.status).toBe(404);
  });
});
