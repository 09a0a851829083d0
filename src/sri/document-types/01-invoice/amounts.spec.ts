import { FINAL, final, FULL, full, fullLine, fullTax, PAID, rulesOf, TODAY } from '../../../../test/support/documents/invoices.js';
import { dec, money } from '../../../shared/decimal.js';
import { preflight } from '../../preflight.js';
import type { DocumentContent } from '../content.js';

describe('arithmetic', () => {
  it.each([
    [full({ total: '30.01' }), ['totals.total /total', 'payments.sum /payments']],
    [full({ total: '29.99' }), ['totals.total /total', 'payments.sum /payments']],
    [full({ subtotal: '25.99' }), ['totals.subtotal /subtotal']],
    [full({ totalDiscount: '1.01' }), ['totals.total_discount /total_discount']],
    [full({ totalTax: '3.01' }), ['totals.total_tax /total_tax']],
    [full({ subtotal: '25.99', total: '29.99' }), ['totals.subtotal /subtotal', 'payments.sum /payments']],
    [full({ tip: null }), ['totals.total /total']],
    [fullLine(0, { subtotal: '20.01' }), ['line.subtotal /lines/0/subtotal', 'totals.subtotal /subtotal']],
    [fullLine(0, { quantity: '2.001000' }), ['line.subtotal /lines/0/subtotal']],
    [fullTax(0, { taxAmount: '3.02' }), ['taxes.amount /taxes/0/tax_amount', 'totals.total_tax /total_tax']],
    [fullTax(0, { taxableBase: '20.02' }), ['taxes.base /taxes/0/taxable_base']],
  ])('case %#', (content, expected) => {
    const found = rulesOf(content).filter((rule) => !rule.startsWith('payments.sum') || expected.includes(rule));
    expect(found).toEqual(expected);
  });

  it('tolerates one cent per group of taxes, and no more', () => {
    const cent = { ...fullTax(0, { taxAmount: '3.01' }), totalTax: '3.01', total: '30.01' };
    const paid = cent.payments.map((payment, at) => (at === 0 ? { ...payment, total: '20.01' } : payment));
    expect(rulesOf({ ...cent, payments: paid })).toEqual([]);
  });

  it('refuses a discount above its line', () => {
    const content = fullLine(0, { discount: '21.01', subtotal: '0.00' });
    expect(rulesOf(content)).toContain('line.discount /lines/0/discount');
  });

  it.each([
    ['4.98', '0.00', []],
    ['4.98', '0.01', ['line.subtotal /lines/0/subtotal']],
    ['4.97', '0.01', []],
    ['4.97', '0.00', ['line.subtotal /lines/0/subtotal']],
    ['4.99', '0.00', ['line.discount /lines/0/discount']],
  ])('takes a discount up to the line rounded to cents: %s of 4.975 leaves %s', (discount, subtotal, expected) => {
    const line = { ...FINAL.content.lines[0]!, quantity: '2.500000', unitPrice: '1.990000', discount, subtotal };
    const gross = money(dec(discount).plus(subtotal));
    const taxes = [{ ...FINAL.content.taxes[0]!, taxableBase: subtotal, taxAmount: '0.00' }];
    const totals = { subtotal: gross, totalDiscount: discount, totalTax: '0.00', total: subtotal };
    expect(rulesOf(final({ ...totals, lines: [line], taxes, payments: [{ ...PAID[0]!, total: subtotal }] }))).toEqual(expected);
  });

  it('refuses a quantity of zero', () => {
    expect(rulesOf(fullLine(0, { quantity: '0.000000' }))).toContain('line.quantity /lines/0/quantity');
  });

  it('refuses a repeated line number', () => {
    expect(rulesOf(fullLine(1, { lineNumber: 1 }))).toEqual(['line.number_repeated /lines/1/line_number']);
  });

  it('accepts a document whose total is zero', () => {
    const free = final({
      subtotal: '10.00',
      totalDiscount: '10.00',
      totalTax: '0.00',
      total: '0.00',
      lines: [{ ...FINAL.content.lines[0]!, discount: '10.00', subtotal: '0.00' }],
      taxes: [{ ...FINAL.content.taxes[0]!, taxableBase: '0.00', taxAmount: '0.00' }],
      payments: [{ ...PAID[0]!, total: '0.00' }],
    });
    expect(rulesOf(free)).toEqual([]);
  });

  it('caps the tip at 10 % of the subtotal', () => {
    const payments = FULL.content.payments.map((payment, at) => (at === 0 ? { ...payment, total: '20.51' } : payment));
    expect(rulesOf(full({ tip: '2.51', total: '30.51', payments }))).toEqual(['invoice.tip /tip']);
    const most = FULL.content.payments.map((payment, at) => (at === 0 ? { ...payment, total: '20.50' } : payment));
    expect(rulesOf(full({ tip: '2.50', total: '30.50', payments: most }))).toEqual([]);
  });
});

