import { allows, DOCUMENT_STATUSES, type DocumentStatus } from '../../../src/modules/documents/domain/lifecycle.js';
import { guayaquilDay } from '../../../src/shared/guayaquil.js';
import { type BadInput, refuses } from '../../support/bad-input.js';
import { Business, type Invoice } from '../../support/business.js';
import type { RunningStack } from '../../support/stack.js';

const INVALID = [422, 'VALIDATION_FAILED'] as const;
const BROKEN = [400, 'FISCAL_RULE_VIOLATED'] as const;

const item = (change: Invoice = {}): Invoice => ({ line_number: 1, description: 'Servicio', quantity: '1', unit_price: '100.00', subtotal: '100.00', tax_rate_code: '4', ...change });
const tax = (change: Invoice = {}): Invoice => ({ tax_code: '2', tax_rate_code: '4', taxable_base: '100.00', rate: '0.15', tax_amount: '15.00', ...change });
const paid = (change: Invoice): Invoice => ({ payments: [{ line_number: 1, payment_method_code: '20', total: '115.00', ...change }] });
const FINAL_CONSUMER = { buyer_id_type: '07', buyer_id: '9999999999999', buyer_name: 'CONSUMIDOR FINAL' };
const SMALL = { subtotal: '10.00', total_tax: '1.50', total: '11.50', lines: [item({ unit_price: '10.00', subtotal: '10.00' })], taxes: [tax({ taxable_base: '10.00', tax_amount: '1.50' })], payments: [{ line_number: 1, payment_method_code: '20', total: '11.50' }] };
const CREDIT: Invoice = { document_type: '04', reason: 'Devolución', payments: undefined, modified_document_type: '01', modified_document_number: '001-001-000000077', modified_document_issue_date: guayaquilDay(new Date()) };

const broken = (name: string, change: Invoice, at: string, because: string): BadInput => ({ name, change, refused: BROKEN, at, because });
const invalid = (name: string, change: Invoice, at: string, because: string): BadInput => ({ name, change, refused: INVALID, at, because });

