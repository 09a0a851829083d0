import { randomUUID } from 'node:crypto';
import { validateAs } from '../../../platform/http/validation.pipe.js';
import { DocumentCreateDto, DocumentDraftDto } from '../documents.dto.js';
import { withLineDefaults } from './catalogue-lines.js';
import { fingerprint } from './fingerprint.js';

const BODY = {
  issuer_id: randomUUID(), establishment_id: randomUUID(), emission_point_id: randomUUID(),
  document_type: '01', issue_date: '2026-08-25', numeric_code: '12345678',
  subtotal: '100.00', total_tax: '15.00', total: '115.00',
  lines: [{ line_number: 1, description: 'Servicio', quantity: '1', unit_price: '100.00', subtotal: '100.00', tax_rate_code: '4' }],
  taxes: [{ tax_code: '2', tax_rate_code: '4', taxable_base: '100.00', rate: '0.15', tax_amount: '15.00' }],
};
const of = (body: Record<string, unknown>): string => fingerprint(validateAs(DocumentCreateDto, body, 'body'));
const [LINE] = BODY.lines;

describe('fingerprint of a request', () => {
  it.each<[string, Record<string, unknown>]>([
    ['numbers and other ways to write an amount', { subtotal: 100, total_tax: '15.0', total: '115' }],
    ['a default told', { total_discount: '0.00' }],
    ['null for absent', { buyer_name: null, transport: null, lines: [{ ...LINE, main_code: null, taxes: null }] }],
    ['an empty text for null', { buyer_address: ' ' }],
    ['an empty list for absent', { payments: [], additional_info: [], lines: [{ ...LINE, additional_details: [] }] }],
    ['the idempotency key, which is not part of what is asked', { idempotency_key: 'k' }],
  ])('is the same for %s', (_name, change) => {
    expect(of({ ...BODY, ...change })).toBe(of(BODY));
  });

  it('is the same for any order of keys, at every depth', () => {
    const turned = (value: object): object => Object.fromEntries(Object.entries(value).reverse());
    expect(of({ ...turned(BODY), lines: BODY.lines.map(turned), taxes: BODY.taxes.map(turned) })).toBe(of(BODY));
  });

  it.each<[string, Record<string, unknown>]>([
    ['a field', { buyer_name: 'María' }],
    ['a line', { lines: [{ ...LINE, description: 'Otro' }] }],
    ['the order of lines', { lines: [{ ...LINE, line_number: 2 }, LINE] }],
    ['the place', { emission_point_id: randomUUID() }],
    ['the numeric code', { numeric_code: '12345679' }],
  ])('differs for %s', (_name, change) => {
    const base = { ...BODY, lines: 'lines' in change && (change['lines'] as unknown[]).length === 2 ? [LINE, { ...LINE, line_number: 2 }] : BODY.lines };
    expect(of({ ...base, ...change })).not.toBe(of(base));
  });

  it('tells a draft whose totals are left out from one that gives them', () => {
    const { subtotal: _subtotal, total_tax: _tax, total: _total, taxes: _taxes, ...open } = BODY;
    const draft = (body: object): string => fingerprint(validateAs(DocumentDraftDto, body, 'body'));
    expect(draft(open)).toBe(draft({ ...open }));
    expect(draft(open)).not.toBe(draft(BODY));
  });

  it("of a draft whose lines ask the catalogue for nothing is that of the same document, and each that asks has its own", () => {
    const draft = (line: object): string => fingerprint(withLineDefaults(validateAs(DocumentDraftDto, { ...BODY, lines: [line] }, 'body')));
    expect(draft({ ...LINE })).toBe(of(BODY));
    expect(draft({ ...LINE, discount: 0, tax_code: '2' })).toBe(of(BODY));
    const itemised = { ...LINE, tax_rate_code: undefined, taxes: BODY.taxes };
    expect(draft(itemised)).toBe(of({ ...BODY, lines: [itemised] }));
    const open = { line_number: 1, main_code: 'A', quantity: '1' };
    const asking = [open, { ...open, discount: '0.00' }, { ...open, subtotal: '1.00' }, { ...open, tax_code: '2' }, { ...open, tax_rate_code: '4' }, { ...open, description: 'x' }, { ...open, main_code: 'B' }];
    expect(new Set(asking.map(draft)).size).toBe(asking.length);
    expect(draft({ ...open, quantity: 1.0, taxes: null })).toBe(draft(open));
  });

  it('stays as it was when the interface gains an optional field', () => {
    // Stored with keys for ever: a change here turns every repetition of an older request into a 409.
    const old = { issuer_id: 'i', lines: [{ line_number: 1, quantity: '1' }], total: '1.00' };
    expect(fingerprint(old)).toBe('v1:97be2ba8541d771e5f3ffaa6e73739f23162353b2fa1f5882d3a480e5a65b463');
    expect(fingerprint({ ...old, gained: undefined, gained_list: [], lines: [{ ...old.lines[0], gained: null }] })).toBe('v1:97be2ba8541d771e5f3ffaa6e73739f23162353b2fa1f5882d3a480e5a65b463');
  });
});
