import { type BadInput, refuses } from '../../support/bad-input.js';
import { Business, type Invoice } from '../../support/business.js';
import type { RunningStack } from '../../support/stack.js';

const INVALID = [422, 'VALIDATION_FAILED'] as const;

const line = (change: Invoice): Invoice => ({
  lines: [{ line_number: 1, description: 'Servicio', quantity: '1', unit_price: '100.00', subtotal: '100.00', tax_rate_code: '4', ...change }],
});
const tax = (change: Invoice): Invoice => ({ taxes: [{ tax_code: '2', tax_rate_code: '4', taxable_base: '100.00', rate: '0.15', tax_amount: '15.00', ...change }] });
const payment = (change: Invoice): Invoice => ({ payments: [{ line_number: 1, payment_method_code: '20', total: '115.00', ...change }] });
/** The invoice's total as a JSON text of its own. */
const total = (source: string) => (json: string): string => json.replace('"total":"115.00","buyer_id_type"', `"total":${source},"buyer_id_type"`);

const amount = (name: string, value: unknown, because: string): BadInput => ({ name, change: { total: value }, refused: INVALID, at: '/total', because });

export const numberCases = (running: () => RunningStack): void => describe('numbers', () => {
  let stack: RunningStack;
  beforeAll(() => {
    stack = running();
  });

  refuses('amounts', () => stack, [
    amount('B31 an exponent in a text', '1e3', 'decimal_parsing'),
    amount('B31 a negative exponent in a text', '1E-2', 'decimal_parsing'),
    { name: 'B31 a number that prints with an exponent', rewrite: total('1e-7'), refused: INVALID, at: '/total', because: 'decimal_parsing' },
    { name: 'B31 a number of 22 digits by exponent', rewrite: total('1e21'), refused: INVALID, at: '/total', because: 'decimal_parsing' },
    { name: 'B32 minus zero', rewrite: total('-0'), refused: INVALID, at: '/total', because: 'greater_than_equal' },
    { name: 'B32 minus zero with decimals', rewrite: total('-0.00'), refused: INVALID, at: '/total', because: 'greater_than_equal' },
    amount('B32 minus zero as a text', '-0.00', 'greater_than_equal'),
    amount('B32 minus a cent', -0.01, 'greater_than_equal'),
    amount('B32 minus one as a text', '-1', 'greater_than_equal'),
    { name: 'B34 NaN', rewrite: total('NaN'), refused: [400, 'MALFORMED_REQUEST'] },
    { name: 'B34 Infinity', rewrite: total('-Infinity'), refused: [400, 'MALFORMED_REQUEST'] },
    amount('B34 NaN as a text', 'NaN', 'decimal_parsing'),
    amount('B34 Infinity as a text', 'Infinity', 'decimal_parsing'),
    amount('B35 three decimals', '1.005', 'decimal_max_places'),
    amount('B35 a third decimal that is zero', '115.000', 'decimal_max_places'),
    { name: 'B35 seven decimals of a quantity', change: line({ quantity: '0.1234567' }), refused: INVALID, at: '/lines/0/quantity', because: 'decimal_max_places' },
    amount('B36 the sum of 0.1 and 0.2', 0.1 + 0.2, 'decimal_max_digits'),
    { name: 'B36 1.005 as a number', rewrite: total('1.005'), refused: INVALID, at: '/total', because: 'decimal_max_places' },
    amount('B37 a decimal comma', '1,00', 'decimal_parsing'),
    amount('B37 points and a comma', '1.234,56', 'decimal_parsing'),
    amount('B37 a space between digits', '1 000', 'decimal_parsing'),
    amount('B37 an underscore between digits', '1_000', 'decimal_parsing'),
    amount('B38 an Arabic digit', '٣', 'decimal_parsing'),
    amount('B38 a wide digit', '１', 'decimal_parsing'),
    amount('B38 a Roman numeral', 'Ⅳ', 'decimal_parsing'),
    amount('B38 a thin space', '1\u2009000', 'decimal_parsing'),
    amount('B38 a right-to-left mark', '115\u200f.00', 'decimal_parsing'),
    amount('B39 an empty text', '', 'decimal_parsing'),
    amount('B39 a space', ' ', 'decimal_parsing'),
    amount('B39 spaces around', ' 115.00 ', 'decimal_parsing'),
    amount('B39 no digit before the point', '.5', 'decimal_parsing'),
    amount('B39 no digit after the point', '5.', 'decimal_parsing'),
    amount('B39 leading zeros', '00115.00', 'decimal_parsing'),
    amount('B39 hexadecimal', '0x73', 'decimal_parsing'),
    amount('B39 a line break at the end', '115.00\n', 'decimal_parsing'),
    amount('B40 a thousand digits', '9'.repeat(1_000), 'decimal_parsing'),
    { name: 'B40 beyond a double', rewrite: total('1e400'), refused: INVALID, at: '/total', because: 'decimal_parsing' },
    { name: 'B40 beyond the whole numbers of a double', rewrite: total('9007199254740993'), refused: INVALID, at: '/total', because: 'decimal_max_digits' },
    amount('B41 thirteen digits before the point', '1234567890123.00', 'decimal_whole_digits'),
    { name: 'B41 a unit price wider than its column', change: line({ unit_price: '1234567890123.000001' }), refused: INVALID, at: '/lines/0/unit_price', because: 'decimal_whole_digits' },
    amount('B42 true', true, 'decimal_type'),
    amount('B42 null', null, 'decimal_type'),
    amount('B42 a list', ['115.00'], 'decimal_type'),
    amount('B42 an object', { amount: '115.00' }, 'decimal_type'),
    amount('B42 a number quoted twice', '"115.00"', 'decimal_parsing'),
  ]);

  refuses('quantities, rates and terms', () => stack, [
    ...[0, '0', '0.000000'].map((quantity): BadInput => ({
      name: `B43 a quantity of ${JSON.stringify(quantity)}`, change: line({ quantity }), refused: INVALID, at: '/lines/0/quantity', because: 'greater_than',
    })),
    { name: 'B43 a quantity too small to write', change: line({ quantity: '0.0000001' }), refused: INVALID, at: '/lines/0/quantity', because: 'decimal_max_places' },
    { name: 'B44 a unit price with seven decimals', change: line({ unit_price: '100.0000001' }), refused: INVALID, at: '/lines/0/unit_price', because: 'decimal_max_places' },
    ...([[12, 'less_than_equal'], ['12%', 'decimal_parsing'], ['1.0001', 'less_than_equal'], [-0.1, 'greater_than_equal'], [0.15001, 'decimal_max_places']] as const).map(
      ([rate, because]): BadInput => ({ name: `B45 a rate of ${rate}`, change: tax({ rate }), refused: INVALID, at: '/taxes/0/rate', because }),
    ),
    ...([[0, 'greater_than_equal'], [-1, 'greater_than_equal'], [1.5, 'int_type'], ['1', 'int_type'], [2 ** 31, 'less_than_equal'], [null, 'int_type']] as const).map(
      ([line_number, because]): BadInput => ({
        name: `B46 line number ${JSON.stringify(line_number)}`, change: line({ line_number }), refused: INVALID, at: '/lines/0/line_number', because,
      }),
    ),
    {
      name: 'B46 a line number given twice',
      change: (business) => ({ lines: [business.invoice()['lines'], business.invoice()['lines']].flat(), subtotal: '200.00', total_tax: '30.00', total: '230.00', ...tax({ taxable_base: '200.00', tax_amount: '30.00' }), ...payment({ total: '230.00' }) }),
      refused: [400, 'FISCAL_RULE_VIOLATED'], at: '/lines/1/line_number', because: 'line.number_repeated',
    },
    ...([[-1, 'greater_than_equal'], [1e9, 'less_than_equal'], ['30', 'int_type'], [1.5, 'int_type'], [true, 'int_type']] as const).map(
      ([term, because]): BadInput => ({ name: `B47 a term of ${JSON.stringify(term)}`, change: payment({ term }), refused: INVALID, at: '/payments/0/term', because }),
    ),
    ...([[0, 'greater_than_equal'], [-5, 'greater_than_equal'], [1_000_000_000, 'less_than_equal'], [1.5, 'int_type'], ['1', 'int_type'], [null, 'int_type']] as const).map(
      ([initial_sequential, because]): BadInput => ({
        name: `B48 a first number of ${JSON.stringify(initial_sequential)}`,
        call: ({ issuerId, establishmentId }) => ({ path: `/issuers/${issuerId}/establishments/${establishmentId}/emission-points`, body: { code: '099', initial_sequential } }),
        refused: INVALID, at: '/initial_sequential', because,
      }),
    ),
  ]);

  refuses('pages', () => stack, ['/documents', '/issuers', '/tenant/members', '/auth/api-keys', '/tenant/audit-log'].flatMap((path) =>
    ([
      ['page=0', '/page', 'greater_than_equal'], ['page=-1', '/page', 'greater_than_equal'], ['page=1.5', '/page', 'int_type'], ['page=1e9', '/page', 'int_type'],
      ['page=1000000000', '/page', 'less_than_equal'], ['page=NaN', '/page', 'int_type'], ['page=', '/page', 'int_type'], ['page=1&page=2', '/page', 'repeated'],
      ['page=%D9%A1', '/page', 'int_type'], ['page[]=1', '/page[]', 'extra_forbidden'], ['page[a]=1', '/page[a]', 'extra_forbidden'],
      ['page_size=0', '/page_size', 'greater_than_equal'], ['page_size=101', '/page_size', 'less_than_equal'], ['page_size=', '/page_size', 'int_type'],
      ['limit=5', '/limit', 'extra_forbidden'], ['__proto__=1', '/__proto__', 'extra_forbidden'],
    ] as const).map(([query, at, because]): BadInput => ({
      name: `B49 GET ${path}?${query}`, call: () => ({ method: 'GET', path: `${path}?${query}` }), refused: INVALID, at, because,
    })),
  ));

  describe('are taken in one normal form', () => {
    let business: Business;
    beforeAll(async () => {
      business = await Business.open(stack);
    });

    it.each<[string, Invoice | string, string]>([
      ['B31 a number that is exact', '1.15e2', '115.00'],
      ['B33 a plus sign', { total: '+115.00' }, '115.00'],
      ['B39 fewer decimals', { total: '115' }, '115.00'],
      ['B39 a number', { total: 115 }, '115.00'],
    ])('%s', async (_name, change, expected) => {
      const body = JSON.stringify(business.invoice(typeof change === 'string' ? {} : change));
      const answer = await business.call('POST', '/documents', typeof change === 'string' ? total(change)(body) : body);
      expect(answer.status).toBe(202);
      expect((await business.document(answer.body['document_id'] as string))['total']).toBe(expected);
    });

    it.each([
      ["the largest total that the SRI's web services take", '200000000.00', []],
      ['the widest amount', '999999999999.00', ['totals.too_large']],
    ])('B41 %s', async (_name, wide, rules) => {
      const answer = await business.call('POST', '/documents/validate', business.invoice({
        subtotal: wide, total: wide, total_tax: '0.00', ...line({ unit_price: wide, subtotal: wide, tax_rate_code: '0' }),
        ...tax({ tax_rate_code: '0', taxable_base: wide, rate: '0', tax_amount: '0' }), ...payment({ total: wide }),
      }));
      expect([answer.status, answer.body]).toMatchObject([200, { valid: rules.length === 0, totals: { total: wide } }]);
      expect((answer.body['findings'] as { rule: string; severity: string }[]).filter(({ severity }) => severity === 'error').map(({ rule }) => rule)).toEqual(rules);
    });

    it('B48 the last number of all, once', async () => {
      const last = await Business.open(stack, { initialSequential: 999_999_999 });
      expect((await last.accepted()).access_key.slice(30, 39)).toBe('999999999');
      const none = await last.issue();
      expect([none.status, (none.body as unknown as { error: { code: string } }).error.code]).toEqual([409, 'SEQUENCE_EXHAUSTED']);
    });

    it('B49 a page far behind the end is empty', async () => {
      const answer = await business.call('GET', '/documents?page=100000&page_size=100');
      expect([answer.status, answer.body['items']]).toEqual([200, []]);
    });
  });
});