export const fiscalCases = (running: () => RunningStack): void => describe('fiscal rules', () => {
  let stack: RunningStack;
  beforeAll(() => {
    stack = running();
  });

  refuses('sums', () => stack, [
    broken('B50 a total one cent above', { total: '115.01' }, '/total', 'totals.total'),
    broken('B50 a total one cent below', { total: '114.99' }, '/total', 'totals.total'),
    broken('B51 a line one cent off', { lines: [item({ subtotal: '100.01' })] }, '/lines/0/subtotal', 'line.subtotal'),
    broken('B51 a line whose discount is left out', { lines: [item({ discount: '1.00' })] }, '/lines/0/subtotal', 'line.subtotal'),
    broken('B52 a tax two cents off', { taxes: [tax({ tax_amount: '15.02' })], total_tax: '15.02', total: '115.02', ...paid({ total: '115.02' }) }, '/taxes/0/tax_amount', 'taxes.amount'),
    broken('B53 lines that are not the subtotal', { subtotal: '99.00', total: '114.00' }, '/subtotal', 'totals.subtotal'),
    broken('B53 taxes that are not their sum', { total_tax: '14.00', total: '114.00' }, '/total_tax', 'totals.total_tax'),
    broken('B53 discounts that are not their sum', { total_discount: '1.00' }, '/total_discount', 'totals.total_discount'),
    broken('B53 payments that are not the total', paid({ total: '114.99' }), '/payments', 'payments.sum'),
    broken('B53 a base that is not its lines', { taxes: [tax({ taxable_base: '90.00', tax_amount: '13.50' })], total_tax: '13.50', total: '113.50', ...paid({ total: '113.50' }) }, '/taxes/0/taxable_base', 'taxes.base'),
    broken('B54 a discount above the line', { lines: [item({ discount: '100.01', subtotal: '0.00' })], total_discount: '100.01' }, '/lines/0/discount', 'line.discount'),
    broken('B55 a tax without a line', { taxes: [tax(), tax({ tax_rate_code: '0', taxable_base: '0.00', rate: '0', tax_amount: '0.00' })] }, '/taxes/1', 'taxes.without_line'),
    broken('B55 a line without its tax', { taxes: [tax({ tax_rate_code: '0', rate: '0', tax_amount: '0.00' })] }, '/taxes', 'taxes.missing'),
    broken('B56 a tax given twice', { taxes: [tax(), tax()] }, '/taxes/1', 'taxes.repeated'),
    broken('B57 a rate that is not its code’s', { taxes: [tax({ rate: '0.12', tax_amount: '12.00' })], total_tax: '12.00', total: '112.00' }, '/taxes/0/rate', 'tax.rate'),
    broken('B58 a rate code of years ago', { lines: [item({ tax_rate_code: '2' })], taxes: [tax({ tax_rate_code: '2', rate: '0.12', tax_amount: '12.00' })], total_tax: '12.00', total: '112.00' }, '/taxes/0/tax_rate_code', 'tax.rate_code_not_in_force'),
  ]);

  refuses('codes', () => stack, [
    broken('B60 an unknown tax', { lines: [item({ tax_code: '9' })], taxes: [tax({ tax_code: '9' })] }, '/taxes/0/tax_code', 'tax.code'),
    broken('B60 an unknown rate', { lines: [item({ tax_rate_code: '99' })], taxes: [tax({ tax_rate_code: '99' })] }, '/taxes/0/tax_rate_code', 'tax.rate_code'),
    broken('B60 an unknown payment method', paid({ payment_method_code: '99' }), '/payments/0/payment_method_code', 'payments.method'),
    invalid('B60 a payment method of one digit', paid({ payment_method_code: '1' }), '/payments/0/payment_method_code', 'string_too_short'),
    broken('B60 an unknown identification', { buyer_id_type: '99' }, '/buyer_id_type', 'buyer.id_type'),
    broken('B60 an identification in lower case', { buyer_id_type: 'ruc' }, '/buyer_id_type', 'buyer.id_type'),
    broken('B60 an identification named like a property of all objects', { buyer_id_type: 'toString' }, '/buyer_id_type', 'buyer.id_type'),
    broken('B62 a final consumer above the cap', FINAL_CONSUMER, '/total', 'invoice.final_consumer_limit'),
    broken('B62 a final consumer with a name', { ...SMALL, ...FINAL_CONSUMER, buyer_name: 'María' }, '/buyer_name', 'buyer.final_consumer_name'),
    broken('B62 a final consumer with another id', { ...SMALL, ...FINAL_CONSUMER, buyer_id: '1710034065' }, '/buyer_id', 'buyer.final_consumer_id'),
    broken('B62 the id of the final consumer under another type', { buyer_id_type: '06', buyer_id: '9999999999999' }, '/buyer_id_type', 'buyer.final_consumer_id'),
    broken('B62 a credit note to a final consumer', { ...SMALL, ...CREDIT, ...FINAL_CONSUMER }, '/buyer_id_type', 'buyer.final_consumer_banned'),
    ...['9910034065', '171003406', '17100340655', '17 10034065', '171003406-5', '171003406X', '٠٧١٠٠٣٤٠٦٥'].map((id) => broken(`B63 the cédula ${id}`, { buyer_id: id }, '/buyer_id', 'buyer.cedula')),
    ...['9990012345001', '1790012345000', '179001234500', '1790012345001 1', '179-0012345001', '179001234500A'].map((id) =>
      broken(`B63 the RUC ${id}`, { buyer_id_type: '04', buyer_id: id }, '/buyer_id', 'buyer.ruc'),
    ),
    invalid('B64 a passport of 21 characters', { buyer_id_type: '06', buyer_id: 'A'.repeat(21) }, '/buyer_id', 'string_too_long'),
    broken('B65 an identification without type', { buyer_id_type: null }, '/buyer_id_type', 'buyer.incomplete'),
    broken('B65 a type without identification', { buyer_id: null }, '/buyer_id', 'buyer.incomplete'),
    broken('B65 an identification without name', { buyer_name: null }, '/buyer_name', 'buyer.incomplete'),
    broken('B66 a credit note of nothing', { ...CREDIT, modified_document_number: null }, '/modified_document_number', 'modified_document.missing'),
    broken('B66 a credit note of no number', { ...CREDIT, modified_document_number: '001001000000077' }, '/modified_document_number', 'modified_document.number'),
    {
      name: 'B66 a credit note of a document of tomorrow', refused: BROKEN, at: '/modified_document_issue_date', because: 'modified_document.date',
      change: () => ({ ...CREDIT, modified_document_issue_date: guayaquilDay(new Date(Date.now() + 86_400_000)) }),
    },
    broken('B66 a credit note without reason', { ...CREDIT, reason: null }, '/reason', 'note.reason'),
    ...['02', '08', '1', 1, ' 01', '01 ', 'O1', ['01'], { code: '01' }, null, '', '０１'].map((document_type) => invalid(`B68 the type ${JSON.stringify(document_type)}`, { document_type }, '/document_type', 'enum')),
    broken('B69 a trip on an invoice', { transport: { origin_address: 'Quito', carrier: { id_type: '04', id: '1790012345001', name: 'Cía' }, start_date: guayaquilDay(new Date()), end_date: guayaquilDay(new Date()), plate: 'PAA1234' } }, '/transport', 'document.field_of_other_type'),
    broken('B69 the plate of a sold vehicle on a guide', { document_type: '06', vehicle_plate: 'PBA1234' }, '/vehicle_plate', 'document.field_of_other_type'),
    broken('B69 a tip on a credit note', { ...CREDIT, tip: '1.00' }, '/tip', 'document.field_of_other_type'),
  ]);

  refuses('lists of lines', () => stack, [
    invalid('B70 none', { lines: [] }, '/lines', 'too_short'),
    invalid('B70 an object', { lines: {} }, '/lines', 'list_type'),
    invalid('B70 an object with a length', { lines: { length: 1, 0: item() } }, '/lines', 'list_type'),
    invalid('B70 a text', { lines: 'x' }, '/lines', 'list_type'),
    invalid('B70 null', { lines: null }, '/lines', 'list_type'),
    invalid('B70 null for a line', { lines: [null] }, '/lines/0', 'object_type'),
    invalid('B70 a list for a line', { lines: [[item()]] }, '/lines/0', 'object_type'),
    invalid('B70 a text for a line', { lines: ['x'] }, '/lines/0', 'object_type'),
    invalid('B70 2,001', { lines: Array.from({ length: 2_001 }, () => ({})) }, '/lines', 'too_long'),
    invalid('B70 100,000', { lines: Array.from({ length: 100_000 }, () => 0) }, '/lines', 'too_long'),
    invalid('B61 payments that are none', { payments: null }, '/payments', 'list_type'),
    {
      name: 'B71 a document larger than the SRI takes', refused: BROKEN, at: '', because: 'document.size',
      change: () => manyLines(700, 'x'.repeat(300)),
    },
  ]);

  /** An invoice of so many lines of 10.00. */
  const manyLines = (count: number, description: string): Invoice => {
    const [subtotal, amount, total] = [count * 1_000, count * 150, count * 1_150].map((cents) => (cents / 100).toFixed(2));
    return {
      subtotal, total_tax: amount, total, taxes: [tax({ taxable_base: subtotal, tax_amount: amount })], ...paid({ total }),
      lines: Array.from({ length: count }, (_, i) => item({ line_number: i + 1, description, unit_price: '10.00', subtotal: '10.00' })),
    };
  };

  describe('take by one rule', () => {
    let business: Business;
    beforeAll(async () => {
      business = await Business.open(stack);
    });
    type Looked = { valid: boolean; findings: { rule: string; severity: string }[] };
    const looked = async (change: Invoice): Promise<Looked> => (await business.call<Looked>('POST', '/documents/validate', business.invoice(change))).body;

    it('B59 a document of nothing', async () => {
      const nothing = { subtotal: '0.00', total_tax: '0.00', total: '0.00', lines: [item({ unit_price: '0.00', subtotal: '0.00' })], taxes: [tax({ taxable_base: '0.00', tax_amount: '0.00' })], ...paid({ total: '0.00' }) };
      expect((await looked(nothing)).valid).toBe(true);
    });

    it('B52 a cent of rounding in a tax', async () => {
      expect((await looked({ taxes: [tax({ tax_amount: '15.01' })], total_tax: '15.01', total: '115.01', ...paid({ total: '115.01' }) })).valid).toBe(true);
    });

    it('B64 a passport as its country writes it', async () => {
      expect((await looked({ buyer_id_type: '06', buyer_id: 'ab#12.3/4 $' })).valid).toBe(true);
    });

    it('B61 no payments: the issuer’s usual one, with a warning', async () => {
      const { valid, findings } = await looked({ payments: undefined });
      expect([valid, findings.filter(({ rule }) => rule === 'payments.defaulted').map(({ severity }) => severity)]).toEqual([true, ['warning']]);
    });

    // The SRI itself only warns of the check digit of whoever buys (message 62).
    it.each([['a company’s RUC', '04', '1790012346001'], ['a person’s RUC with third digit 7', '04', '1770012345001'], ['a cédula', '05', '1710034064']])('B63 %s with another check digit, with a warning', async (_name, buyer_id_type, buyer_id) => {
      const { valid, findings } = await looked({ buyer_id_type, buyer_id });
      expect([valid, findings.map(({ rule, severity }) => `${rule} ${severity}`)]).toEqual([true, expect.arrayContaining(['buyer.check_digit warning'])]);
    });

    it('B60 the names that stand for codes', async () => {
      expect((await looked({ buyer_id_type: 'CEDULA' })).valid).toBe(true);
    });

    it('B70 1,500 lines', async () => {
      expect((await business.issue(manyLines(600, 'x'))).status).toBe(202);
    });
  });

  describe('B67 a credit note of one’s own document', () => {
    let business: Business;
    let original: string;
    beforeAll(async () => {
      business = await Business.open(stack);
      original = (await business.accepted()).document_id;
    });
    const credit = async (): Promise<unknown[]> => {
      const { lines, taxes, subtotal, total_tax, total } = business.invoice();
      const answer = await business.call<{ error?: { code: string; detail: { rule?: string }[] | null } }>('POST', `/documents/${original}/credit-note`, { reason: 'x', lines, taxes, subtotal, total_tax, total });
      return [answer.status, answer.body.error?.code, Array.isArray(answer.body.error?.detail) ? answer.body.error.detail[0]?.rule : undefined];
    };
    /** On the earliest day whose twelve months are not over (on 29 February that is 1 March), or so many days before it. */
    const issuedTwelveMonthsAgo = async (daysMore = 0): Promise<void> => {
      const [row] = await stack.database.query<{ day: string }>(
        `select to_char(min(d) - $2::integer, 'YYYY-MM-DD') as day from generate_series($1::date - 400, $1::date, interval '1 day') t, date(t) d where d + interval '12 months' >= $1::date`,
        [guayaquilDay(new Date()), daysMore]);
      await stack.database.query('update documents set issue_date = $2 where id = $1', [original, row?.day]);
      await stack.database.query(`update document_contents set content = jsonb_set(content, '{issueDate}', to_jsonb($2::text)) where document_id = $1`, [original, row?.day]);
    };

    const put = (status: DocumentStatus): Promise<unknown> =>
      stack.database.query(
        `do $$ begin
           alter table documents disable trigger guard_document;
           update documents set status = '${status}' where id = '${original}';
           alter table documents enable trigger guard_document;
         end $$`,
      );

    it.each(DOCUMENT_STATUSES.filter((status) => !allows(status, 'credit')))('B67 that is %s is refused', async (status) => {
      await put(status);
      expect(await credit()).toEqual([409, 'INVALID_STATE', undefined]);
    });

    it('B67 that is more than twelve months old is refused', async () => {
      await put('AUTHORIZED');
      await issuedTwelveMonthsAgo(1);
      expect(await credit()).toEqual([400, 'FISCAL_RULE_VIOLATED', 'credit.too_old']);
    });

    it('B67 that is exactly twelve months old is taken', async () => {
      await issuedTwelveMonthsAgo();
      expect(await credit()).toEqual([201, undefined, undefined]);
    });
  });
});