const OF_LINES = ['warning taxes.amount_of_lines /taxes/0/tax_amount'];

describe('many lines that are rounded', () => {
  const many = (groupAmount: string): DocumentContent => {
    const count = 20;
    const line = FINAL.content.lines[0]!;
    const total = money(dec('2.00').plus(groupAmount));
    return final({
      subtotal: '2.00',
      totalTax: groupAmount,
      total,
      lines: Array.from({ length: count }, (_, at) => ({
        ...line,
        lineNumber: at + 1,
        unitPrice: '0.100000',
        subtotal: '0.10',
      })),
      taxes: [{ ...FINAL.content.taxes[0]!, taxableBase: '2.00', taxAmount: groupAmount }],
      payments: [{ ...PAID[0]!, total }],
    });
  };

  it('may be taxed line by line, with a warning: the SRI has no published tolerance', () => {
    const { content, findings } = preflight(many('0.40'), FINAL.issuer, { today: TODAY, maxIssueDateAgeDays: 90 });
    expect(findings).toMatchObject([{ rule: 'taxes.amount_of_lines', severity: 'warning', pointer: '/taxes/0/tax_amount', expected: '0.30', actual: '0.40' }]);
    expect(content.lines.map((line) => line.taxes?.[0]?.taxAmount)).toEqual(Array(20).fill('0.02'));
  });

  it('may be taxed on the base of the group: the lines then add up to it, each within a cent', () => {
    const { content, findings } = preflight(many('0.30'), FINAL.issuer, { today: TODAY, maxIssueDateAgeDays: 90 });
    expect(findings).toEqual([]);
    const amounts = content.lines.map((line) => dec(line.taxes![0]!.taxAmount));
    expect(amounts.reduce((total, amount) => total.plus(amount)).toFixed(2)).toBe('0.30');
    for (const amount of amounts) expect(amount.minus('0.015').abs().lte('0.01')).toBe(true);
  });

  it.each([['0.29', []], ['0.31', []], ['0.39', OF_LINES], ['0.41', OF_LINES]])('may be a cent beside either: %s', (amount, expected) => {
    expect(rulesOf(many(amount))).toEqual(expected);
  });

  it.each(['0.28', '0.32', '0.38', '0.42'])('may not be two cents beside: %s', (amount) => {
    expect(rulesOf(many(amount))).toEqual(['taxes.amount /taxes/0/tax_amount']);
  });

  it('may share their group with itemised ones, which keep their own amounts', () => {
    const content = many('0.31');
    const itemised = { ...content.taxes[0]!, taxableBase: '0.10', taxAmount: '0.02' };
    const lines = content.lines.map((line, at) =>
      at === 0 ? { ...line, taxRateCode: null, taxes: [itemised] } : line,
    );
    const checked = preflight({ ...content, lines }, FINAL.issuer, { today: TODAY, maxIssueDateAgeDays: 90 });
    expect(checked.findings).toEqual([]);
    const amounts = checked.content.lines.map((line) => dec(line.taxes![0]!.taxAmount));
    expect(amounts[0]?.toFixed(2)).toBe('0.02');
    expect(amounts.reduce((total, amount) => total.plus(amount)).toFixed(2)).toBe('0.31');
  });

  describe('and itemised', () => {
    /** `count` lines of so much and its tax each, under the header's. */
    const alike = (count: number, base: string, taxAmount: string, groupAmount: string): DocumentContent => {
      const net = money(dec(base).times(count));
      const total = money(dec(net).plus(groupAmount));
      const itemised = { ...FINAL.content.taxes[0]!, taxableBase: base, taxAmount };
      return final({
        subtotal: net, totalTax: groupAmount, total, payments: [{ ...PAID[0]!, total }],
        lines: Array.from({ length: count }, (_, at) => ({ ...FINAL.content.lines[0]!, lineNumber: at + 1, unitPrice: base, subtotal: base, taxRateCode: null, taxes: [itemised] })),
        taxes: [{ ...FINAL.content.taxes[0]!, taxableBase: net, taxAmount: groupAmount }],
      });
    };

    it.each<[string, number, string, string, string, readonly string[]]>([
      ['nothing was rounded', 40, '1.00', '0.15', '6.00', []],
      ['a cent off each, where nothing was rounded', 40, '1.00', '0.16', '6.00', ['taxes.amount /taxes/0/tax_amount']],
      ['the same, within a cent of their sum', 2, '1.00', '0.16', '0.31', []],
      ['the same, added up', 2, '1.00', '0.16', '0.32', OF_LINES],
      ['the same of one line', 1, '1.00', '0.16', '0.15', []],
      ['further off than rounding leads to', 2, '0.10', '0.03', '0.04', ['taxes.amount /taxes/0/tax_amount']],
      ['rounded up each, as cents that are spread are', 7, '0.09', '0.02', '0.09', []],
      ['the same, added up', 7, '0.09', '0.02', '0.14', OF_LINES],
      ['rounded down each, as a price that includes the tax may be', 12, '0.97', '0.14', '1.75', []],
      ['the same, added up', 12, '0.97', '0.14', '1.68', OF_LINES],
    ])('may be beside the tax of the group by what was rounded: %s', (_, count, base, taxAmount, groupAmount, expected) => {
      expect(rulesOf(alike(count, base, taxAmount, groupAmount))).toEqual(expected);
    });
  });

  it.each([
    ['0.40', OF_LINES], ['0.30', []], ['0.31', []], ['0.32', ['taxes.amount /taxes/0/tax_amount']], ['0.35', ['taxes.amount /taxes/0/tax_amount']],
  ])('may itemise their taxes and be taxed either way: %s', (amount, expected) => {
    const content = many(amount);
    const itemised = { ...content.taxes[0]!, taxableBase: '0.10', taxAmount: '0.02' };
    expect(rulesOf({ ...content, lines: content.lines.map((line) => ({ ...line, taxRateCode: null, taxes: [itemised] })) })).toEqual(expected);
  });

  it('may be a cent off where the exact tax is more than that beside the rounded one', () => {
    // 5107.49 x 15 % = 766.1235: 766.11 is one cent beside the line's 766.12, and 1.35 beside the exact tax.
    const line = { ...FULL.content.lines[0]!, quantity: '1.000000', unitPrice: '5107.490000', discount: '0.00' };
    const content = full({
      lines: [{ ...line, subtotal: '5107.49' }],
      taxes: [{ ...FULL.content.taxes[0]!, taxableBase: '5107.49', taxAmount: '766.11' }],
      subtotal: '5107.49',
      totalDiscount: '0.00',
      totalTax: '766.11',
      tip: null,
      total: '5873.60',
      payments: [{ ...PAID[0]!, paymentMethodCode: '20', total: '5873.60' }],
    });
    expect(rulesOf(content)).toEqual([]);
  });

  it.each([
    // Exact 0.30, and half a cent for each line, one more and the group: up to 0.41.
    ['0.02', 20, []],
    ['0.03', 1, []],
    ['0.03', 2, ['taxes.amount /taxes/0/tax_amount']],
    ['0.01', 20, []],
  ])('may not be further from the tax of the group than rounding explains: %s in %i of the lines', (taxAmount, count, expected) => {
    const content = many('0.30');
    const lines = content.lines.map((line, at) => ({ ...line, taxRateCode: null, taxes: [{ ...content.taxes[0]!, taxableBase: '0.10', taxAmount: at < count ? taxAmount : '0.02' }] }));
    expect(rulesOf({ ...content, lines }).filter((rule) => !rule.startsWith('tax.amount'))).toEqual(expected);
  });

  it.each([['0.01', 1, []], ['0.01', 2, ['taxes.amount /taxes/0/tax_amount']]])('add up to nothing where nothing is due: %s in %i of the lines', (taxAmount, count, expected) => {
    const content = many('0.00');
    const free = { ...content.taxes[0]!, taxRateCode: '0', rate: '0.0000', taxableBase: '0.10', taxAmount: '0.00' };
    const lines = content.lines.map((line, at) => ({ ...line, taxRateCode: null, taxes: [{ ...free, taxAmount: at < count ? taxAmount : '0.00' }] }));
    expect(rulesOf({ ...content, lines, taxes: [{ ...free, taxableBase: '2.00' }] })).toEqual([
      ...lines.slice(0, count).map((_line, at) => `warning tax.amount_at_zero_rate /lines/${at}/taxes/0/tax_amount`), ...expected,
    ]);
  });

  it('may not be taxed in between', () => {
    expect(rulesOf(many('0.35'))).toEqual(['taxes.amount /taxes/0/tax_amount']);
  });
});
