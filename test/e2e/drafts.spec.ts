import { CODE_TABLES } from '../../src/sri/tables/catalogue.js';
import { Business, type Invoice } from '../support/business.js';
import { inTransaction, lockAwaited } from '../support/held-transaction.js';
import { type Answer, call } from '../support/http.js';
import { itWithPoppler, pageTexts } from '../support/pdf.js';
import { type Stack, startStack } from '../support/stack.js';

type Body = Record<string, unknown> & { id: string; status: string; error?: { code: string; message: string; detail: { rule?: string; pointer?: string }[] } };

const LINES = [
  { line_number: 1, description: 'Café', quantity: '3', unit_price: '3.333333', subtotal: '10.00', tax_rate_code: '4' },
  { line_number: 2, description: 'Pan', quantity: '2', unit_price: '1.50', discount: '0.50', subtotal: '2.50', tax_rate_code: '0' },
];
const FROM_LINES: Invoice = { subtotal: undefined, total_tax: undefined, total: undefined, taxes: undefined, total_discount: undefined, payments: undefined, lines: LINES };

describe('drafts and what follows an issued document', () => {
  let stack: Stack;
  let business: Business;

  beforeAll(async () => {
    stack = await startStack();
    business = await Business.open(stack);
  });
  afterAll(() => stack.stop());

  const draft = (change: Invoice = {}): Promise<{ status: number; body: Body; headers: Headers }> =>
    business.call<Body>('POST', '/documents/drafts', business.invoice(change));
  const authorized = async (change: Invoice = {}): Promise<string> => {
    const { document_id } = await business.accepted(change);
    expect((await business.settled(document_id)).status).toBe('AUTHORIZED');
    return document_id;
  };
  const credit = (original: string, change: Invoice = {}): Promise<{ status: number; body: Body & { credit_note_id: string }; headers: Headers }> => {
    const { lines, taxes, subtotal, total_tax, total } = business.invoice();
    return business.call('POST', `/documents/${original}/credit-note`, { reason: 'Devolución', lines, taxes, subtotal, total_tax, total, ...change });
  };
  const half: Invoice = {
    subtotal: '50.00', total_tax: '7.50', total: '57.50',
    lines: [{ line_number: 1, description: 'Mitad', quantity: '0.5', unit_price: '100.00', subtotal: '50.00', tax_rate_code: '4' }],
    taxes: [{ tax_code: '2', tax_rate_code: '4', taxable_base: '50.00', rate: '0.15', tax_amount: '7.50' }],
  };

  it('waits for the final state of an issued draft when asked with Prefer', async () => {
    const { id } = (await draft()).body;
    const answer = await business.call('POST', `/documents/${id}/issue`, undefined, { prefer: 'wait=30' });
    expect([answer.status, answer.headers.get('preference-applied')]).toEqual([202, 'wait=30']);
    expect(answer.body).toMatchObject({ document_id: id, status: 'AUTHORIZED', action_taken: 'authorized', new_access_key: null });
  });

  it('refuses an idempotency key for a draft that exists already', async () => {
    const { id } = (await draft()).body;
    const answer = await business.call<{ detail: object[] }>('PATCH', `/documents/${id}`, { reason: 'x', idempotency_key: 'late' });
    expect([answer.status, answer.body.detail]).toMatchObject([422, [{ loc: ['body', 'idempotency_key'], type: 'extra_forbidden', input: 'late' }]]);
    expect(await business.document(id)).toMatchObject({ version: 1, idempotency_key: null });
  });

  it('is told to send a body when a change of a draft has none', async () => {
    const { id } = (await draft()).body;
    expect(await business.call('PATCH', `/documents/${id}`)).toMatchObject({ status: 400, body: { error: { code: 'MALFORMED_REQUEST', detail: { reason: 'empty_body' } } } });
    expect((await business.call('PATCH', `/documents/${id}`, [])).status).toBe(422);
  });

  it('names the id of the body that the tenant does not have, one of another tenant like one of nobody', async () => {
    const nobodys = '7b0c2f6e-3a39-4d7e-9c55-1f2c3d4e5f60';
    const other = await Business.open(stack, { certificate: null });
    const theirs = { issuer_id: other.issuerId, establishment_id: other.establishmentId, emission_point_id: other.emissionPointId, modified_document_id: (await other.call<Body>('POST', '/documents/drafts', other.invoice())).body.id };
    const { id } = (await draft()).body;
    const note = { ...half, document_type: '04', reason: 'Devolución', payments: undefined };
    for (const [field, foreign] of Object.entries(theirs)) {
      for (const value of [nobodys, foreign]) {
        const body = business.invoice({ ...(field === 'modified_document_id' ? note : {}), [field]: value });
        const answers = [
          await business.call<Body>('POST', '/documents', body), await business.call<Body>('POST', '/documents/drafts', body), await business.call<Body>('PATCH', `/documents/${id}`, { [field]: value }),
          ...(field === 'modified_document_id' ? [] : [await business.call<Body>('POST', '/documents/validate', body)]),
        ];
        for (const answer of answers) expect([field, answer.status, answer.body.error]).toMatchObject([field, 404, { code: 'NOT_FOUND', detail: { field } }]);
      }
    }
    const dryRun = await business.call<{ findings: { pointer: string; rule: string }[] }>('POST', '/documents/validate', business.invoice({ ...note, modified_document_id: nobodys }));
    const errors = dryRun.body.findings.map(({ rule, pointer }) => [rule, pointer]).filter(([, pointer]) => pointer !== '/issue_date');
    expect([dryRun.status, errors]).toEqual([200, [['issuing.not_found', '/modified_document_id']]]);
  });

  it('stores a draft without a number, changes it, issues it', async () => {
    const before = await business.lastNumber();
    const created = await draft({ document_type: undefined });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ status: 'DRAFT', document_type: '01', sequential: null, access_key: null, authorization_number: null });
    expect(await business.lastNumber()).toBe(before);
    const patched = await business.call<Body>('PATCH', `/documents/${created.body.id}`, { buyer_name: 'Otra Persona' });
    expect([patched.status, patched.body['buyer_name'], patched.body['total']]).toEqual([200, 'Otra Persona', '115.00']);
    const issued = await business.call<{ document_id: string; access_key: string }>('POST', `/documents/${created.body.id}/issue`);
    expect([issued.status, issued.body.document_id]).toEqual([202, created.body.id]);
    expect(await business.settled(created.body.id)).toMatchObject({ status: 'AUTHORIZED', buyer_name: 'Otra Persona', access_key: issued.body.access_key });
    const again = await business.call<Body>('POST', `/documents/${created.body.id}/issue`);
    expect([again.status, again.body.error?.code]).toEqual([409, 'INVALID_STATE']);
    expect((await business.call('PATCH', `/documents/${created.body.id}`, { reason: 'x' })).status).toBe(409);
    expect((await business.call('DELETE', `/documents/${created.body.id}`)).status).toBe(409);
  });

  it('computes totals and taxes from the lines when all are left out', async () => {
    const created = await draft(FROM_LINES);
    expect(created.body).toMatchObject({ subtotal: '13.00', total_discount: '0.50', total_tax: '1.50', total: '14.00', status: 'DRAFT' });
    expect(created.body['taxes']).toMatchObject([
      { tax_rate_code: '4', taxable_base: '10.00', tax_amount: '1.50' },
      { tax_rate_code: '0', taxable_base: '2.50', tax_amount: '0.00' },
    ]);
    const changed = await business.call<Body>('PATCH', `/documents/${created.body.id}`, { lines: [LINES[0]] });
    expect(changed.body).toMatchObject({ subtotal: '10.00', total: '11.50' });
    // Nobody gave these totals: they go with whatever else is changed.
    const tipped = await business.call<Body>('PATCH', `/documents/${created.body.id}`, { tip: '1.00' });
    expect(tipped.body).toMatchObject({ subtotal: '10.00', total: '12.50', warnings: [{ rule: 'payments.defaulted' }] });
    expect((await business.call('POST', `/documents/${created.body.id}/issue`)).status).toBe(202);
    expect((await business.settled(created.body.id)).status).toBe('AUTHORIZED');
    expect((await draft({ ...FROM_LINES, total: '14.00' })).status).toBe(400);
    expect((await business.issue(FROM_LINES)).status).toBe(400);
  });

  it('keeps totals that the caller gave when something else is changed, and says how they are wrong then', async () => {
    const given = { subtotal: '10.00', total_tax: '1.49', total: '11.49', taxes: [{ tax_code: '2', tax_rate_code: '4', taxable_base: '10.00', rate: '0.15', tax_amount: '1.49' }] };
    const created = await draft({ ...FROM_LINES, lines: [LINES[0]], ...given });
    expect(created.body).toMatchObject({ total: '11.49' });
    const tipped = await business.call<Body>('PATCH', `/documents/${created.body.id}`, { tip: '1.00' });
    expect(tipped.body).toMatchObject({ total: '11.49', total_tax: '1.49', warnings: [{ rule: 'payments.defaulted' }, { rule: 'totals.total', pointer: '/total', expected: '12.49', actual: '11.49' }] });
    // As a form sends back what it was told.
    const echoed = await business.call<Body>('PATCH', `/documents/${created.body.id}`, { withholding: null });
    expect(echoed.body).toMatchObject({ total: '11.49', total_tax: '1.49' });
  });

  it('computes totals anew beside a total of discounts that the caller gave, and keeps that one', async () => {
    const [line] = LINES;
    const created = await draft({ ...FROM_LINES, lines: [line], total_discount: '5.00' });
    const patched = async (body: object): Promise<Body> => (await business.call<Body>('PATCH', `/documents/${created.body.id}`, body)).body;
    expect(await patched({ tip: '1.00' })).toMatchObject({ total: '12.50', total_discount: '5.00', warnings: expect.arrayContaining([expect.objectContaining({ pointer: '/total_discount' })]) });
    expect(await patched({ tip: '0.50', total_discount: '0.00' })).toMatchObject({ total: '12.00', total_discount: '0.00', warnings: [{ rule: 'payments.defaulted' }] });
  });

  it.each(['3', '99'])('takes back the totals that it computed from lines with the rate %s, of which there are no taxes, and says what is wrong until the line is corrected', async (rate) => {
    const lines = (tax_rate_code: string): object[] => [{ ...LINES[0], tax_rate_code }];
    const { body: created } = await draft({ ...FROM_LINES, lines: lines(rate) });
    const none = { subtotal: '10.00', total_tax: '0.00', total: '10.00', taxes: [] };
    const told = { ...none, warnings: [{ pointer: '/lines/0/tax_rate_code' }] };
    expect(created).toMatchObject(told);
    const patched = (body: object): Promise<Answer<Body>> => business.call<Body>('PATCH', `/documents/${created.id}`, body);
    const { subtotal, total_tax, total, taxes } = await business.document(created.id);
    for (const body of [{ subtotal, total_tax, total, taxes }, { total: '10.00' }, { buyer_name: 'Otra Persona' }]) expect(await patched(body)).toMatchObject({ status: 200, body: told });
    expect((await patched({ total: '11.00' })).body).toMatchObject({ ...told, total: '11.00' });
    expect(await business.call('POST', '/documents/validate', business.invoice({ ...none, lines: lines(rate) }))).toMatchObject({ status: 200, body: { valid: false, findings: [{ pointer: '/lines/0/tax_rate_code' }] } });
    expect(await business.call('POST', `/documents/${created.id}/issue`)).toMatchObject({ status: 400, body: { error: { code: 'FISCAL_RULE_VIOLATED', detail: [{ pointer: '/lines/0/tax_rate_code' }] } } });
    expect((await business.issue({ ...none, lines: lines(rate) })).status).toBe(422);

    const { status, body } = await patched({ lines: lines('4') });
    expect([status, body]).toMatchObject([200, { total_tax: '1.50', total: '11.50', taxes: [{ tax_rate_code: '4' }], warnings: [{ rule: 'payments.defaulted' }] }]);
  });

  it('takes groups of taxes that are none beside lines that have them, and says that they are missing', async () => {
    const { status, body } = await draft({ taxes: [] });
    expect([status, body]).toMatchObject([201, { taxes: [], warnings: [{ rule: 'shape.empty', pointer: '/taxes' }] }]);
    const answer = await business.call<Body>('POST', `/documents/${body.id}/issue`);
    expect([answer.status, answer.body.error]).toMatchObject([400, { code: 'FISCAL_RULE_VIOLATED', detail: [{ rule: 'shape.empty', pointer: '/taxes' }] }]);
  });

  it('keeps its totals when it becomes a withholding, for which none can be computed', async () => {
    const created = await draft(FROM_LINES);
    const { status, body } = await business.call<Body>('PATCH', `/documents/${created.body.id}`, { document_type: '07' });
    expect([status, body['document_type'], body['total']]).toEqual([200, '07', '14.00']);
  });

  it('names the totals that are missing beside the others together with everything else', async () => {
    const torn = business.invoice({ ...FROM_LINES, total: 'x', subtotal: '13.00', numeric_code: '1' });
    for (const path of ['/documents/drafts', '/documents/validate', '/documents']) {
      const { status, body } = await business.call<{ detail: { loc: string[]; type: string }[] }>('POST', path, torn);
      const told = body.detail.filter(({ loc }) => loc[1] !== 'lines').map(({ loc, type }) => `${loc[1]} ${type}`);
      expect([path, status, told.sort()]).toEqual([path, 400, ['numeric_code string_pattern_mismatch', 'taxes missing', 'total decimal_parsing', 'total_tax missing']]);
    }
  });

  it('refuses lines that itemise more taxes than a document may have groups', async () => {
    const taxes = (line: number): object[] => Array.from({ length: 20 }, (_, index) => ({ tax_code: '3', tax_rate_code: String(20 * line + index), taxable_base: '0', rate: '0', tax_amount: '0' }));
    const many = (count: number): Invoice => ({ ...FROM_LINES, lines: Array.from({ length: count }, (_, line) => ({ ...LINES[0], line_number: line + 1, taxes: taxes(line) })) });
    const created = await draft(many(10));
    expect([created.status, (created.body['taxes'] as unknown[]).length]).toEqual([201, 200]);
    expect((await business.call('PATCH', `/documents/${created.body.id}`, { buyer_name: 'Otra Persona' })).status).toBe(200);
    const refused = await draft(many(11));
    expect([refused.status, refused.body]).toMatchObject([422, { detail: [{ loc: ['body', 'taxes'], type: 'too_long' }] }]);
  });

  it('refuses lines whose amounts fit and whose computed totals do not', async () => {
    const large = Array.from({ length: 120 }, () => ({ ...LINES[0], quantity: '1', unit_price: '999999999999', subtotal: '999999999999.00' }));
    const refused = await draft({ ...FROM_LINES, lines: large });
    expect([refused.status, refused.body]).toMatchObject([422, { detail: expect.arrayContaining([expect.objectContaining({ loc: ['body', 'total'], type: 'decimal_whole_digits' })]) }]);
  });

  describe('with lines that leave to the catalogue what they do not say', () => {
    const CAFE = { main_code: 'CAFE', aux_code: 'A1', name: 'Café', unit_price: '2.5', default_discount: '0.5', iva_rate_code: '4' };
    const of = (lines: object[], change: Invoice = {}): Invoice => ({ ...FROM_LINES, lines, ...change });
    const line = (main_code: string, change: object = {}): object => ({ line_number: 1, main_code, quantity: 1, ...change });
    const lines = async (id: string): Promise<unknown> => (await business.document(id))['lines'];
    const faults = ({ status, body }: { status: number; body: unknown }): unknown[] =>
      [status, ...(body as { detail: { loc: string[]; type: string }[] }).detail.map(({ loc, type }) => [...loc.slice(2), type].join(' '))];
    const product = async (values: object): Promise<string> => (await business.call<{ id: string }>('POST', '/products', { ...CAFE, ...values })).body.id;

    beforeAll(async () => {
      await product({});
      await product({ main_code: 'PERFUME', name: 'Perfume', unit_price: '10', default_discount: '0', applies_ice: true, ice_code: '3610' });
      await product({ main_code: 'TABACO', name: 'Tabaco', unit_price: '1', default_discount: '0', applies_ice: true, ice_code: '3023' });
      await product({ main_code: 'CERVEZA', name: 'Cerveza', applies_ice: true, ice_code: '3043' });
      await product({ main_code: 'INACTIVO', is_active: false });
      await business.call('DELETE', `/products/${await product({ main_code: 'BORRADO' })}`);
      await (await Business.open(stack, { certificate: null })).call('POST', '/products', { ...CAFE, main_code: 'AJENO' });
    });

    it('takes it from the products of today, keeps it when they change, and is authorized with it', async () => {
      const changing = await product({ main_code: 'CAMBIA' });
      const body = of([line('CAMBIA', { quantity: '3' }), line('PERFUME', { line_number: 2 }), line('TABACO', { line_number: 3 })], { idempotency_key: 'from-catalogue' });
      const dryRun = await business.call('POST', '/documents/validate', business.invoice(body));
      const totals = { subtotal: '18.50', total_discount: '0.50', total_tax: '6.73', total: '24.73' };
      expect([dryRun.status, dryRun.body]).toMatchObject([200, { valid: true, totals }]);
      const created = await draft(body);
      expect([created.status, created.body]).toMatchObject([201, totals]);
      const taken = await lines(created.body.id);
      expect(taken).toMatchObject([
        { description: 'Café', main_code: 'CAMBIA', aux_code: 'A1', unit_price: '2.500000', discount: '0.50', subtotal: '7.00', tax_code: '2', tax_rate_code: '4' },
        { description: 'Perfume', subtotal: '10.00', taxes: [{ tax_code: '3', tax_rate_code: '3610', tax_amount: '2.00' }, { tax_code: '2', taxable_base: '12.00', tax_amount: '1.80' }] },
        { description: 'Tabaco', subtotal: '1.00', taxes: [{ tax_code: '3', tariff: '150.00', tax_amount: '1.50' }, { tax_code: '2', taxable_base: '2.50', tax_amount: '0.38' }] },
      ]);

      const { status } = await business.call('PATCH', `/products/${changing}`, { name: 'Café caro', unit_price: '9', default_discount: '0', iva_rate_code: '0', is_active: false });
      expect(status).toBe(200);
      const again = await draft(body);
      expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([201, created.body, 'true']);
      const told = await draft({ ...body, lines: [line('CAMBIA', { quantity: '3', discount: '0.50' })] });
      expect([told.status, told.body.error?.code]).toEqual([409, 'DUPLICATE_IDEMPOTENCY_KEY']);
      expect((await business.call('PATCH', `/documents/${created.body.id}`, { buyer_name: 'Otra Persona' })).status).toBe(200);
      expect(await lines(created.body.id)).toEqual(taken);
      expect((await business.call('POST', `/documents/${created.body.id}/issue`)).status).toBe(202);
      expect(await business.settled(created.body.id)).toMatchObject({ status: 'AUTHORIZED', ...totals, lines: [{ description: 'Café', subtotal: '7.00' }, {}, {}] });
    });

    it('leaves what the caller says, and takes what a change of its lines leaves out', async () => {
      const own = { description: 'Café grande', aux_code: 'Z', unit_price: '4.000000', discount: '1.00', tax_code: '2', tax_rate_code: '0' };
      const created = await draft(of([line('CAFE', { ...own, quantity: 2 }), line('CAFE', { line_number: 2, subtotal: '2.50' }), line('CAFE', { line_number: 3, discount: 0 })]));
      expect(created.body).toMatchObject({ subtotal: '13.00', total_discount: '1.00', total_tax: '0.76', total: '12.76', warnings: [expect.objectContaining({ rule: 'payments.defaulted' })] });
      expect(await lines(created.body.id)).toMatchObject([{ ...own, subtotal: '7.00' }, { discount: '0.00', subtotal: '2.50' }, { discount: '0.00', subtotal: '2.50' }]);
      const changed = await business.call<Body>('PATCH', `/documents/${created.body.id}`, { lines: [line('CAFE')] });
      expect([changed.status, changed.body]).toMatchObject([200, { subtotal: '2.50', total_discount: '0.50', total: '2.30', lines: [{ description: 'Café', subtotal: '2.00' }] }]);
    });

    it('names the code and what is missing where the code is of no active product of the tenant, and takes such a line when it is whole', async () => {
      const { body: { id } } = await draft();
      const missing = ['description', 'unit_price', 'subtotal', 'tax_rate_code'];
      const send = (body: Invoice): Promise<{ status: number; body: Body }>[] => [
        draft(body), business.call('POST', '/documents/validate', business.invoice(body)), business.call('PATCH', `/documents/${id}`, { lines: body['lines'] }),
      ];
      for (const code of ['NADA', 'cafe', 'INACTIVO', 'BORRADO', 'AJENO']) {
        for (const answer of await Promise.all(send(of([line('CAFE'), line(code)])))) expect([code, ...faults(answer)]).toEqual([code, 400, '1 main_code product_unknown', ...missing.map((field) => `1 ${field} missing`)]);
      }
      for (const answer of await Promise.all(send(of([line('NADA', { unit_price: '1', tax_rate_code: '4' })])))) expect(faults(answer)).toEqual([400, '0 main_code product_unknown', '0 description missing', '0 subtotal missing']);
      expect(faults(await draft(of([{ line_number: 1, quantity: 1 }])))).toEqual([400, ...missing.map((field) => `0 ${field} missing`)]);
      expect((await draft(of([line('NADA', { description: 'x', unit_price: '1', subtotal: '1', tax_rate_code: '4' })]))).status).toBe(201);
      expect(await business.document(id)).toMatchObject({ version: 1, lines: [{ description: 'Servicio de consultoría' }] });
    });

    it("gives a note that names its original by id alone the rates of that document's day", async () => {
      await product({ main_code: 'HOTEL', name: 'Hospedaje', unit_price: '100', default_discount: '0', applies_tourism_iva: true });
      const ofDay = async (day: string): Promise<string> => {
        const id = await authorized();
        await stack.database.query('update documents set issue_date = $2 where id = $1', [id, day]);
        return id;
      };
      // An invoice of those days may be credited here for as long as this test lives.
      const api = await stack.startApi({ CREDIT_NOTE_MAX_AGE_MONTHS: '600' });
      const ask = (method: string, path: string, body: Invoice): Promise<Answer<Body>> => business.call<Body>(method, path, body, {}, api);
      const drafted = (change: Invoice): Promise<Answer<Body>> => ask('POST', '/documents/drafts', business.invoice(change));
      const [holiday, other] = [await ofDay('2026-02-15'), await ofDay('2026-02-10')];
      const noted = (modified: string): Invoice => of([line('HOTEL')], { document_type: '04', reason: 'Devolución', modified_document_id: modified });
      const reduced = { total_tax: '8.00', total: '108.00', taxes: [{ tax_rate_code: '8', rate: '0.0800' }] };
      const full = { total_tax: '15.00', total: '115.00', taxes: [{ tax_rate_code: '4', rate: '0.1500' }] };

      const dryRun = await ask('POST', '/documents/validate', business.invoice(noted(holiday)));
      expect(dryRun.body['totals']).toMatchObject(reduced);
      const created = await drafted(noted(holiday));
      expect(created.body).toMatchObject({ ...reduced, modified_document_type: null, modified_document_number: null, modified_document_issue_date: null, lines: [{ tax_rate_code: '8' }] });
      // Judged by what its original says of itself, when it is made, told again and changed.
      const rulesOf = (body: Body): unknown[] => (body['warnings'] as { rule: string }[]).map(({ rule }) => rule);
      expect(rulesOf(created.body)).toEqual([]);
      const keyed = { ...noted(holiday), idempotency_key: 'by-id-alone' };
      const [made, told] = [await drafted(keyed), await drafted(keyed)];
      expect([rulesOf(made.body), told.headers.get('idempotent-replayed'), JSON.stringify(told.body)]).toEqual([[], 'true', JSON.stringify(made.body)]);
      const patch = (change: Invoice): Promise<Answer<Body>> => ask('PATCH', `/documents/${created.body.id}`, change);
      expect((await patch({ lines: [line('HOTEL')] })).body).toMatchObject({ ...reduced, warnings: [] });
      expect((await patch({ modified_document_id: other, lines: [line('HOTEL')] })).body).toMatchObject({ ...full, modified_document_issue_date: null });
      const byId = await drafted(noted(holiday));
      const moved = await ask('PATCH', `/documents/${byId.body.id}`, { modified_document_id: other, issue_date: '2026-02-16' });
      expect(moved.body).toMatchObject({ ...full, lines: [{ tax_rate_code: '4' }] });
      expect((await drafted({ ...noted(holiday), modified_document_issue_date: '2026-02-10' })).body).toMatchObject({ ...full, modified_document_issue_date: '2026-02-10' });
      expect((await drafted({ ...noted(holiday), document_type: '01' })).body).toMatchObject({ ...full, modified_document_issue_date: null });
    });

    it('takes its own lines again, which its taxes itemise: changed, issued and credited', async () => {
      const sold = { ...FROM_LINES, lines: [{ line_number: 1, main_code: 'PERFUME', quantity: '2' }] };
      const created = await draft(sold);
      expect(created.body['lines']).toMatchObject([{ main_code: 'PERFUME', tax_rate_code: null, taxes: [{ tax_code: '3' }, { tax_code: '2' }] }]);
      const changed = await business.call<Body>('PATCH', `/documents/${created.body.id}`, { lines: created.body['lines'] });
      expect([changed.status, changed.body['lines']]).toEqual([200, created.body['lines']]);
      expect((await business.call('POST', `/documents/${created.body.id}/issue`)).status).toBe(202);
      const { lines, taxes, subtotal, total_tax, total, total_discount, status } = await business.settled(created.body.id) as Body;
      expect(status).toBe('AUTHORIZED');
      const noted = await credit(created.body.id, { lines, taxes, subtotal, total_tax, total, total_discount });
      expect(noted.status).toBe(201);
      expect((await business.call('POST', `/documents/${noted.body.credit_note_id}/issue`)).status).toBe(202);
      expect((await business.settled(noted.body.credit_note_id)).status).toBe('AUTHORIZED');
      expect((await business.document(created.body.id)).status).toBe('VOIDED_BY_NC');
    });

    it('spreads over its lines the cents of the IVA on top of ICE, and keeps them when something else is changed', async () => {
      await product({ main_code: 'GASEOSA', name: 'Gaseosa', unit_price: '0.23', default_discount: '0', applies_ice: true, ice_code: '3630' });
      const created = await draft(of(Array.from({ length: 10 }, (_, index) => line('GASEOSA', { line_number: index + 1 }))));
      // 15 % of 0.30 is 0.045: the lines, rounded one by one, would be five cents above it.
      const taxes = [{ tax_code: '3', tax_amount: '0.70' }, { tax_code: '2', taxable_base: '3.00', tax_amount: '0.45' }];
      expect(created.body).toMatchObject({ subtotal: '2.30', total_tax: '1.15', total: '3.45', taxes, warnings: [{ rule: 'payments.defaulted' }] });
      const taken = await lines(created.body.id);
      const tipped = await business.call<Body>('PATCH', `/documents/${created.body.id}`, { tip: '0.10' });
      expect(tipped.body).toMatchObject({ total_tax: '1.15', total: '3.55', taxes, warnings: [{ rule: 'payments.defaulted' }] });
      expect(await lines(created.body.id)).toEqual(taken);
      expect((await business.call('POST', `/documents/${created.body.id}/issue`)).status).toBe(202);
      expect(await business.settled(created.body.id)).toMatchObject({ status: 'AUTHORIZED', total: '3.55' });
    });

    it('gives a draft that moves to another day the rates of that day, where its lines have them from the catalogue', async () => {
      await product({ main_code: 'HOSTAL', name: 'Hospedaje', unit_price: '100', default_discount: '0', applies_tourism_iva: true });
      const [holiday, ordinary] = ['2026-02-15', '2026-02-10'];
      const created = await draft(of([line('HOSTAL'), line('HOSTAL', { line_number: 2, tax_rate_code: '0' })], { issue_date: ordinary }));
      const change = async (body: object): Promise<Body> => (await business.call<Body>('PATCH', `/documents/${created.body.id}`, body)).body;
      expect(created.body).toMatchObject({ total: '215.00', lines: [{ tax_rate_code: '4' }, { tax_rate_code: '0' }] });
      expect(await change({ issue_date: holiday })).toMatchObject({ total: '208.00', lines: [{ tax_rate_code: '8' }, { tax_rate_code: '0' }] });
      expect(await change({ buyer_name: 'Otra Persona' })).toMatchObject({ total: '208.00', lines: [{ tax_rate_code: '8' }, { tax_rate_code: '0' }] });
      expect(await change({ issue_date: ordinary })).toMatchObject({ total: '215.00', lines: [{ tax_rate_code: '4' }, { tax_rate_code: '0' }] });
      // Lines that the body brings stand.
      const told = { description: 'Hospedaje', unit_price: '100', subtotal: '100', tax_rate_code: '4' };
      expect(await change({ issue_date: holiday, lines: [line('HOSTAL', told)] })).toMatchObject({ total: '115.00', lines: [{ tax_rate_code: '4' }] });
    });

    it('refuses what a product cannot tell, and issuing at once takes nothing from the catalogue', async () => {
      const beer = await draft(of([line('CERVEZA')]));
      expect(faults(beer)).toEqual([400, '0 main_code taxes_not_derivable', '0 taxes missing']);
      expect(beer.body.error!.detail).toMatchObject([{ input: 'CERVEZA', msg: expect.stringContaining('ICE 3043'), ctx: { ice_code: '3043' } }, {}]);
      expect(faults(await draft(of([line('CAFE', { tax_code: '3' })])))).toEqual([400, '0 tax_rate_code missing']);
      expect(faults(await draft(of([line('CAFE', { quantity: '0.1' })])))).toEqual([422, '0 discount less_than_equal']);
      expect(faults(await draft(of([line('CAFE', { quantity: '999999999999' })])))).toEqual([422, '0 subtotal decimal_whole_digits']);
      expect(faults(await business.issue({ lines: [line('CAFE')] }))).toEqual([400, '0 description missing', '0 unit_price missing', '0 subtotal missing', '0 tax_rate_code missing']);
    });

    it('gives a delivery guide its goods without amounts', async () => {
      const transport = {
        origin_address: 'Quito', carrier: { id_type: 'RUC', id: '1710034065001', name: 'Transportes Andinos' },
        start_date: business.invoice()['issue_date'], end_date: business.invoice()['issue_date'], plate: 'PBA1234',
      };
      const guide = business.invoice(of([line('CAFE'), line('CERVEZA', { line_number: 2 })], { document_type: '06', transport, buyer_address: 'Loja', reason: 'Venta' }));
      const answer = await business.call('POST', '/documents/validate', guide);
      expect([answer.status, answer.body]).toMatchObject([200, { valid: true, totals: { total: '0.00' } }]);
    });
  });

  it('warns once of the original of a type that has none', async () => {
    const original = await authorized();
    const created = await draft({ modified_document_id: original });
    expect((created.body['warnings'] as { rule: string; pointer: string }[]).map(({ rule, pointer }) => [rule, pointer])).toEqual([['document.unused_field', '/modified_document_id']]);
  });

  it('checks without effect on a dry run', async () => {
    const before = await business.lastNumber();
    const good = await business.call('POST', '/documents/validate', business.invoice(FROM_LINES));
    expect([good.status, good.body]).toMatchObject([200, { valid: true, totals: { total: '14.00' } }]);
    const bad = await business.call<{ valid: boolean; findings: { pointer: string }[] }>('POST', '/documents/validate', business.invoice({ total: '1.00', buyer_id: '1' }));
    expect(bad.body.valid).toBe(false);
    expect(bad.body.findings.map((finding) => finding.pointer)).toEqual(expect.arrayContaining(['/total']));
    const untyped = await business.call<{ detail: object[] }>('POST', '/documents/validate', business.invoice({ document_type: undefined }));
    expect([untyped.status, untyped.body.detail]).toMatchObject([400, [{ loc: ['body', 'document_type'], type: 'missing' }]]);
    const bare = await Business.open(stack, { certificate: null });
    const without = await bare.call<{ findings: { rule: string; message: string }[] }>('POST', '/documents/validate', bare.invoice());
    const refused = await bare.call<Body>('POST', '/documents', bare.invoice());
    expect(without.body.findings).toContainEqual(expect.objectContaining({ rule: 'issuing.certificate_not_found', message: refused.body.error?.message }));
    expect(refused.body.error?.message).toContain('Suba un certificado .p12');
    expect(await business.lastNumber()).toBe(before);
  });

  it('deletes a draft for good, and keeps its idempotency key used', async () => {
    const created = await draft({ idempotency_key: 'draft-1' });
    const replay = await draft({ idempotency_key: 'draft-1' });
    expect([replay.body.id, replay.headers.get('idempotent-replayed')]).toEqual([created.body.id, 'true']);
    const used = await business.call<Body>('POST', '/documents', business.invoice({ idempotency_key: 'draft-1' }));
    expect([used.status, used.body.error]).toMatchObject([
      409, { code: 'DUPLICATE_IDEMPOTENCY_KEY', message: expect.stringContaining('POST /documents/{id}/issue') as unknown, detail: { reason: 'draft_made', document_id: created.body.id } },
    ]);
    const changed = await business.call<Body>('POST', '/documents', business.invoice({ idempotency_key: 'draft-1', buyer_name: 'Otra Persona' }));
    expect([changed.status, changed.body.error?.detail]).toEqual([409, { document_id: created.body.id }]);
    expect((await business.call('DELETE', `/documents/${created.body.id}`)).status).toBe(204);
    expect((await business.call('GET', `/documents/${created.body.id}`)).status).toBe(404);
    expect((await business.issue({ idempotency_key: 'draft-1' })).status).toBe(409);
    const late = await draft({ idempotency_key: 'draft-1' });
    expect([late.status, late.body.error]).toMatchObject([404, { code: 'NOT_FOUND', detail: { reason: 'draft_deleted', document_id: created.body.id } }]);

    const original = await authorized();
    const note = () => credit(original, { idempotency_key: 'note-1' });
    const noted = (await note()).body.credit_note_id;
    expect((await business.call('DELETE', `/documents/${noted}`)).status).toBe(204);
    const again = await note();
    expect([again.status, again.body.error]).toMatchObject([404, { code: 'NOT_FOUND', detail: { reason: 'draft_deleted', document_id: noted } }]);
  });

  it('keeps of a draft that is saved again and again its first content and the present one, and what was issued', async () => {
    const body = { idempotency_key: 'saved-often', buyer_name: 'Primera' };
    const { id } = (await draft(body)).body;
    const kept = async (): Promise<unknown[]> =>
      (await stack.database.query<{ at: string }>(`select revision || ' ' || (content ->> 'buyerName') as at from document_contents where document_id = $1 order by revision`, [id])).map(({ at }) => at);
    for (const buyer_name of ['Segunda', 'Tercera', 'Cuarta']) expect((await business.call('PATCH', `/documents/${id}`, { buyer_name })).status).toBe(200);
    expect(await kept()).toEqual(['1 Primera', '4 Cuarta']);
    expect(await business.document(id)).toMatchObject({ version: 4, buyer_name: 'Cuarta' });
    expect((await draft(body)).body).toMatchObject({ id, version: 1, buyer_name: 'Primera' });
    expect((await business.call('POST', `/documents/${id}/issue`)).status).toBe(202);
    expect(await business.settled(id)).toMatchObject({ status: 'AUTHORIZED', buyer_name: 'Cuarta' });
    expect(await kept()).toEqual(['1 Primera', '4 Cuarta', '5 Cuarta']);
    expect((await draft(body)).body).toMatchObject({ id, version: 1, buyer_name: 'Primera' });
  });

  it('says of a draft that another one names why it is not deleted', async () => {
    const named = await draft();
    const note = await draft({ document_type: '04', modified_document_id: named.body.id, reason: 'Devolución', payments: [] });
    expect(note.status).toBe(201);
    const refused = await business.call<Body>('DELETE', `/documents/${named.body.id}`);
    expect([refused.status, refused.body.error]).toMatchObject([409, { code: 'INVALID_STATE', detail: { status: 'DRAFT', reason: 'referred_to', allowed_actions: ['issue', 'edit'] } }]);
    expect((await business.call('DELETE', `/documents/${note.body.id}`)).status).toBe(204);
    expect((await business.call('DELETE', `/documents/${named.body.id}`)).status).toBe(204);
  });

  it('replays a draft as it was created, letter by letter, after it was edited, moved and issued', async () => {
    const elsewhere = await business.emissionPoint('077');
    const odd = { ...FROM_LINES, idempotency_key: 'as-created', numeric_code: '00000007', total_discount: '0.5', additional_info: [{ name: 'Caja', value: '1' }] };
    const first = await draft(odd);
    expect([first.status, first.body.warnings]).toEqual([201, expect.any(Array)]);
    const replayed = async (): Promise<void> => {
      const again = await draft(odd);
      expect([again.status, again.headers.get('idempotent-replayed'), JSON.stringify(again.body)]).toEqual([201, 'true', JSON.stringify(first.body)]);
    };
    await replayed();
    const edited = await business.call('PATCH', `/documents/${first.body.id}`, { buyer_name: 'Otra Persona', emission_point_id: elsewhere });
    expect([edited.status, edited.body]).toMatchObject([200, { version: 2, emission_point_id: elsewhere }]);
    await replayed();
    expect((await business.call('POST', `/documents/${first.body.id}/issue`)).status).toBe(202);
    expect((await business.settled(first.body.id)).status).toBe('AUTHORIZED');
    await replayed();
  });

  it('spends its key with every issuer that it has had, so that no sale is issued twice under it', async () => {
    const mine = await Business.open(stack);
    const created = async (path: string, body: unknown): Promise<string> => (await mine.call<{ id: string }>('POST', path, body)).body.id;
    const other = await created('/issuers', { ruc: '1790085783001', razon_social: 'Otra', direccion_matriz: 'Quito', obligado_contabilidad: true });
    const establishment = await created(`/issuers/${other}/establishments`, { code: '001', address: 'Quito' });
    const theirs = { issuer_id: other, establishment_id: establishment, emission_point_id: await created(`/issuers/${other}/establishments/${establishment}/emission-points`, { code: '001' }) };
    const ours = { issuer_id: mine.issuerId, establishment_id: mine.establishmentId, emission_point_id: mine.emissionPointId };
    const open = (key: string) => mine.call<Body>('POST', '/documents/drafts', mine.invoice({ ...FROM_LINES, ...theirs, idempotency_key: key }));
    const move = (id: string, place: object) => mine.call<Body>('PATCH', `/documents/${id}`, place);

    const { body: { id } } = await open('one-sale');
    expect((await move(id, ours)).status).toBe(200);
    const again = await mine.issue({ idempotency_key: 'one-sale' });
    expect([again.status, again.body]).toMatchObject([409, { error: { code: 'DUPLICATE_IDEMPOTENCY_KEY', detail: { document_id: id } } }]);
    // Also where it was: the draft may come back.
    expect([(await open('one-sale')).body.id, (await move(id, theirs)).status, (await move(id, ours)).status]).toEqual([id, 200, 200]);
    expect((await mine.call('POST', `/documents/${id}/issue`)).status).toBe(202);

    const issued = await mine.accepted({ idempotency_key: 'another-sale' });
    const { body: draftOfIt } = await open('another-sale');
    const moved = await move(draftOfIt.id, ours);
    expect([moved.status, moved.body.error]).toMatchObject([409, { code: 'DUPLICATE_IDEMPOTENCY_KEY', detail: { document_id: issued.document_id } }]);
    expect((await mine.document(draftOfIt.id))['issuer_id']).toBe(other);

    // One that moved before drafts took their keys along left them free.
    const claimed = async (key: string): Promise<string> => {
      const { body: former } = await open(key);
      expect((await move(former.id, ours)).status).toBe(200);
      await stack.database.query('delete from idempotency_keys where tenant_id = $1 and issuer_id = $2 and key = $3', [mine.tenantId, mine.issuerId, key]);
      return former.id;
    };
    const edited = await claimed('edited');
    expect((await move(edited, { buyer_name: 'Otra Persona' })).status).toBe(200);
    expect((await mine.issue({ idempotency_key: 'edited' })).status).toBe(409);
    const left = await claimed('left');
    const taken = await mine.accepted({ idempotency_key: 'left' });
    const late = await mine.call<Body>('POST', `/documents/${left}/issue`);
    expect([late.status, late.body.error]).toMatchObject([409, { code: 'DUPLICATE_IDEMPOTENCY_KEY', detail: { document_id: taken.document_id } }]);
  });

  it('replays a draft after its issuer changed, was disabled and lost its certificate, and tells another request apart', async () => {
    const mine = await Business.open(stack);
    const open = (change: Invoice = {}): Promise<{ status: number; body: Body; headers: Headers }> =>
      mine.call<Body>('POST', '/documents/drafts', mine.invoice({ ...FROM_LINES, idempotency_key: 'k', ...change }));
    const first = await open();
    expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([201, null]);
    expect((await mine.call('PATCH', `/issuers/${mine.issuerId}`, { razon_social: 'Otro Nombre', default_payment_method: '20' })).status).toBe(200);
    await stack.database.query('update issuers set disabled_at = now() where tenant_id = $1', [mine.tenantId]);
    await stack.database.query(`update certificates set valid_to = now() - interval '1 hour' where tenant_id = $1`, [mine.tenantId]);
    const again = await open();
    expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([201, first.body, 'true']);
    for (const change of [{ buyer_name: 'Otra Persona' }, { establishment_id: mine.emissionPointId }]) {
      const other = await open(change);
      expect([other.status, other.body.error?.code]).toEqual([409, 'DUPLICATE_IDEMPOTENCY_KEY']);
    }
    expect(await stack.database.query('select id from documents where tenant_id = $1', [mine.tenantId])).toEqual([{ id: first.body.id }]);
  });

  it('replays a credit note also after it has voided its original', async () => {
    const original = await authorized();
    const first = await credit(original, { idempotency_key: 'return-1' });
    expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([201, null]);
    const again = await credit(original, { idempotency_key: 'return-1', subtotal: 100 });
    expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([201, first.body, 'true']);
    expect((await business.call('POST', `/documents/${first.body.credit_note_id}/issue`)).status).toBe(202);
    expect((await business.settled(first.body.credit_note_id)).status).toBe('AUTHORIZED');
    expect((await business.document(original)).status).toBe('VOIDED_BY_NC');
    const late = await credit(original, { idempotency_key: 'return-1' });
    expect([late.status, late.body, late.headers.get('idempotent-replayed')]).toEqual([201, first.body, 'true']);
    const others = [
      await credit(original, { idempotency_key: 'return-1', reason: 'Otra razón' }),
      await credit(await authorized(), { idempotency_key: 'return-1' }),
      await draft({ idempotency_key: 'return-1' }),
    ];
    expect(others.map(({ status, body }) => [status, body.error?.code])).toEqual(Array(3).fill([409, 'DUPLICATE_IDEMPOTENCY_KEY']));
    expect((await credit(original)).body.error?.code).toBe('INVALID_STATE');
  });

  it('refuses to issue a draft that breaks a rule; nothing is consumed and it stays a draft', async () => {
    const before = await business.lastNumber();
    const created = await draft({ total: '1.00' });
    expect(created.status).toBe(201);
    expect((created.body['warnings'] as { rule: string }[]).map((finding) => finding.rule)).toContain('totals.total');
    const issued = await business.call<Body>('POST', `/documents/${created.body.id}/issue`);
    expect([issued.status, issued.body.error?.code]).toEqual([400, 'FISCAL_RULE_VIOLATED']);
    expect((await business.document(created.body.id)).status).toBe('DRAFT');
    expect(await business.lastNumber()).toBe(before);
  });

  it('credits an invoice in parts, and voids it when nothing is left', async () => {
    const original = await authorized();
    const first = await credit(original, half);
    expect([first.status, first.body]).toMatchObject([201, { original_document_id: original, status: 'DRAFT', access_key: null }]);
    for (const part of [first, await credit(original, half)]) {
      expect((await business.call('POST', `/documents/${part.body.credit_note_id}/issue`)).status).toBe(202);
      expect(await business.settled(part.body.credit_note_id)).toMatchObject({ status: 'AUTHORIZED', document_type: '04', total: '57.50', modified_document_type: '01' });
    }
    expect((await business.document(original)).status).toBe('VOIDED_BY_NC');
    const events = await stack.database.query<{ type: string }>('select type from events where document_id = $1 order by position', [original]);
    expect(events.map((event) => event.type)).toEqual(['document.authorized', 'document.voided']);
    const more = await credit(original, half);
    expect([more.status, more.body.error?.code]).toEqual([409, 'INVALID_STATE']);
  });

  it('never credits more than the original, also when two are issued at once', async () => {
    const original = await authorized();
    const notes = await Promise.all(Array.from({ length: 5 }, () => credit(original)));
    const issued = await Promise.all(notes.map(({ body }) => business.call<Body>('POST', `/documents/${body.credit_note_id}/issue`)));
    expect(issued.map(({ status }) => status).sort()).toEqual([202, 409, 409, 409, 409]);
    const refused = issued.flatMap(({ body }) => body.error ?? []);
    expect(refused).toMatchObject(Array(4).fill({ code: 'CREDIT_EXCEEDS_ORIGINAL', detail: { field: 'total', available: '0.00' } }));
  });

  describe('when somebody else is quicker', () => {
    /** Sends all calls, in their order, while the document is held; they have looked at it when `change` is made and it is let go. */
    const meanwhile = async (id: string, calls: readonly (() => Promise<Answer<Body>>)[], change?: string): Promise<Answer<Body>[]> => {
      const answers: Promise<Answer<Body>>[] = [];
      await inTransaction(stack.database, async (client) => {
        await client.query('select from documents where id = $1 for update', [id]);
        for (const call of calls) {
          answers.push(call());
          await lockAwaited(stack.database, answers.length, '(issue|update|delete|correct)_(draft|document)');
        }
        if (change !== undefined) await client.query(change, [id]);
        await client.query('commit');
      });
      return Promise.all(answers);
    };
    const issue = (id: string) => () => business.call<Body>('POST', `/documents/${id}/issue`);
    const remove = (id: string) => () => business.call<Body>('DELETE', `/documents/${id}`);
    const refusals = (answers: readonly Answer<Body>[]): unknown[] => answers.map(({ status, body }) => [status, body.error?.code, body.error?.detail]);
    const nowReserved = { status: expect.stringMatching(/^(?!DRAFT)[A-Z_]+$/), allowed_actions: expect.any(Array) };

    it('issues a draft once, and tells the others the state that it is in', async () => {
      const { id } = (await draft()).body;
      const [first, ...late] = await meanwhile(id, [issue(id), issue(id), remove(id)]);
      expect(first!.status).toBe(202);
      expect(refusals(late)).toEqual(Array(2).fill([409, 'INVALID_STATE', nowReserved]));
    });

    it('makes both of two changes of a draft', async () => {
      const { id } = (await draft()).body;
      // On one process the second would wait for its turn.
      const apis = [stack.apiUrl, await stack.startApi()];
      const change = (fields: Invoice, at: number) => () => call<Body>(apis[at]!, 'PATCH', `/documents/${id}`, { apiKey: business.apiKey, body: fields });
      const answers = await meanwhile(id, [change({ buyer_name: 'Ana' }, 0), change({ buyer_address: 'Loja' }, 1)]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect(await business.document(id)).toMatchObject({ version: 3, buyer_name: 'Ana', buyer_address: 'Loja' });
    });

    it('says that a draft is gone', async () => {
      const { id } = (await draft()).body;
      const [first, late] = await meanwhile(id, [remove(id), issue(id)]);
      expect([first!.status, late!.status, late!.body.error?.code]).toEqual([204, 404, 'NOT_FOUND']);
    });

    it('corrects a refused document once', async () => {
      const mine = await Business.open(stack);
      const { document_id: id } = await rejected(mine);
      const correct = () => mine.call<Body>('POST', `/documents/${id}/correct`, mine.invoice({ buyer_name: 'Nombre Corregido' }));
      const [first, late] = await meanwhile(id, [correct, correct]);
      expect(first!.status).toBe(202);
      expect(refusals([late!])).toEqual([[409, 'INVALID_STATE', nowReserved]]);
    });

    it('names the field and the state of an original that is annulled meanwhile', async () => {
      const original = await authorized();
      const created = await credit(original);
      const direct = business.invoice({ ...half, document_type: '04', reason: 'Devolución', payments: undefined, modified_document_id: original });
      const answers = await meanwhile(
        original, [issue(created.body.credit_note_id), () => business.call<Body>('POST', '/documents', direct)],
        `update documents set status = 'CANCELLATION_REQUESTED', version = version + 1 where id = $1`,
      );
      const detail = { reason: 'original_not_standing', field: 'modified_document_id', status: 'CANCELLATION_REQUESTED', allowed_actions: expect.any(Array) };
      expect(refusals(answers)).toEqual(Array(2).fill([409, 'INVALID_STATE', detail]));
    });
  });

  it('tells in a dry run what issuing would refuse at its last look: credit that is used up, and numbers', async () => {
    const original = await authorized();
    const dryRun = async (of: Business, note: Invoice): Promise<unknown> => {
      const { status, body } = await of.call<{ valid: boolean; findings: Record<string, unknown>[] }>('POST', '/documents/validate', of.invoice(note));
      return [status, body.valid, body.findings.map(({ rule, pointer, expected }) => ({ rule, pointer, expected }))];
    };
    const note: Invoice = { ...half, document_type: '04', reason: 'Devolución', payments: undefined, modified_document_id: original };
    expect(await dryRun(business, note)).toEqual([200, true, []]);
    const first = await credit(original, half);
    expect((await business.call('POST', `/documents/${first.body.credit_note_id}/issue`)).status).toBe(202);
    expect(await dryRun(business, note)).toEqual([200, true, []]);
    const whole = { ...note, ...Object.fromEntries(['lines', 'taxes', 'subtotal', 'total_tax', 'total'].map((field) => [field, business.invoice()[field]])) };
    const exceeded = [{ rule: 'issuing.credit_exceeds_original', pointer: '/total', expected: '57.50' }, { rule: 'credit.tax_not_charged', pointer: '/taxes/0/taxable_base', expected: '≤ 50.00' }];
    expect(await dryRun(business, whole)).toEqual([200, false, exceeded]);
    const more = {
      ...note, modified_document_id: await authorized(), subtotal: '1000.00', total_tax: '150.00', total: '1150.00',
      lines: [{ line_number: 1, description: 'x', quantity: '1', unit_price: '1000.00', subtotal: '1000.00', tax_rate_code: '4' }],
      taxes: [{ tax_code: '2', tax_rate_code: '4', taxable_base: '1000.00', rate: '0.15', tax_amount: '150.00' }],
    };
    const holders = async (body: Invoice): Promise<unknown> =>
      (await business.call<{ findings: Record<string, unknown>[] }>('POST', '/documents/validate', business.invoice(body))).body.findings.find(({ rule }) => rule === 'issuing.credit_exceeds_original')?.['actual'];
    expect([await holders(more), await holders(whole)]).toEqual([null, expect.stringMatching(/^\d{3}-\d{3}-\d{9} [A-Z_]+$/)]);
    const totalled = { ...note, subtotal: undefined, total_tax: undefined, total: undefined, taxes: undefined };
    expect(await dryRun(business, totalled)).toEqual([200, true, []]);

    const spent = await Business.open(stack, { initialSequential: 999_999_999 });
    expect(await dryRun(spent, {})).toEqual([200, true, []]);
    expect((await spent.issue()).status).toBe(202);
    expect(await dryRun(spent, {})).toEqual([200, false, [{ rule: 'issuing.sequence_exhausted', pointer: '/emission_point_id', expected: null }]]);
  });

  it('credits only what may be credited', async () => {
    const { document_id } = await business.accepted({ ...half, buyer_id_type: null, buyer_id: null, buyer_name: null, payments: undefined, ...{
      subtotal: '10.00', total_tax: '1.50', total: '11.50',
      lines: [{ line_number: 1, description: 'x', quantity: '1', unit_price: '10.00', subtotal: '10.00', tax_rate_code: '4' }],
      taxes: [{ tax_code: '2', tax_rate_code: '4', taxable_base: '10.00', rate: '0.15', tax_amount: '1.50' }],
    } });
    await business.settled(document_id);
    const finalConsumer = await credit(document_id, half);
    expect([finalConsumer.status, finalConsumer.body.error?.detail[0]?.rule]).toEqual([400, 'credit.final_consumer']);
    const old = await authorized();
    await stack.database.query(`update documents set issue_date = issue_date - interval '13 months' where id = $1`, [old]);
    await stack.database.query(
      `update document_contents set content = jsonb_set(content, '{issueDate}', to_jsonb(to_char(now() - interval '13 months', 'YYYY-MM-DD'))) where document_id = $1`, [old]);
    expect((await credit(old)).body.error?.detail[0]?.rule).toBe('credit.too_old');
    // Of an invoice issued elsewhere, the note tells the day.
    const today = business.invoice()['issue_date'] as string;
    const elsewhere = (day: string): Invoice => business.invoice({
      ...half, document_type: '04', reason: 'Devolución', payments: undefined, modified_document_type: '01', modified_document_number: '009-001-000000001', modified_document_issue_date: day,
    });
    const [oldest] = await stack.database.query<{ day: string; before: string }>(
      `select min(d)::text as day, (min(d) - 1)::text as before from generate_series($1::date - 400, $1::date, interval '1 day') t, date(t) d where d + interval '12 months' >= $1::date`, [today]);
    const tooOld = await business.call<Body>('POST', '/documents', elsewhere(oldest!.before));
    expect([tooOld.status, tooOld.body.error?.detail]).toMatchObject([400, [{ rule: 'credit.too_old', pointer: '/modified_document_issue_date' }]]);
    expect((await business.call('POST', '/documents/validate', elsewhere(oldest!.before))).body).toMatchObject({ valid: false, findings: [{ rule: 'credit.too_old' }] });
    expect((await business.call('POST', '/documents/validate', elsewhere(oldest!.day))).body).toMatchObject({ valid: true, findings: [] });
    // What a refused original would have filled in is no finding of its own.
    const part = (await credit(await authorized(), half)).body.credit_note_id;
    expect((await business.call('POST', `/documents/${part}/issue`)).status).toBe(202);
    expect((await business.settled(part)).status).toBe('AUTHORIZED');
    const ofNote = await business.call('POST', '/documents/validate', business.invoice({ ...half, document_type: '04', reason: 'Devolución', payments: undefined, modified_document_id: part }));
    expect(ofNote.body).toMatchObject({ valid: false, findings: [{ rule: 'credit.original_type', pointer: '/modified_document_id' }] });
    const other = await Business.open(stack);
    expect((await other.call('POST', `/documents/${old}/credit-note`, { reason: 'x', ...half })).status).toBe(404);
  });

  it('lets a refused credit note of all be corrected, in a dry run and for good: it holds the balance itself', async () => {
    const mine = await Business.open(stack);
    const { document_id: original } = await mine.accepted();
    expect((await mine.settled(original)).status).toBe('AUTHORIZED');
    await refuseNext(mine);
    const note = mine.invoice({ document_type: '04', reason: 'Devolución', payments: undefined, modified_document_id: original });
    const { document_id } = (await mine.call<{ document_id: string }>('POST', '/documents', note)).body;
    expect((await mine.settled(document_id)).status).toBe('REJECTED');
    const corrected = { ...note, reason: 'Devolución completa' };
    expect((await mine.call('POST', '/documents/validate', corrected)).body).toMatchObject({ valid: true, findings: [] });
    expect((await mine.call('POST', `/documents/${document_id}/correct`, corrected)).status).toBe(202);
    expect((await mine.settled(document_id)).status).toBe('AUTHORIZED');
    const late = await mine.call<{ findings: object[] }>('POST', '/documents/validate', { ...corrected, numeric_code: '11112222' });
    const message = expect.stringContaining('que consta en actual, no lo permite. Si está en trámite, espere') as string;
    expect(late.body.findings).toEqual([expect.objectContaining({ rule: 'issuing.invalid_state', pointer: '/modified_document_id', message, actual: 'VOIDED_BY_NC' })]);
  });

  it('warns of a credit note that gives back a tax that its invoice did not charge', async () => {
    const invoice: Invoice = {
      subtotal: '100.00', total_tax: '0.00', total: '100.00',
      lines: [{ line_number: 1, description: 'Libro', quantity: '1', unit_price: '100.00', subtotal: '100.00', tax_rate_code: '0' }],
      taxes: [{ tax_code: '2', tax_rate_code: '0', taxable_base: '100.00', rate: '0', tax_amount: '0.00' }],
    };
    const original = await authorized({ ...invoice, payments: [{ line_number: 1, payment_method_code: '01', total: '100.00' }] });
    const note = (change: Invoice): Invoice => ({ document_type: '04', reason: 'Devolución', payments: undefined, modified_document_id: original, ...change });
    const warned = [{ rule: 'credit.tax_not_charged', pointer: '/taxes/0/taxable_base', severity: 'warning', expected: '≤ 0.00', actual: '50.00' }];
    const dryRun = async (change: Invoice): Promise<unknown> => (await business.call('POST', '/documents/validate', business.invoice(note(change)))).body;
    expect(await dryRun(invoice)).toMatchObject({ valid: true, findings: [] });
    expect(await dryRun(half)).toMatchObject({ valid: true, findings: warned });
    const { document_id } = await business.accepted(note(half));
    expect((await business.document(document_id))['warnings']).toMatchObject(warned);
  });

  it('warns of the credit note that with those before it gives back more of a tax than its invoice charged', async () => {
    const line = (line_number: number, tax_rate_code: string): Record<string, unknown> =>
      ({ line_number, description: `Línea ${line_number}`, quantity: '1', unit_price: '100.00', subtotal: '100.00', tax_rate_code });
    const original = await authorized({
      subtotal: '200.00', total_tax: '15.00', total: '215.00', lines: [line(1, '4'), line(2, '0')], payments: [{ line_number: 1, payment_method_code: '20', total: '215.00' }],
      taxes: [
        { tax_code: '2', tax_rate_code: '4', taxable_base: '100.00', rate: '0.15', tax_amount: '15.00' }, { tax_code: '2', tax_rate_code: '0', taxable_base: '100.00', rate: '0', tax_amount: '0.00' },
      ],
    });
    const note = (base: string, tax_amount: string, total: string): Invoice => ({
      document_type: '04', reason: 'Devolución', payments: undefined, modified_document_id: original, subtotal: base, total_tax: tax_amount, total,
      lines: [{ line_number: 1, description: 'Línea 1', quantity: '1', unit_price: base, subtotal: base, tax_rate_code: '4' }],
      taxes: [{ tax_code: '2', tax_rate_code: '4', taxable_base: base, rate: '0.15', tax_amount }],
    });
    const warningsOf = async (body: Invoice): Promise<unknown> => (await business.document((await business.accepted(body)).document_id))['warnings'];
    expect(await warningsOf(note('60.00', '9.00', '69.00'))).toEqual([]);
    expect(await warningsOf(note('40.00', '6.00', '46.00'))).toEqual([]);
    expect(await warningsOf(note('50.00', '7.50', '57.50'))).toMatchObject([{ rule: 'credit.tax_not_charged', pointer: '/taxes/0/taxable_base', expected: '≤ 0.00', actual: '50.00' }]);
  });

  it('refuses a guide for what came to nothing or is another document, and a withholding from what the issuer sold', async () => {
    const mine = await Business.open(stack);
    const { document_id: refused } = await rejected(mine);
    const sold = await mine.accepted();
    const today = mine.invoice()['issue_date'] as string;
    const empty: Invoice = { payments: undefined, subtotal: '0.00', total_tax: '0.00', total: '0.00' };
    const guide = (change: Invoice): Invoice => mine.invoice({
      ...empty, document_type: '06', buyer_address: 'Av. Loja 12, Cuenca', reason: 'Venta',
      taxes: [{ tax_code: '2', tax_rate_code: '0', taxable_base: '0.00', rate: '0', tax_amount: '0.00' }],
      lines: [{ line_number: 1, description: 'Café', quantity: '1', unit_price: '0', subtotal: '0.00', tax_rate_code: '0' }],
      transport: { origin_address: 'Quito', carrier: { id_type: '05', id: '1710034065', name: 'Pedro Torres' }, start_date: today, end_date: today, plate: 'PBA1234' }, ...change,
    });
    const withholding = mine.invoice({
      document_type: '07', modified_document_id: sold.document_id, payments: undefined, subtotal: '100.00', total_tax: '1.75', total: '1.75',
      lines: [{ line_number: 1, description: 'Compra', quantity: '1', unit_price: '100.00', subtotal: '100.00', tax_rate_code: '0' }],
      taxes: [{ tax_code: '1', tax_rate_code: '312', taxable_base: '100.00', rate: '0.0175', tax_amount: '1.75' }],
    });
    const answer = async (body: Invoice) => {
      const { status, body: { error } } = await mine.call<Body>('POST', '/documents', body);
      return [status, error?.code, error?.detail] as unknown;
    };
    expect(await answer(guide({ modified_document_id: refused }))).toEqual([409, 'INVALID_STATE', expect.objectContaining({ field: 'modified_document_id', status: 'REJECTED' })]);
    expect(await answer(guide({ modified_document_id: sold.document_id, modified_document_number: '001-001-000000999' })))
      .toEqual([400, 'FISCAL_RULE_VIOLATED', [expect.objectContaining({ rule: 'modified.mismatch', pointer: '/modified_document_number' })]]);
    expect(await answer(withholding)).toEqual([400, 'FISCAL_RULE_VIOLATED', [expect.objectContaining({ rule: 'support.own_document', pointer: '/modified_document_id' })]]);
    // On its way, the invoice's access key is its authorization number.
    const taken = await mine.accepted(guide({ modified_document_id: sold.document_id }));
    expect((await mine.settled(taken.document_id)).status).toBe('AUTHORIZED');
    const signed = await fetch(`${stack.apiUrl}/documents/${taken.document_id}/xml`, { headers: { 'x-api-key': mine.apiKey } });
    expect(await signed.text()).toContain(`<numAutDocSustento>${sold.access_key}</numAutDocSustento>`);
  });

  it('refuses a withholding on a purchase settlement of its own that came to nothing, in either form and however it is named', async () => {
    const mine = await Business.open(stack);
    const bought: Invoice = { document_type: '03', buyer_id_type: '05', buyer_id: '1710034065', buyer_name: 'Pedro Torres' };
    await refuseNext(mine);
    const refused = await mine.accepted(bought);
    expect((await mine.settled(refused.document_id)).status).toBe('REJECTED');
    const valid = await mine.accepted(bought);
    const today = mine.invoice()['issue_date'] as string;
    const numberOf = (key: string): string => `${key.slice(24, 27)}-${key.slice(27, 30)}-${key.slice(30, 39)}`;
    const taxes = [{ tax_code: '1', tax_rate_code: '312', taxable_base: '100.00', rate: '0.0175', tax_amount: '1.75' }];
    const withheld = (change: Invoice): Invoice => mine.invoice({
      ...bought, document_type: '07', payments: undefined, subtotal: '100.00', total_tax: '1.75', total: '1.75', taxes,
      lines: [{ line_number: 1, description: 'Compra', quantity: '1', unit_price: '100.00', subtotal: '100.00', tax_rate_code: '0' }], ...change,
    });
    const support = (key: string, change: Invoice = {}): Invoice => ({
      sustento_code: '01', document_type: '03', number: numberOf(key), issue_date: today, payment_location: '01', subtotal: '100.00', total: '115.00',
      taxes: [{ tax_code: '2', tax_rate_code: '4', taxable_base: '100.00', tariff: '15.00', tax_amount: '15.00' }],
      withholdings: [{ tax_code: '1', withholding_code: '312', taxable_base: '100.00', rate: '1.75', amount: '1.75' }],
      payments: [{ payment_method_code: '20', total: '115.00' }], ...change,
    });
    const full = (supports: Invoice[], change: Invoice = {}): Invoice =>
      withheld({ withholding: { fiscal_period: `${today.slice(5, 7)}/${today.slice(0, 4)}`, related_party: false, supporting_documents: supports }, ...change });
    const short = (key: string): Invoice => withheld({ modified_document_type: '03', modified_document_number: numberOf(key), modified_document_issue_date: today });
    const second = 'withholding/supporting_documents/1/number';
    const other = support(valid.access_key, { document_type: '01', number: '009-001-000000001' });
    for (const [body, field] of [
      [full([other, support(refused.access_key)]), second],
      [full([other, support(refused.access_key, { authorization_number: refused.access_key })]), second],
      [full([other], { modified_document_id: refused.document_id }), 'modified_document_id'],
      [short(refused.access_key), 'modified_document_number'],
    ] as const) {
      const { status, body: answer } = await mine.call<Body>('POST', '/documents', body);
      expect([status, answer.error]).toMatchObject([409, { code: 'INVALID_STATE', detail: { reason: 'original_not_standing', field, status: 'REJECTED' } }]);
      const dry = await mine.call<{ findings: object[] }>('POST', '/documents/validate', body);
      expect(dry.body.findings).toContainEqual(expect.objectContaining({ rule: 'issuing.invalid_state', pointer: `/${field}`, actual: 'REJECTED', severity: 'error' }));
    }
    for (const body of [full([support(valid.access_key)]), short(valid.access_key)]) {
      const dry = await mine.call<{ valid: boolean }>('POST', '/documents/validate', body);
      expect(dry.body).toMatchObject({ valid: true });
    }
  });

  /** The next document is refused by the SRI at authorization. */
  async function refuseNext(mine: Business): Promise<void> {
    await fetch(`${stack.simulatorUrl}/control/faults`, {
      method: 'POST', headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ rules: [{ match: { ruc: mine.ruc, service: 'reception' }, times: 1, action: { kind: 'refuse', code: '52', at: 'authorization' } }] }),
    });
  }

  /** An invoice that the SRI refuses. */
  async function rejected(mine: Business): Promise<{ document_id: string; access_key: string }> {
    await refuseNext(mine);
    const accepted = await mine.accepted();
    expect((await mine.settled(accepted.document_id)).status).toBe('REJECTED');
    return accepted;
  }

  it.each(['its draft was changed', 'it was corrected'])('issues a drafted note that names its original by id alone after that has another day: %s', async (how) => {
    const mine = await Business.open(stack);
    const today = mine.invoice()['issue_date'] as string;
    const yesterday = new Date(Date.parse(today) - 86_400_000).toISOString().slice(0, 10);
    const isDraft = how === 'its draft was changed';
    if (!isDraft) {
      const rule = { match: { ruc: mine.ruc, service: 'reception' }, times: 1, action: { kind: 'refuse', code: '35', at: 'reception' } };
      await fetch(`${stack.simulatorUrl}/control/faults`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ rules: [rule] }) });
    }
    const original = isDraft
      ? (await mine.call<Body>('POST', '/documents/drafts', mine.invoice({ issue_date: yesterday }))).body.id
      : (await mine.accepted({ issue_date: yesterday })).document_id;
    if (!isDraft) expect((await mine.settled(original)).status).toBe('REJECTED');
    const note = await mine.call<Body>('POST', '/documents/drafts', mine.invoice({ document_type: '04', modified_document_id: original, reason: 'Devolución', payments: undefined }));
    expect([note.status, note.body['modified_document_issue_date']]).toEqual([201, null]);
    if (isDraft) expect((await mine.call('PATCH', `/documents/${original}`, { issue_date: today })).status).toBe(200);
    expect((await mine.call('POST', `/documents/${original}/${isDraft ? 'issue' : 'correct'}`, isDraft ? undefined : mine.invoice())).status).toBe(202);
    expect((await mine.settled(original)).status).toBe('AUTHORIZED');
    expect((await mine.call('POST', `/documents/${note.body.id}/issue`)).status).toBe(202);
    expect(await mine.settled(note.body.id)).toMatchObject({ status: 'AUTHORIZED', modified_document_issue_date: today });
  });

  it('debits no invoice of its own that came to nothing, named by id or by number', async () => {
    const mine = await Business.open(stack);
    const { document_id, access_key } = await rejected(mine);
    const number = `${access_key.slice(24, 27)}-${access_key.slice(27, 30)}-${access_key.slice(30, 39)}`;
    const interest: Invoice = { ...half, document_type: '05', reason: undefined, lines: [{ line_number: 1, description: 'Interés', quantity: '1', unit_price: '50.00', subtotal: '50.00', tax_rate_code: '4' }], payments: [{ line_number: 1, payment_method_code: '20', total: '57.50' }] };
    const byNumber = { modified_document_type: '01', modified_document_number: number, modified_document_issue_date: mine.invoice()['issue_date'] };
    for (const named of [{ modified_document_id: document_id }, byNumber]) {
      const answer = await mine.call<Body>('POST', '/documents', mine.invoice({ ...interest, ...named }));
      expect([answer.status, answer.body.error]).toMatchObject([409, { code: 'INVALID_STATE', detail: { status: 'REJECTED' } }]);
    }
    const elsewhere = await mine.call<Body>('POST', '/documents', mine.invoice({ ...interest, ...byNumber, modified_document_number: '009-001-000000001' }));
    expect([elsewhere.status, elsewhere.body.error]).toEqual([202, undefined]);
  });

  it('corrects a refused document under its number and key', async () => {
    const mine = await Business.open(stack);
    const { document_id, access_key } = await rejected(mine);
    const messageIn = async (language: string): Promise<unknown> =>
      (await mine.call<{ error: { message: string } }>('GET', `/documents/${document_id}`, undefined, { 'accept-language': language })).body.error.message;
    expect([await messageIn('es'), await messageIn('en')]).toEqual([expect.stringMatching(/^El SRI rechazó el documento\. Lea sri_messages;/), expect.stringMatching(/^The SRI refused the document\. Read sri_messages;/)]);
    const renumbered = await mine.call<Body>('POST', `/documents/${document_id}/correct`, mine.invoice({ numeric_code: '87654321' }));
    expect([renumbered.status, renumbered.body.error?.detail[0]?.pointer]).toEqual([400, '/numeric_code']);
    const corrected = await mine.call('POST', `/documents/${document_id}/correct`, mine.invoice({ buyer_name: 'Nombre Corregido' }), { prefer: 'wait=30' });
    expect([corrected.status, corrected.headers.get('preference-applied'), corrected.body]).toMatchObject([202, 'wait=30', { status: 'AUTHORIZED', action_taken: 'authorized', new_access_key: null }]);
    expect(await mine.settled(document_id)).toMatchObject({ status: 'AUTHORIZED', access_key, sequential: 1, buyer_name: 'Nombre Corregido', error: null });
    expect(await mine.lastNumber()).toBe(1);
    const again = await mine.call<Body>('POST', `/documents/${document_id}/correct`, mine.invoice());
    expect([again.status, again.body.error?.code]).toEqual([409, 'INVALID_STATE']);
  });

  it('prints every stage', async () => {
    const pdf = async (id: string): Promise<string> => {
      const response = await fetch(`${stack.apiUrl}/documents/${id}/ride`, { headers: { 'x-api-key': business.apiKey } });
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/pdf']);
      return Buffer.from(await response.arrayBuffer()).subarray(0, 5).toString();
    };
    expect(await pdf((await draft()).body.id)).toBe('%PDF-');
    expect(await pdf(await authorized())).toBe('%PDF-');
  });

  itWithPoppler('prints in the draft of a note what its original, named by id alone, says of itself', async () => {
    const original = await authorized();
    const number = `001-001-${String((await business.document(original)).sequential).padStart(9, '0')}`;
    const { id } = (await draft({ ...half, document_type: '04', reason: 'Devolución', payments: undefined, modified_document_id: original })).body;
    const paper = await fetch(`${stack.apiUrl}/documents/${id}/ride`, { headers: { 'x-api-key': business.apiKey } });
    expect(pageTexts(Buffer.from(await paper.arrayBuffer())).join()).toContain(number);
  });

  itWithPoppler('prints a draft with the issuer as it is, as issuing does, and what was issued with the issuer as it was', async () => {
    const mine = await Business.open(stack);
    const { id } = (await mine.call<Body>('POST', '/documents/drafts', mine.invoice({ payments: undefined }))).body;
    const paper = async (): Promise<string> => {
      const response = await fetch(`${stack.apiUrl}/documents/${id}/ride`, { headers: { 'x-api-key': mine.apiKey } });
      return pageTexts(Buffer.from(await response.arrayBuffer())).join();
    };
    const become = async (name: string, method: string): Promise<void> => {
      expect((await mine.call('PATCH', `/issuers/${mine.issuerId}`, { razon_social: name, default_payment_method: method })).status).toBe(200);
    };
    await become('Negocio Segundo', '20');
    const draftPaper = await paper();
    expect(draftPaper).toContain('Negocio Segundo');
    expect(draftPaper).toContain('20 - Otros con utilización del sistema financiero');
    expect((await mine.call('POST', `/documents/${id}/issue`)).status).toBe(202);
    await mine.settled(id);
    await become('Negocio Tercero', '01');
    expect(await paper()).toContain('Negocio Segundo');
  });

  it('shows the code tables as of a day', async () => {
    const rates = await business.call<{ items: { code: string }[] }>('GET', '/reference/iva-rates?as_of=2024-03-31');
    expect(rates.status).toBe(200);
    expect(rates.body.items.map((row) => row.code)).toContain('2');
    const today = await business.call<{ items: { code: string }[] }>('GET', '/reference/iva-rates');
    expect(today.body.items.map((row) => row.code)).not.toContain('2');
    expect((await business.call('GET', '/reference/nothing')).status).toBe(422);
    expect((await business.call('GET', '/reference/iva-rates?as_of=2024-02-30')).status).toBe(422);
    for (const { name, source, rows } of CODE_TABLES) {
      const table = await business.call<{ items: { code: string; valid_from: string | null }[] }>('GET', `/reference/${name}?as_of=2026-07-01`);
      expect([name, table.status, table.body]).toMatchObject([name, 200, { table: name, as_of: '2026-07-01', source }]);
      const inForce = rows.filter(({ from, to, awaitsDecree }) => !awaitsDecree && (from ?? '') <= '2026-07-01' && (to ?? '9999') >= '2026-07-01');
      expect(table.body.items.map(({ code }) => code)).toEqual(inForce.map(({ code }) => code));
    }
  });
});
