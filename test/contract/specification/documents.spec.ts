import { randomUUID } from 'node:crypto';
import { addFaults, Business, type Invoice } from '../../support/business.js';
import type { Answer } from '../../support/http.js';
import { type RunningStack, sharedStack } from '../../support/stack.js';
import { guayaquilDay } from '../../../src/shared/guayaquil.js';
import { ACCEPTED, breaches, DOCUMENT, ERROR, LIST_ITEM, PAGE, SRI_MESSAGE, STATUSES, SYNC_SUBMIT } from './shapes.js';

type Body = Record<string, unknown>;
interface Page extends Body {
  items: Body[];
  total: number;
}
interface Refused extends Body {
  error: { code: string; detail: unknown };
}

const magic = (value: string): Invoice => ({ additional_info: [{ name: 'Simulador', value }] });

/** Interface specification, sections 2.5 to 2.7 about documents, 3, and 4.1 to 4.8. */
describe('specification: documents', () => {
  let stack: RunningStack;
  let business: Business;
  let stranger: Business;
  let authorized: string;

  beforeAll(async () => {
    stack = await sharedStack();
    [business, stranger] = [await Business.open(stack), await Business.open(stack)];
    authorized = await newAuthorized();
  });
  afterAll(() => stack.stop());

  const post = <Answered = Refused>(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer<Answered>> => business.call<Answered>('POST', path, body, headers);
  const newAuthorized = async (): Promise<string> => {
    const { document_id: id } = await business.accepted();
    expect((await business.settled(id)).status).toBe('AUTHORIZED');
    return id;
  };
  const creditNote = (change: Body = {}): Body => ({
    reason: 'Devolución', issue_date: guayaquilDay(new Date()), subtotal: '10.00', total_tax: '1.50', total: '11.50',
    lines: [{ line_number: 1, description: 'Servicio', quantity: 1, unit_price: 10, subtotal: '10.00', tax_rate_code: '4' }],
    taxes: [{ tax_code: '2', tax_rate_code: '4', taxable_base: '10.00', rate: 0.15, tax_amount: '1.50' }],
    ...change,
  });

  describe('4.1 POST /documents', () => {
    it('answers 202 at once with DocumentAcceptedResponse; 3: a number is reserved and an access key produced', async () => {
      const { status, body } = await business.issue();
      expect(status).toBe(202);
      expect(breaches(ACCEPTED, body)).toEqual([]);
      expect(body.access_key).toMatch(/^\d{49}$/);
      expect(await business.document(body.document_id)).toMatchObject({ sequential: Number(body.access_key.slice(30, 39)), access_key: body.access_key });
    });

    it('or with DocumentSyncSubmitResponse, when it is asked to wait', async () => {
      const { status, body, headers } = await post<Body>('/documents', business.invoice(), { prefer: 'wait=30' });
      expect([status, headers.get('preference-applied'), body['status'], body['action_taken']]).toEqual([202, 'wait=30', 'AUTHORIZED', 'authorized']);
      expect(breaches(SYNC_SUBMIT, body)).toEqual([]);
    });

    it('400: a fiscal rule is broken; 422: a field; 401: no key; 409: the idempotency key with other content', async () => {
      expect((await business.issue({ total: '999.00' })).body).toMatchObject({ error: { code: 'FISCAL_RULE_VIOLATED' } });
      expect((await business.issue({ total: 'x' })).status).toBe(422);
      expect((await business.call('POST', '/documents', business.invoice(), { 'x-api-key': '' })).status).toBe(401);
      const key = { idempotency_key: randomUUID() };
      const [first, again] = [await business.accepted(key), await business.issue(key)];
      expect([again.status, again.body.document_id, again.headers.get('idempotent-replayed')]).toEqual([202, first.document_id, 'true']);
      const other = await post('/documents', business.invoice({ ...key, buyer_name: 'Otra persona' }));
      expect([other.status, other.body.error.code]).toEqual([409, 'DUPLICATE_IDEMPOTENCY_KEY']);
    });
  });

  describe('4.2 POST /documents/drafts', () => {
    it('2.5 answers the document record in DRAFT; 3: no number is reserved', async () => {
      const before = await business.lastNumber();
      const { status, body } = await post<Body>('/documents/drafts', business.invoice());
      expect(status).toBe(201);
      expect(breaches(DOCUMENT, body)).toEqual([]);
      expect(body).toMatchObject({ status: 'DRAFT', sequential: null, access_key: null, tenant_id: business.tenantId });
      expect(await business.lastNumber()).toBe(before);
    });
  });

  describe('4.3 GET /documents', () => {
    const list = (query: string): Promise<Answer<Page & Refused>> => business.call<Page & Refused>('GET', `/documents${query}`);

    it('2.7 answers items, total, page and page_size', async () => {
      const { status, body } = await list('');
      expect(status).toBe(200);
      expect(breaches(PAGE, body)).toEqual([]);
      expect(body.items.flatMap((item) => breaches(LIST_ITEM, item))).toEqual([]);
      expect(body.items[0]).toMatchObject({ issuer_razon_social: 'Comercial Ñandú & Compañía' });
      expect(body).toMatchObject({ page: 1, page_size: 20 });
    });

    it('pages begin at 1 and hold 1 to 100', async () => {
      expect((await list('?page=1&page_size=1')).body.items).toHaveLength(1);
      expect((await list('?page_size=100')).status).toBe(200);
      for (const wrong of ['page=0', 'page=-1', 'page=x', 'page_size=0', 'page_size=101', 'page_size=']) {
        expect([wrong, (await list(`?${wrong}`)).status]).toEqual([wrong, 422]);
      }
    });

    it('filters by status; 2.6: by each of them and no other', async () => {
      const { body } = await list('?status=AUTHORIZED&page_size=100');
      expect(new Set(body.items.map((item) => item['status']))).toEqual(new Set(['AUTHORIZED']));
      for (const status of STATUSES) expect([status, (await list(`?status=${status}`)).status]).toEqual([status, 200]);
      expect((await list('?status=authorized')).status).toBe(422);
    });

    it('1 lists documents of the own tenant only', async () => {
      expect((await stranger.call<Page>('GET', '/documents')).body.total).toBe(0);
    });
  });

  describe('4.4 GET /documents/{document_id}', () => {
    it('2.5 carries status, authorization_number and sri_messages; 1: AUTHORIZED documents have the number', async () => {
      const record = await business.document(authorized);
      expect(breaches(DOCUMENT, record)).toEqual([]);
      expect(record).toMatchObject({ status: 'AUTHORIZED', authorization_number: record['access_key'] });
      expect(record['authorization_date']).not.toBeNull();
      expect(record['sri_messages']).toBeInstanceOf(Array);
    });

    it('2.7 shows what the authority said', async () => {
      const { document_id: id } = await business.accepted(magic('52'));
      const record = await business.settled(id);
      expect(record).toMatchObject({ status: 'REJECTED', error: { code: 'SRI_REJECTED' } });
      const messages = record['sri_messages'] as Body[];
      expect(messages.length).toBeGreaterThan(0);
      expect(messages.flatMap((message) => breaches(SRI_MESSAGE, message))).toEqual([]);
    });

    it('404 for a document of another tenant, as for none', async () => {
      const [foreign, none] = [await stranger.call<Refused>('GET', `/documents/${authorized}`), await stranger.call<Refused>('GET', `/documents/${randomUUID()}`)];
      expect([foreign.status, none.status]).toEqual([404, 404]);
      expect(breaches(ERROR, foreign.body.error)).toEqual([]);
      expect({ ...foreign.body.error, request_id: '' }).toEqual({ ...none.body.error, request_id: '' });
    });
  });

  describe('4.5 POST /documents/{document_id}/cancel', () => {
    it('asks for a reason of 1 to 500 characters', async () => {
      for (const reason of ['', 'x'.repeat(501), 5]) expect((await post(`/documents/${authorized}/cancel`, { reason })).status).toBe(422);
      expect((await post(`/documents/${authorized}/cancel`, {})).status).toBe(400);
    });

    it('3: takes an AUTHORIZED document to CANCELLATION_REQUESTED, answers 202, and refuses any other', async () => {
      const id = await newAuthorized();
      const { status, body } = await post<Body>(`/documents/${id}/cancel`, { reason: 'x'.repeat(500) });
      expect([status, body]).toMatchObject([202, { document_id: id, status: 'CANCELLATION_REQUESTED' }]);
      expect(body['cancellation_requested_at']).toMatch(/^\d{4}-\d{2}-\d{2}T.*Z$/);
      const again = await post(`/documents/${id}/cancel`, { reason: 'x' });
      expect([again.status, again.body.error.code]).toEqual([409, 'INVALID_STATE']);
    });
  });

  describe('4.6 POST /documents/{document_id}/credit-note', () => {
    it('3: answers 201 with a draft that is linked to the original', async () => {
      const { status, body } = await post<Body>(`/documents/${authorized}/credit-note`, creditNote());
      expect([status, body]).toMatchObject([201, { original_document_id: authorized, status: 'DRAFT' }]);
      expect(body).toHaveProperty('access_key');
      expect(await business.document(body['credit_note_id'] as string)).toMatchObject({ document_type: '04', modified_document_id: authorized, total_discount: '0.00', status: 'DRAFT' });
    });

    it('bounds reason, lines and taxes; the date may be left out', async () => {
      for (const [field, value] of [['reason', ''], ['reason', 'x'.repeat(501)], ['lines', []], ['taxes', []], ['total', '-1'], ['issue_date', 'today']] as const) {
        expect([field, (await post(`/documents/${authorized}/credit-note`, creditNote({ [field]: value }))).status]).toEqual([field, 422]);
      }
      const { issue_date: _absent, ...undated } = creditNote();
      expect((await post(`/documents/${authorized}/credit-note`, undated)).status).toBe(201);
    });

    it('supports an idempotency key', async () => {
      const body = creditNote({ idempotency_key: randomUUID() });
      const [first, again] = [await post<Body>(`/documents/${authorized}/credit-note`, body), await post<Body>(`/documents/${authorized}/credit-note`, body)];
      expect(again.body).toEqual(first.body);
      expect((await post(`/documents/${authorized}/credit-note`, { ...body, reason: 'Otra' })).status).toBe(409);
    });

    it('demands an original that is AUTHORIZED and at most twelve months old', async () => {
      const { body: draft } = await post<Body>('/documents/drafts', business.invoice());
      expect((await post(`/documents/${String(draft['id'])}/credit-note`, creditNote())).body.error.code).toBe('INVALID_STATE');
      const old = await newAuthorized();
      await stack.database.query(
        `update document_contents set content = jsonb_set(content, '{issueDate}', to_jsonb(to_char(now() - interval '13 months', 'YYYY-MM-DD'))) where document_id = $1`, [old]);
      const refused = await post(`/documents/${old}/credit-note`, creditNote());
      expect([refused.status, refused.body.error.code]).toEqual([400, 'FISCAL_RULE_VIOLATED']);
    });
  });

  describe('4.7 POST /documents/{document_id}/retry', () => {
    it('3: takes a document that is stuck to a retry-scheduled state, its attempts counted anew', async () => {
      const blocked = await Business.open(stack);
      await addFaults(stack, { match: { ruc: blocked.ruc, service: 'reception' }, times: 1, action: { kind: 'refuse', code: '39', at: 'authorization' } });
      const { document_id: id } = await blocked.accepted();
      expect((await blocked.settled(id)).status).toBe('REJECTED');
      const { status, body } = await blocked.call('POST', `/documents/${id}/retry`);
      expect([status, body]).toMatchObject([202, { document_id: id, status: 'RECEPTION_RETRY_SCHEDULED' }]);
      expect(body['retry_scheduled_at']).toMatch(/Z$/);
      expect((await blocked.settled(id)).status).toBe('AUTHORIZED');
      const [row] = await stack.database.query<{ attempts: number }>('select reception_attempts as attempts from documents where id = $1', [id]);
      expect(row?.attempts).toBe(1);
    });

    it('refuses a document that is not', async () => {
      expect((await post(`/documents/${authorized}/retry`)).body.error.code).toBe('INVALID_STATE');
    });
  });

  describe('4.8 POST /documents/{document_id}/reconcile', () => {
    it('3: asks the authority and answers state and time', async () => {
      /** What is said of a document once it was sent; 409 where the worker was told all before anybody else asked. */
      const reconciled = async (): Promise<Answer<Body & Refused> & { readonly id: string }> => {
        const { document_id } = await business.accepted(magic('in-process:3'));
        for (;;) {
          const asked = await post<Body & Refused>(`/documents/${document_id}/reconcile`);
          if (asked.status !== 409 || (await business.document(document_id)).status === 'AUTHORIZED') return { ...asked, id: document_id };
        }
      };
      let { id, ...answer } = await reconciled();
      for (let tries = 1; answer.status === 409 && tries < 5; tries += 1) ({ id, ...answer } = await reconciled());
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({ document_id: id });
      expect(STATUSES).toContain(answer.body['status']);
      expect(answer.body['reconciled_at']).toMatch(/Z$/);
      expect((await business.settled(id)).status).toBe('AUTHORIZED');
    });
  });
});
