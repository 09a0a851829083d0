import { DOMParser } from '@xmldom/xmldom';
import { execFileSync, spawnSync } from 'node:child_process';
import { guayaquilDay } from '../../src/shared/guayaquil.js';
import type { IssuerSnapshot } from '../../src/sri/document-types/content.js';
import type { DocumentExample } from '../../src/sri/document-types/document-type.js';
import { documentTypes } from '../../src/sri/document-types/registry.js';
import { verifySignedDocument } from '../../src/sri/signing/self-check.js';
import { type Accepted, Business, type Invoice } from '../support/business.js';
import { issuerFields, requestOf } from '../support/example-requests.js';
import type { Answer } from '../support/http.js';
import { keepXml } from '../support/kept-xml.js';
import { type Stack, startStack } from '../support/stack.js';

type Refusal = { error: { code: string; detail: { pointer?: string; loc?: string[]; rule?: string; type?: string }[] } };
type Body = Invoice & { lines: Record<string, unknown>[] };

const CASES = documentTypes.flatMap((type) => type.examples.map((example) => [type.code, example.name, type, example] as const));
const PDFTOTEXT = spawnSync('pdftotext', ['-v']).error === undefined;
const LEAST_PDF_BYTES = 5_000;
/** Parts of a request that the record shows again. */
const ADDITIVE = ['numeric_code', 'tip', 'foreign_trade', 'reimbursements', 'third_party_charges', 'substitute_guide', 'transport', 'withholding'];

describe('every document type', () => {
  let stack: Stack;
  const today = guayaquilDay(new Date());
  const businesses = new Map<string, Promise<Business>>();
  const answers = new Map<DocumentExample, { business: Business; answer: Answer<Accepted> }>();

  /** A business whose issuer is that of the example; a RUC belongs to one, so companies have their own. */
  const businessOf = (issuer: IssuerSnapshot): Promise<Business> => {
    const name = JSON.stringify(issuer);
    const isPerson = Number(issuer.ruc[2]) < 6;
    const business = businesses.get(name) ?? Business.open(stack, { issuer: issuerFields(issuer), ...(isPerson ? { ruc: issuer.ruc } : {}) });
    businesses.set(name, business);
    return business;
  };
  const bodyOf = (business: Business, example: DocumentExample): Body => ({
    ...(requestOf(example, today) as Body),
    issuer_id: business.issuerId, establishment_id: business.establishmentId, emission_point_id: business.emissionPointId,
  });
  const exampleOf = (code: string, name: string): DocumentExample => CASES.find((one) => one[0] === code && one[1] === name)![3];
  const request = async (code: string, name: string): Promise<{ business: Business; body: Body }> => {
    const example = exampleOf(code, name);
    const business = await businessOf(example.issuer);
    return { business, body: bodyOf(business, example) };
  };
  const numbers = (business: Business): Promise<unknown[]> =>
    stack.database.query('select document_type, last_value from sequence_counters where tenant_id = $1 order by 1', [business.tenantId]);

  beforeAll(async () => {
    // One of the examples credits an invoice of March 2024.
    stack = await startStack({ env: { PROVIDER_RUC: '0990012348001', CREDIT_NOTE_MAX_AGE_MONTHS: '240' } });
    await Promise.all(
      CASES.map(async ([, , , example]) => {
        const business = await businessOf(example.issuer);
        answers.set(example, { business, answer: await business.call<Accepted>('POST', '/documents', bodyOf(business, example)) });
      }),
    );
  }, 180_000);
  afterAll(() => stack.stop());

  it.each(CASES)('%s %s: from POST to AUTHORIZED, with XML and RIDE', async (code, name, type, example) => {
    const { business, answer } = answers.get(example)!;
    expect([answer.status, answer.body]).toEqual([
      202, { document_id: expect.any(String), status: 'NUMBER_RESERVED', access_key: expect.stringMatching(/^\d{49}$/) },
    ]);
    const { document_id, access_key } = answer.body;
    const document = await business.settled(document_id);
    expect(document).toMatchObject({
      status: 'AUTHORIZED', document_type: code, authorization_number: access_key, error: null, total: example.content.total, issue_date: today,
    });
    // Aliases of identification types come back as codes.
    const sent = JSON.parse(JSON.stringify(bodyOf(business, example)).replaceAll('"CEDULA"', '"05"')) as Record<string, unknown>;
    for (const part of ADDITIVE) if (sent[part] !== undefined) expect({ [part]: document[part] }).toMatchObject({ [part]: sent[part] });

    const authorized = (await business.call<string>('GET', `/documents/${document_id}/xml?kind=authorized`)).body;
    expect(textOf(authorized, 'numeroAutorizacion')).toBe(access_key);
    const signed = (await business.call<string>('GET', `/documents/${document_id}/xml?kind=signed`)).body;
    expect(textOf(authorized, 'comprobante')).toBe(signed);
    expect(signed).toContain(`<${type.rootElement} id="comprobante" version="${type.version(example.content)}">`);
    expect(verifySignedDocument(Buffer.from(signed)).valid).toBe(true);
    keepXml(`type-${code}-${name}`, signed);

    const ride = await fetch(`${stack.apiUrl}/documents/${document_id}/ride`, { headers: { 'x-api-key': business.apiKey } });
    expect([ride.status, ride.headers.get('content-type')]).toEqual([200, 'application/pdf']);
    const pdf = Buffer.from(await ride.arrayBuffer());
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
    expect(pdf.length).toBeGreaterThan(LEAST_PDF_BYTES);
    if (PDFTOTEXT) {
      const text = execFileSync('pdftotext', ['-', '-'], { input: pdf, encoding: 'utf8' });
      expect(text.replace(/\s/g, '')).toContain(access_key);
    }
  });

  it.each<readonly [string, string, (body: Body) => object, number, string]>([
    ['01', 'export', (body) => ({ foreign_trade: { ...(body['foreign_trade'] as object), origin_country: 'EC' } }), 400, '/foreign_trade/origin_country'],
    ['01', 'export', (body) => ({ foreign_trade: { ...(body['foreign_trade'] as object), freight: '-1' } }), 422, '/foreign_trade/freight'],
    ['01', 'third-party-charges', () => ({ third_party_charges: [{ concept: 'Tasa', total: '1.00' }] }), 400, '/total'],
    ['01', 'substitute-guide', (body) => ({ substitute_guide: { ...(body['substitute_guide'] as object), end_date: '2020-01-01' } }), 400, '/substitute_guide/end_date'],
    ['01', 'substitute-guide', () => ({ transport: null, withholding: { fiscal_period: '13/2026' } }), 400, '/withholding/supporting_documents'],
    ['01', 'reimbursement', (body) => ({ reimbursements: [{ ...(body['reimbursements'] as object[])[0], supplier_country: '5A3' }] }), 400, '/reimbursements/0/supplier_country'],
    ['03', 'service', () => ({ buyer_id_type: 'CONSUMIDOR_FINAL', buyer_id: '9999999999999' }), 400, '/buyer_id_type'],
    ['03', 'service', () => ({ reimbursements: [{ supplier_type: '03' }] }), 400, '/reimbursements/0/supplier_type'],
    ['04', 'return', () => ({ modified_document_number: '1-2-3' }), 400, '/modified_document_number'],
    ['04', 'return', () => ({ reason: null }), 400, '/reason'],
    ['05', 'interest', (body) => ({ lines: [{ ...body.lines[0], quantity: '2', unit_price: '5' }] }), 400, '/lines/0/quantity'],
    ['06', 'one-consignee', () => ({ transport: null }), 400, '/transport'],
    ['06', 'one-consignee', () => ({ buyer_address: null }), 400, '/buyer_address'],
    ['06', 'one-consignee', (body) => ({ transport: { ...(body['transport'] as object), plate: '' } }), 422, '/transport/plate'],
    ['06', 'one-consignee', (body) => ({ transport: { ...(body['transport'] as object), end_date: '2020-01-01' } }), 400, '/transport/end_date'],
    ['06', 'several-consignees', (body) => ({ lines: body.lines.slice(0, 2) }), 400, '/transport/destinations/0/line_numbers/1'],
    ['06', 'several-consignees', (body) => withDestination(body, { line_numbers: [1, '3'] }), 422, '/transport/destinations/0/line_numbers'],
    ['07', 'short', () => ({ modified_document_number: null }), 400, '/modified_document_number'],
    ['07', 'full', (body) => withSupport(body, { country: '593' }), 400, '/withholding/supporting_documents/0/country'],
    ['07', 'full', (body) => withSupport(body, { treaty: 'no' }), 422, '/withholding/supporting_documents/0/treaty'],
    ['07', 'full', () => ({ total: '64.99' }), 400, '/total'],
  ])('%s %s: a wrong field is named and costs no number (%#)', async (code, name, change, status, pointer) => {
    const { business, body } = await request(code, name);
    const before = await numbers(business);
    const answer = await business.call<Refusal>('POST', '/documents', { ...body, ...change(body) });
    const places = answer.body.error.detail.map((finding) => finding.pointer ?? `/${finding.loc!.slice(1).join('/')}`);
    expect([answer.status, places]).toEqual([status, expect.arrayContaining([pointer])]);
    expect(await numbers(business)).toEqual(before);
  });

  it.each([
    ['01', 'several-taxes'],
    ['01', 'export'],
    ['03', 'full'],
    ['04', 'full'],
    ['05', 'full'],
    ['06', 'several-consignees'],
    ['07', 'several-documents'],
  ])('%s %s: totals are computed from the lines for drafts and dry runs alone', async (code, name) => {
    const { business, body } = await request(code, name);
    const { subtotal, total_tax, total, taxes, total_discount, payments: _payments, ...linesOnly } = body;
    const told = { subtotal, total_discount, total_tax, total };
    const dryRun = await business.call<{ valid: boolean; totals: { taxes: object[] } }>('POST', '/documents/validate', linesOnly);
    expect([dryRun.status, dryRun.body]).toMatchObject([200, { valid: true, totals: told }]);
    const group = (tax: Record<string, unknown>) => [tax['tax_code'], tax['tax_rate_code'], tax['taxable_base'], tax['tax_amount']].join(' ');
    expect((dryRun.body.totals.taxes as Record<string, unknown>[]).map(group).sort()).toEqual((taxes as Record<string, unknown>[]).map(group).sort());

    const draft = await business.call<{ id: string }>('POST', '/documents/drafts', linesOnly);
    expect([draft.status, draft.body]).toMatchObject([201, { ...told, status: 'DRAFT', document_type: code }]);
    expect((await business.call('POST', `/documents/${draft.body.id}/issue`)).status).toBe(202);
    expect(await business.settled(draft.body.id)).toMatchObject({ ...told, status: 'AUTHORIZED' });

    for (const path of ['/documents/drafts', '/documents/validate']) {
      const partial = await business.call<Refusal>('POST', path, { ...linesOnly, total });
      const named = partial.body.error.detail.map(({ loc, type }) => [loc, type]);
      expect([partial.status, named]).toEqual([400, ['subtotal', 'total_tax', 'taxes'].map((field) => [['body', field], 'missing'])]);
    }
    expect((await business.call('POST', '/documents', linesOnly)).status).toBe(400);
  });

  it('keeps a discount that was told, to be checked, when it computes the rest', async () => {
    const { business, body } = await request('03', 'full');
    const { subtotal: _subtotal, total_tax: _tax, total: _total, taxes: _taxes, payments: _payments, ...linesOnly } = body;
    const answer = await business.call<{ findings: { pointer: string }[] }>('POST', '/documents/validate', { ...linesOnly, total_discount: '9.00' });
    expect(answer.body.findings.map(({ pointer }) => pointer)).toContain('/total_discount');
  });

  it('07 short: asks for what is withheld, which no line tells', async () => {
    const { business, body } = await request('07', 'short');
    const { subtotal: _subtotal, total_tax: _tax, total: _total, taxes, ...linesOnly } = body;
    const answer = await business.call<Refusal>('POST', '/documents/drafts', linesOnly);
    expect([answer.status, answer.body.error.detail.map(({ loc }) => loc!.at(-1))]).toEqual([400, ['subtotal', 'total_tax', 'total', 'taxes']]);
    const draft = await business.call<{ id: string }>('POST', '/documents/drafts', body);
    const patched = await business.call('PATCH', `/documents/${draft.body.id}`, { lines: [{ ...body.lines[0], description: 'Otra compra' }] });
    expect([patched.status, patched.body]).toMatchObject([200, { total: body['total'], taxes }]);
  });

  it('computes the summary of a withholding anew when its documents change', async () => {
    const { business, body } = await request('07', 'full');
    const draft = await business.call<{ id: string }>('POST', '/documents/drafts', body);
    const { withholding } = withSupport(body, { withholdings: [{ tax_code: '1', withholding_code: '312', taxable_base: '1000.00', rate: 2, amount: 20 }] });
    const patched = await business.call('PATCH', `/documents/${draft.body.id}`, { withholding });
    expect([patched.status, patched.body]).toMatchObject([200, { total: '20.00', total_tax: '20.00', taxes: [{ tax_rate_code: '312', tax_amount: '20.00' }] }]);
    // Without its documents it is a short one, whose taxes nothing tells anew: they stay as they were.
    const cleared = await business.call('PATCH', `/documents/${draft.body.id}`, { withholding: null });
    expect([cleared.status, cleared.body]).toMatchObject([200, { withholding: null, total: '20.00', taxes: [{ tax_rate_code: '312', tax_amount: '20.00' }] }]);
    expect((await business.call('PATCH', `/documents/${draft.body.id}`, { withholding: null, buyer_name: 'Otra Persona' })).body).toMatchObject({ total: '20.00' });
  });

  it('07 full: takes a purchase from abroad with a tip, excise above 100 % and an IVA of rounded lines', async () => {
    const { business, body } = await request('07', 'full');
    const [income, iva] = body['taxes'] as [object, object];
    const [first, second] = (body['withholding'] as { supporting_documents: { withholdings: [object, object] }[] }).supporting_documents[0]!.withholdings;
    const changed = withSupport({ ...body, buyer_id_type: 'EXTERIOR', buyer_id: 'Ñ-12_3 & <4>' }, {
      taxes: [
        { tax_code: '2', tax_rate_code: '4', taxable_base: '1150.00', tariff: '15.00', tax_amount: '172.52' },
        { tax_code: '3', tax_rate_code: '3023', taxable_base: '100.00', tariff: '150.00', tax_amount: '150.00' },
      ],
      withholdings: [first, { ...second, taxable_base: '172.52', amount: '51.76' }],
      total: '1422.52', payments: [{ payment_method_code: '20', total: '1422.52' }],
    });
    const sent = {
      ...changed, withholding: { ...(changed['withholding'] as object), subject_type: '01' },
      taxes: [income, { ...iva, taxable_base: '172.52', tax_amount: '51.76' }], total_tax: '71.76', total: '71.76',
    };
    const dryRun = await business.call<{ valid: boolean; findings: { rule: string; severity: string }[] }>('POST', '/documents/validate', sent);
    expect(dryRun.body).toMatchObject({ valid: true, findings: ['tax.amount_of_lines', 'withholding.document_total'].map((rule) => ({ rule, severity: 'warning' })) });
    const issued = await business.call<Accepted>('POST', '/documents', sent);
    expect(await business.settled(issued.body.document_id)).toMatchObject({ status: 'AUTHORIZED', buyer_id: 'Ñ-12_3 & <4>', total: '71.76' });
    const signed = (await business.call<string>('GET', `/documents/${issued.body.document_id}/xml?kind=signed`)).body;
    expect([textOf(signed, 'importeTotal'), textOf(signed, 'identificacionSujetoRetenido')]).toEqual(['1422.52', 'Ñ-12_3 & <4>']);
    keepXml('type-07-purchase-with-tip', signed);
    const ride = await fetch(`${stack.apiUrl}/documents/${issued.body.document_id}/ride`, { headers: { 'x-api-key': business.apiKey } });
    expect([ride.status, ride.headers.get('content-type')]).toEqual([200, 'application/pdf']);
  });

  it.each(['short', 'full'])('07 %s: tells of another withholding from the same document and subject', async (name) => {
    const { business, body } = await request('07', name);
    const { answer } = answers.get(exampleOf('07', name))!;
    const key = answer.body.access_key;
    const certificate = `${key.slice(24, 27)}-${key.slice(27, 30)}-${key.slice(30, 39)}`;
    const numbered = (number: string): Body => (name === 'short' ? { ...body, modified_document_number: number } : withSupport(body, { number }));
    const told = async (asked: Body): Promise<unknown> => {
      const { body: { findings } } = await business.call<{ findings: { rule: string }[] }>('POST', '/documents/validate', asked);
      return findings.filter(({ rule }) => rule === 'withholding.support_withheld');
    };
    const pointer = name === 'short' ? '/modified_document_number' : '/withholding/supporting_documents/0/number';
    expect(await told(body)).toMatchObject([{ pointer, severity: 'warning', actual: certificate }]);
    expect(await told({ ...body, buyer_id_type: '04', buyer_id: '1790012345001' })).toEqual([]);
    // A draft withholds nothing.
    const another = numbered('009-009-000000009');
    expect((await business.call('POST', '/documents/drafts', another)).status).toBe(201);
    expect(await told(another)).toEqual([]);
    const again = await business.call<Accepted>('POST', '/documents', body);
    expect((await business.document(again.body.document_id))['warnings']).toMatchObject(expect.arrayContaining([expect.objectContaining({ rule: 'withholding.support_withheld', actual: certificate })]));
  });

  it('refuses unknown names inside the additive fields', async () => {
    const { business, body } = await request('06', 'several-consignees');
    const transport = { ...(body['transport'] as Record<string, unknown>), placa: 'PBA1234' };
    const answer = await business.call<Refusal>('POST', '/documents', { ...body, transport });
    expect([answer.status, answer.body.error.detail]).toMatchObject([422, [{ loc: ['body', 'transport', 'placa'], type: 'extra_forbidden' }]]);
  });

  it('sees the same request in another order of fields', async () => {
    const { business, body } = await request('07', 'several-documents');
    const first = await business.call('POST', '/documents', body, { 'idempotency-key': 'order' });
    const again = await business.call('POST', '/documents', reversed(body), { 'idempotency-key': 'order' });
    expect([first.status, again.status, again.body]).toEqual([202, 202, first.body]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const treaty = await business.call('POST', '/documents', withSupport(body, { accounting_date: null }), { 'idempotency-key': 'order' });
    expect(treaty.status).toBe(409);
  });
});

const textOf = (xml: string, element: string): string | null =>
  new DOMParser().parseFromString(xml, 'text/xml').getElementsByTagName(element)[0]?.textContent ?? null;

const withDestination = (body: Body, change: object): Body => {
  const transport = body['transport'] as { destinations: object[] };
  const [first, ...others] = transport.destinations;
  return { ...body, transport: { ...transport, destinations: [{ ...first, ...change }, ...others] } };
};

const withSupport = (body: Body, change: object): Body => {
  const withholding = body['withholding'] as { supporting_documents: object[] };
  const [first, ...others] = withholding.supporting_documents;
  return { ...body, withholding: { ...withholding, supporting_documents: [{ ...first, ...change }, ...others] } };
};

/** The same JSON with the fields of every object in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).reverse().map(([name, inner]) => [name, reversed(inner)]));
}
