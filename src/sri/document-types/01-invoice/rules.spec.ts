import { dec, money } from '../../../shared/decimal.js';
import type { Finding } from '../../../shared/finding.js';
import { preflight } from '../../preflight.js';
import type { DocumentContent, DocumentLine, DocumentTax, IssuerSnapshot } from '../document.js';
import { INVOICE_EXAMPLES } from './examples.js';
import { INVOICE } from './invoice.js';

const TODAY = '2026-09-15';
const named = (name: string) => INVOICE_EXAMPLES.find((example) => example.name === name)!;
const FULL = named('full');
const FINAL = named('final-consumer');
const SEVERAL = named('several-taxes');

/** Findings as `severity rule pointer`, so that a test says all that came out, not a part of it. */
function rulesOf(content: DocumentContent, issuer: IssuerSnapshot = FULL.issuer, maxIssueDateAgeDays = 90): string[] {
  return findingsOf(content, issuer, maxIssueDateAgeDays).map(
    ({ severity, rule, pointer }) => `${severity === 'error' ? '' : 'warning '}${rule} ${pointer}`,
  );
}

function findingsOf(content: DocumentContent, issuer = FULL.issuer, maxIssueDateAgeDays = 90): readonly Finding[] {
  return preflight(content, issuer, { today: TODAY, maxIssueDateAgeDays }).findings;
}

const full = (change: Partial<DocumentContent>): DocumentContent => ({ ...FULL.content, ...change });
const final = (change: Partial<DocumentContent>): DocumentContent => ({ ...FINAL.content, payments: PAID, ...change });
const PAID = [{ lineNumber: 1, paymentMethodCode: '01', total: '11.50', term: null, timeUnit: null }];

function fullLine(index: number, change: Partial<DocumentLine>): DocumentContent {
  return full({ lines: FULL.content.lines.map((line, at) => (at === index ? { ...line, ...change } : line)) });
}

function fullTax(index: number, change: Partial<DocumentTax>): DocumentContent {
  return full({ taxes: FULL.content.taxes.map((tax, at) => (at === index ? { ...tax, ...change } : tax)) });
}

function severalLine(index: number, change: Partial<DocumentLine>): DocumentContent {
  const lines = SEVERAL.content.lines.map((line, at) => (at === index ? { ...line, ...change } : line));
  return { ...SEVERAL.content, lines };
}

describe('a good invoice', () => {
  it('has nothing to report', () => {
    expect(rulesOf(FULL.content)).toEqual([]);
    expect(rulesOf(final({}))).toEqual([]);
  });

  it('has complete findings when it is not good', () => {
    const [found] = findingsOf(full({ total: '30.01' }));
    expect(found).toEqual({
      pointer: '/total',
      rule: 'totals.total',
      message: {
        es: 'El total no es subtotal − descuento + impuestos + propina y demás cargos',
        en: 'The total is not subtotal − discount + tax + tip and other charges',
      },
      expected: '30.00',
      actual: '30.01',
      reference: 'Ficha técnica 2.32, annex 3 and message 52',
      severity: 'error',
    });
  });

  it('reports everything in one pass', () => {
    const found = rulesOf(
      full({ issueDate: '2026-09-16', total: '1.00', buyerId: 'x', taxes: [], deliveryGuideNumber: '1', payments: [] }),
    );
    expect(found).toEqual(['shape.empty /taxes']);
    expect(
      rulesOf({
        ...fullTax(0, { taxRateCode: '99' }),
        issueDate: '2026-09-16',
        total: '1.00',
        buyerId: 'x',
        deliveryGuideNumber: '1',
      }),
    ).toEqual([
      'issue_date.future /issue_date',
      'buyer.cedula /buyer_id',
      'tax.rate_code /taxes/0/tax_rate_code',
      'taxes.missing /taxes',
      'totals.total /total',
      'payments.sum /payments',
      'invoice.delivery_guide_number /delivery_guide_number',
    ]);
  });
});

describe('issue date', () => {
  it.each([
    ['2026-09-16', ['issue_date.future /issue_date']],
    ['2026-09-14', ['warning issue_date.not_today /issue_date']],
    ['2026-06-17', ['warning issue_date.not_today /issue_date']],
    ['2026-06-16', ['issue_date.too_old /issue_date']],
  ])('%s gives %p', (issueDate, expected) => {
    expect(rulesOf(full({ issueDate }))).toEqual(expected);
  });

  it('may be any past day within the configured age', () => {
    expect(rulesOf(full({ issueDate: '2026-09-10' }), FULL.issuer, 4)).toEqual(['issue_date.too_old /issue_date']);
    expect(rulesOf(full({ issueDate: '2026-09-14' }), FULL.issuer, 0)).toEqual(['issue_date.too_old /issue_date']);
  });
});

describe('arithmetic', () => {
  it.each([
    [full({ total: '30.01' }), ['totals.total /total', 'payments.sum /payments']],
    [full({ total: '29.99' }), ['totals.total /total', 'payments.sum /payments']],
    [full({ subtotal: '25.99' }), ['totals.subtotal /subtotal', 'totals.total /total']],
    [full({ totalDiscount: '1.01' }), ['totals.total_discount /total_discount', 'totals.total /total']],
    [full({ totalTax: '3.01' }), ['totals.total_tax /total_tax', 'totals.total /total']],
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

  it('may be taxed line by line', () => {
    const { content, findings } = preflight(many('0.40'), FINAL.issuer, { today: TODAY, maxIssueDateAgeDays: 90 });
    expect(findings).toEqual([]);
    expect(content.lines.map((line) => line.taxes?.[0]?.taxAmount)).toEqual(Array(20).fill('0.02'));
  });

  it('may be taxed on the base of the group: the lines then add up to it, each within a cent', () => {
    const { content, findings } = preflight(many('0.30'), FINAL.issuer, { today: TODAY, maxIssueDateAgeDays: 90 });
    expect(findings).toEqual([]);
    const amounts = content.lines.map((line) => dec(line.taxes![0]!.taxAmount));
    expect(amounts.reduce((total, amount) => total.plus(amount)).toFixed(2)).toBe('0.30');
    for (const amount of amounts) expect(amount.minus('0.015').abs().lte('0.01')).toBe(true);
  });

  it.each(['0.29', '0.31', '0.39', '0.41'])('may be a cent beside either: %s', (amount) => {
    expect(rulesOf(many(amount))).toEqual([]);
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

  it.each([
    ['0.40', []], ['0.30', []], ['0.31', []], ['0.32', ['taxes.amount /taxes/0/tax_amount']], ['0.35', ['taxes.amount /taxes/0/tax_amount']],
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

  it('may not be taxed in between', () => {
    expect(rulesOf(many('0.35'))).toEqual(['taxes.amount /taxes/0/tax_amount']);
  });
});

describe('taxes', () => {
  it.each([
    [fullTax(0, { rate: '0.1200' }), ['tax.rate /taxes/0/rate']],
    [fullTax(0, { tariff: '12.00' }), ['tax.rate /taxes/0/tariff']],
    [fullTax(0, { taxCode: '4' }), ['tax.code /taxes/0/tax_code', 'taxes.missing /taxes']],
    [fullTax(0, { taxRateCode: '99' }), ['tax.rate_code /taxes/0/tax_rate_code', 'taxes.missing /taxes']],
    [fullTax(0, { taxRateCode: '2' }), ['tax.rate_code_not_in_force /taxes/0/tax_rate_code', 'taxes.missing /taxes']],
    [fullTax(0, { taxRateCode: ' 4' }), ['tax.rate_code /taxes/0/tax_rate_code', 'taxes.missing /taxes']],
    [fullTax(0, { taxCode: 'constructor' }), ['tax.code /taxes/0/tax_code', 'taxes.missing /taxes']],
    [
      full({ taxes: [...FULL.content.taxes, { ...FULL.content.taxes[1]!, taxRateCode: '6' }] }),
      ['taxes.without_line /taxes/2'],
    ],
    [full({ taxes: [...FULL.content.taxes, FULL.content.taxes[1]!] }), ['taxes.repeated /taxes/2']],
    [fullLine(0, { taxRateCode: null }), ['line.taxes_missing /lines/0/tax_rate_code', 'taxes.without_line /taxes/0']],
    [fullLine(0, { taxRateCode: '99' }), ['tax.rate_code /lines/0/tax_rate_code', 'taxes.without_line /taxes/0']],
    [
      fullLine(0, { taxRateCode: '2' }),
      ['tax.rate_code_not_in_force /lines/0/tax_rate_code', 'taxes.without_line /taxes/0'],
    ],
    [
      fullLine(0, { taxCode: '3', taxRateCode: '3610' }),
      ['line.taxes_not_derivable /lines/0/tax_code', 'taxes.without_line /taxes/0'],
    ],
    [fullLine(0, { taxCode: '9' }), ['tax.code /lines/0/tax_code', 'taxes.without_line /taxes/0']],
  ])('case %#', (content, expected) => {
    expect(rulesOf(content)).toEqual(expected);
  });

  it('were the old rate until March 2024', () => {
    const twelve = { taxRateCode: '2', rate: '0.1200' };
    const old = fullTax(0, { ...twelve, taxAmount: '2.40' });
    const content = {
      ...old,
      issueDate: '2024-03-31',
      totalTax: '2.40',
      total: '29.40',
      lines: old.lines.map((line, at) => (at === 0 ? { ...line, taxRateCode: '2' } : line)),
      payments: [{ ...PAID[0]!, total: '29.40' }],
    };
    expect(rulesOf(content, FULL.issuer, 1000)).toEqual(['warning issue_date.not_today /issue_date']);
  });

  it.each([
    ['8', '0.0800', '1.60'],
    ['10', '0.1300', '2.60'],
  ])('may be at a rate that awaits its decree, with a warning: %s', (taxRateCode, rate, taxAmount) => {
    const total = money(dec('27.00').plus(taxAmount));
    const taxed = fullTax(0, { taxRateCode, rate, taxAmount });
    const lines = taxed.lines.map((line, at) => (at === 0 ? { ...line, taxRateCode } : line));
    expect(rulesOf({ ...taxed, lines, totalTax: taxAmount, total, payments: [{ ...PAID[0]!, total }] })).toEqual([
      'warning tax.rate_code_awaits_decree /lines/0/tax_rate_code',
      'warning tax.rate_code_awaits_decree /taxes/0/tax_rate_code',
    ]);
  });

  it('of a line hold exactly one IVA rate', () => {
    const taxes = SEVERAL.content.lines[0]!.taxes!;
    expect(rulesOf(severalLine(0, { taxes: taxes.slice(0, 1) }))).toContain('line.one_iva /lines/0/taxes');
    expect(
      rulesOf(
        severalLine(0, { taxes: [...taxes, { ...taxes[1]!, taxRateCode: '0', rate: '0.0000', taxAmount: '0.00' }] }),
      ),
    ).toContain('line.one_iva /lines/0/taxes');
    expect(rulesOf(severalLine(0, { taxes: [...taxes, taxes[0]!] }))).toContain('line.tax_repeated /lines/0/taxes/2');
  });

  it('take the ICE of the line into the IVA base, to the cent', () => {
    const [ice, iva] = SEVERAL.content.lines[0]!.taxes!;
    const wrong = severalLine(0, { taxes: [ice!, { ...iva!, taxableBase: '119.99' }] });
    expect(rulesOf(wrong)).toEqual(['line.iva_base /lines/0/taxes/1/taxable_base']);
  });

  it('of a line are base x rate within a cent', () => {
    const [ice, iva] = SEVERAL.content.lines[0]!.taxes!;
    expect(rulesOf(severalLine(0, { taxes: [ice!, { ...iva!, taxAmount: '18.01' }] }))).toEqual([]);
    expect(rulesOf(severalLine(0, { taxes: [ice!, { ...iva!, taxAmount: '18.02' }] }))).toEqual(['tax.amount /lines/0/taxes/1/tax_amount']);
  });

  it('with a specific rate need the tariff', () => {
    const [ice, iva] = SEVERAL.content.lines[3]!.taxes!;
    expect(rulesOf(severalLine(3, { taxes: [{ ...ice!, tariff: null }, iva!] }))).toEqual([
      'tax.tariff_missing /lines/3/taxes/0/tariff',
    ]);
  });

  describe('with a specific rate', () => {
    /** The bottles of the second line and their group: their tariffs, null where the entry tells none. */
    const bottles = (ofLine: string | null, ofGroup: string | null): DocumentContent => {
      const [iva, bottle] = SEVERAL.content.lines[1]!.taxes!;
      const content = severalLine(1, { taxes: [iva!, { ...bottle!, tariff: ofLine }] });
      return { ...content, taxes: content.taxes.map((tax) => (tax.taxCode === '5' ? { ...tax, tariff: ofGroup } : tax)) };
    };
    const line = '/lines/1/taxes/1/tariff';
    const group = '/taxes/4/tariff';

    it.each([
      ['0.02', '0.02', []],
      ['0.020', '0.0200', []],
      ['0.03', '0.03', [`warning tax.rate_unusual ${line}`, `warning tax.rate_unusual ${group}`]],
      ['0.02', '0.03', [`warning tax.rate_unusual ${group}`, `taxes.tariff ${group}`]],
      ['2.00', '0.02', [`warning tax.rate_unusual ${line}`, `taxes.tariff ${group}`]],
      [null, '0.02', [`tax.tariff_missing ${line}`]],
      ['0.02', null, [`tax.tariff_missing ${group}`]],
    ])('lines at %s in a group at %s give %p', (ofLine, ofGroup, expected) => {
      expect(rulesOf(bottles(ofLine, ofGroup))).toEqual(expected);
    });

    it('a group has the tariff of any of its lines', () => {
      const content = bottles('0.02', '0.03');
      const [, bought] = content.lines;
      const [iva, bottle] = bought!.taxes!;
      const dearer = { ...bought!, lineNumber: 8, taxes: [iva!, { ...bottle!, tariff: '0.03' }] };
      expect(rulesOf({ ...content, lines: [...content.lines, dearer] })).not.toContain(`taxes.tariff ${group}`);
    });
  });

  it('of excise that differ from the published rate are a warning', () => {
    const [ice, iva] = SEVERAL.content.lines[0]!.taxes!;
    const line = {
      taxes: [
        { ...ice!, rate: '0.2500', taxAmount: '25.00' },
        { ...iva!, taxableBase: '125.00', taxAmount: '18.75' },
      ],
    };
    expect(rulesOf(severalLine(0, line))).toContain('warning tax.rate_unusual /lines/0/taxes/0/rate');
  });

  it.each([
    ['3610', '0.2000', null, '21.00', ['warning tax.amount_unusual /lines/0/taxes/0/tax_amount', 'warning tax.amount_unusual /taxes/0/tax_amount']],
    ['3610', '0.2000', null, '20.01', []],
    ['3041', '0.7500', null, '80.00', []],
    [
      '3041',
      '0.0000',
      '13.20',
      '80.00',
      ['warning tax.rate_unusual /lines/0/taxes/0/tariff', 'warning tax.rate_unusual /taxes/0/tariff'],
    ],
    [
      '3533',
      '0.2000',
      null,
      '21.00',
      [
        'warning tax.rate_code_unlisted /lines/0/taxes/0/tax_rate_code',
        'warning tax.amount_unusual /lines/0/taxes/0/tax_amount',
        'warning tax.rate_code_unlisted /taxes/0/tax_rate_code',
        'warning tax.amount_unusual /taxes/0/tax_amount',
      ],
    ],
    [
      '3541',
      '0.2000',
      null,
      '20.00',
      ['warning tax.rate_code_unlisted /lines/0/taxes/0/tax_rate_code', 'warning tax.rate_code_unlisted /taxes/0/tax_rate_code'],
    ],
  ])('of excise %s at %s (%s) may be %s', (taxRateCode, rate, tariff, taxAmount, expected) => {
    const taxable = money(dec('100.00').plus(taxAmount));
    const amount = money(dec(taxable).times('0.15'));
    const [, iva] = SEVERAL.content.lines[0]!.taxes!;
    const ice = { taxCode: '3', taxRateCode, taxableBase: '100.00', rate, taxAmount, tariff };
    const taxes = [ice, { ...iva!, taxableBase: taxable, taxAmount: amount }];
    const total = money(dec(taxable).plus(amount));
    const content = {
      ...SEVERAL.content,
      lines: [{ ...SEVERAL.content.lines[0]!, taxes }],
      taxes,
      subtotal: '100.00',
      totalTax: money(dec(taxAmount).plus(amount)),
      total,
      payments: [{ ...SEVERAL.content.payments[0]!, total }],
    };
    expect(rulesOf(content)).toEqual(expected);
  });

  describe('of a line that has a rate code and itemised ones', () => {
    const [line] = FULL.content.lines;
    const [ofLine] = preflight(FULL.content, FULL.issuer, { today: TODAY, maxIssueDateAgeDays: 90 }).content.lines[0]!.taxes!;
    const both = (taxRateCode: string, change: Partial<DocumentTax> = {}) => fullLine(0, { taxRateCode, taxes: [{ ...ofLine!, ...change }] });

    it('may tell the same twice', () => {
      expect(line!.taxRateCode).toBe(ofLine!.taxRateCode);
      expect(rulesOf(both(ofLine!.taxRateCode))).toEqual([]);
    });

    it('may not tell another', () => {
      expect(rulesOf(both('0'))).toEqual(['line.tax_rate_code_contradicted /lines/0/tax_rate_code']);
      expect(rulesOf(fullLine(0, { taxCode: '3', taxes: [ofLine!] }))).toEqual(['line.tax_rate_code_contradicted /lines/0/tax_rate_code']);
      expect(rulesOf(severalLine(0, { taxRateCode: '0' }))).toEqual(['line.tax_rate_code_contradicted /lines/0/tax_rate_code']);
      expect(rulesOf(severalLine(0, { taxRateCode: '4' }))).toEqual([]);
    });

    it('are named where they stand', () => {
      const at = '/lines/0/taxes/0';
      expect(rulesOf(both(ofLine!.taxRateCode, { taxAmount: '9.00' }))).toContain(`tax.amount ${at}/tax_amount`);
      expect(rulesOf(both(ofLine!.taxRateCode, { rate: '0.9900' }))).toContain(`tax.rate ${at}/rate`);
    });
  });

  it('at 5 % ask for the construction material', () => {
    expect(rulesOf(severalLine(2, { auxCode: 'X' }))).toEqual(['warning line.construction_material /lines/2/aux_code']);
  });
});

describe('plates', () => {
  const missing = ['warning invoice.plate_missing /vehicle_plate'];
  const without = (change: Partial<DocumentLine>, issueDate = TODAY): DocumentContent => ({ ...fullLine(0, change), vehiclePlate: null, issueDate });

  it.each<[string, DocumentContent, string[]]>([
    ['transport to a client', without({ auxCode: 'H492001' }), missing],
    ['transport to the operator', without({ auxCode: 'H492002' }), missing],
    ['transport the first day', without({ auxCode: 'H492001' }, '2026-07-01'), missing],
    ['transport before that', without({ auxCode: 'H492001' }, '2026-06-30'), []],
    ['fuel', without({ mainCode: '0101' }), missing],
    ['fuel before that', without({ mainCode: '0101' }, '2026-06-30'), missing],
    ['an empty plate', { ...without({ mainCode: '0101' }), vehiclePlate: '' }, missing],
    ['something else', without({ mainCode: '101', auxCode: '0101' }), []],
    ['fuel and a plate', fullLine(0, { mainCode: '0101' }), []],
    ['a motorcycle', full({ vehiclePlate: 'AB123C' }), []],
    ['a foreign plate', full({ vehiclePlate: '6T-1234' }), ['warning invoice.plate_unusual /vehicle_plate']],
    ['small letters', full({ vehiclePlate: 'pba1234' }), ['warning invoice.plate_unusual /vehicle_plate']],
  ])('are asked for and looked at: %s', (_what, content, expected) => {
    expect(rulesOf(content).filter((rule) => !rule.includes('issue_date.'))).toEqual(expected);
  });
});

it.each([
  ['06', 'CONSUMIDOR FINAL', ['warning buyer.final_consumer_unusual /buyer_name']],
  ['08', 'Consumidor final', ['warning buyer.final_consumer_unusual /buyer_name']],
  ['06', 'CONSUMIDOR FINALES S.A.', []],
])('a buyer of type %s may be named %s: %p', (buyerIdType, buyerName, expected) => {
  expect(rulesOf(full({ buyerIdType, buyerId: 'AB123', buyerName }))).toEqual(expected);
});

it('counts the cash of several payments together', () => {
  const cash = (...totals: string[]) =>
    rulesOf(full({ payments: totals.map((total, at) => ({ lineNumber: at + 1, paymentMethodCode: '01', total, term: null, timeUnit: null })) })).filter((rule) => rule.includes('cash'));
  expect(cash('250.00', '250.00')).toEqual([]);
  expect(cash('250.00', '250.01')).toEqual(['warning payments.cash /payments']);
  expect(cash('250.00', '500.01')).toEqual(['warning payments.cash /payments/1/total']);
});

describe('payments', () => {
  const [first, second] = FULL.content.payments;
  it.each([
    [full({ payments: [first!] }), ['payments.sum /payments']],
    [full({ payments: [first!, { ...second!, lineNumber: 1 }] }), ['payments.number_repeated /payments/1/line_number']],
    [
      full({ payments: [first!, { ...second!, paymentMethodCode: '02' }] }),
      ['payments.method /payments/1/payment_method_code'],
    ],
    [
      full({ payments: [first!, { ...second!, paymentMethodCode: '99' }] }),
      ['payments.method /payments/1/payment_method_code'],
    ],
    [
      full({ payments: [first!, { ...second!, term: 2, timeUnit: 'quincenas' }] }),
      ['warning payments.time_unit /payments/1/time_unit'],
    ],
    [full({ payments: [first!, { ...second!, term: 2, timeUnit: null }] }), ['warning payments.time_unit_missing /payments/1/time_unit']],
    [full({ payments: [first!, { ...second!, term: 0, timeUnit: null }] }), []],
    [full({ payments: [first!, { ...second!, term: null, timeUnit: 'meses' }] }), ['warning payments.time_unit_alone /payments/1/time_unit']],
    [
      full({ payments: [first!, { ...second!, term: 2, timeUnit: 'quincenales' }] }),
      ['warning payments.time_unit /payments/1/time_unit', 'text.length /payments/1/time_unit'],
    ],
  ])('case %#', (content, expected) => {
    expect(rulesOf(content)).toEqual(expected);
  });

  it('never send a unit of time without its term', () => {
    const sent = INVOICE.buildXml(preflight(full({ payments: [{ ...first!, term: null, timeUnit: 'meses' }, second!] }), FULL.issuer, { today: TODAY, maxIssueDateAgeDays: 90 }).content, FULL.issuer, FULL.numbering);
    expect(sent).not.toContain('<unidadTiempo>meses');
    expect(sent.match(/<unidadTiempo>/g)?.length ?? 0).toBe(sent.match(/<plazo>/g)?.length ?? 0);
  });

  it('default to the method of the issuer, with a warning', () => {
    const { content, findings } = preflight(
      full({ payments: [] }),
      { ...FULL.issuer, defaultPaymentMethod: '20' },
      { today: TODAY, maxIssueDateAgeDays: 90 },
    );
    expect(content.payments).toEqual([
      { lineNumber: 1, paymentMethodCode: '20', total: '30.00', term: null, timeUnit: null },
    ]);
    expect(findings.map(({ rule, severity }) => [rule, severity])).toEqual([['payments.defaulted', 'warning']]);
  });
});

describe('buyer', () => {
  it('whose name the printed document has no letters for is told so', () => {
    expect(rulesOf(full({ buyerIdType: '08', buyerId: 'X1234567', buyerName: '北京进出口有限公司' }))).toContain('warning text.not_printed /buyer_name');
  });

  const buyer = (buyerIdType: string | null, buyerId: string | null, buyerName: string | null = 'CLIENTE') =>
    rulesOf(full({ buyerIdType, buyerId, buyerName }));

  it.each([
    ['04', '1790012344001', []],
    ['RUC', '1790012344001', []],
    ['04', '1790012344002', []],
    ['04', '1793213150001', ['warning buyer.check_digit /buyer_id']],
    ['04', '1710034066001', ['warning buyer.check_digit /buyer_id']],
    ['04', '179001234400', ['buyer.ruc /buyer_id']],
    ['04', '1790012344000', ['buyer.ruc /buyer_id']],
    ['04', '9990012344001', ['buyer.ruc /buyer_id']],
    ['04', '1790012344-01', ['buyer.ruc /buyer_id']],
    ['05', '1710034065', []],
    ['05', '1710034066', ['warning buyer.check_digit /buyer_id']],
    ['05', '9910034065', ['buyer.cedula /buyer_id']],
    ['05', '171003406', ['buyer.cedula /buyer_id']],
    ['05', '171003406a', ['buyer.cedula /buyer_id']],
    ['06', 'AB-123', []],
    ['06', 'ab 12.3/4', []],
    ['06', 'Ñ*123', []],
    ['06', ' AB123', ['buyer.passport /buyer_id']],
    ['06', 'A'.repeat(21), ['buyer.passport /buyer_id']],
    ['08', 'B-123/4.5 x', []],
    ['08', 'Ñ_#1', []],
    ['08', 'B 1 ', ['buyer.foreign_id /buyer_id']],
    ['09', '123', ['buyer.id_type /buyer_id_type']],
    ['ruc', '1790012344001', ['buyer.id_type /buyer_id_type']],
    ['06', '9999999999999', ['buyer.final_consumer_id /buyer_id_type']],
    ['04', '9999999999999', ['buyer.final_consumer_id /buyer_id_type']],
  ])('of type %s with %s gives %p', (type, id, expected) => {
    expect(buyer(type, id)).toEqual(expected);
  });

  it('is complete or absent', () => {
    expect(buyer(null, '1710034065')).toEqual(['buyer.incomplete /buyer_id_type']);
    expect(buyer('05', null)).toEqual(['buyer.incomplete /buyer_id']);
    expect(buyer('05', '1710034065', null)).toEqual(['buyer.incomplete /buyer_name']);
    expect(buyer(null, null, 'CLIENTE')).toEqual(['buyer.incomplete /buyer_id_type', 'buyer.incomplete /buyer_id']);
  });

  it('absent is the final consumer', () => {
    const { content } = preflight(final({}), FINAL.issuer, { today: TODAY, maxIssueDateAgeDays: 90 });
    expect([content.buyerIdType, content.buyerId, content.buyerName]).toEqual([
      '07',
      '9999999999999',
      'CONSUMIDOR FINAL',
    ]);
  });

  it('as final consumer has the prescribed id and name', () => {
    expect(buyer('07', '9999999999999', 'CONSUMIDOR FINAL')).toEqual([]);
    expect(buyer('07', '1710034065', 'CONSUMIDOR FINAL')).toEqual(['buyer.final_consumer_id /buyer_id']);
    expect(buyer('07', '9999999999999', 'JUAN')).toEqual(['buyer.final_consumer_name /buyer_name']);
    expect(buyer('07', '9999999999999', 'CONSUMIDOR  FINAL')).toEqual(['buyer.final_consumer_name /buyer_name']);
  });

  it('as final consumer is not named for a test where the document is real', () => {
    const content = full({ buyerIdType: '07', buyerId: '9999999999999', buyerName: 'PRUEBAS SERVICIO DE RENTAS INTERNAS' });
    expect(rulesOf(content, { ...FULL.issuer, environment: '1' })).toEqual([]);
    expect(rulesOf(content, { ...FULL.issuer, environment: '2' })).toEqual(['buyer.final_consumer_name /buyer_name']);
  });

  it.each([
    ['07', '9999999999999', 'Consumidor Final'],
    ['CONSUMIDOR_FINAL', '9999999999999', ' consumidor final '],
    ['07', null, null],
    ['CONSUMIDOR_FINAL', null, null],
    ['07', null, 'Consumidor final'],
    ['07', '9999999999999', null],
  ])('as final consumer need not be told in full: %s, %s, %s', (buyerIdType, buyerId, buyerName) => {
    const told = full({ buyerIdType, buyerId, buyerName });
    const { content, findings } = preflight(told, FULL.issuer, { today: TODAY, maxIssueDateAgeDays: 90 });
    expect(findings).toEqual([]);
    expect(content).toMatchObject({ buyerIdType: '07', buyerId: '9999999999999', buyerName: 'CONSUMIDOR FINAL' });
  });

  it('as final consumer is judged by what is told of it', () => {
    expect(buyer('07', null, 'JUAN')).toEqual(['buyer.final_consumer_name /buyer_name']);
    expect(buyer('07', '1710034065', null)).toEqual(['buyer.final_consumer_id /buyer_id']);
  });

  it.each([
    ['50.00', []],
    ['50.01', ['invoice.final_consumer_limit /total']],
  ])('as final consumer may owe %s: %p', (amount, expected) => {
    const base = FINAL.content.lines[0]!;
    const content = final({
      subtotal: amount,
      totalTax: '0.00',
      total: amount,
      lines: [{ ...base, unitPrice: `${amount}0000`, subtotal: amount, taxRateCode: '0' }],
      taxes: [{ ...FINAL.content.taxes[0]!, taxRateCode: '0', rate: '0.0000', taxableBase: amount, taxAmount: '0.00' }],
      payments: [{ ...PAID[0]!, total: amount }],
    });
    expect(rulesOf(content)).toEqual(expected);
  });
});

describe('text and fields', () => {
  const at = (text: string) => fullLine(0, { description: text });

  it.each([
    ['/lines/0/description', at('x'.repeat(301)), 'SRI ≤ 300, API ≤ 1000', '301'],
    ['/buyer_address', full({ buyerAddress: 'x'.repeat(302) }), 'SRI ≤ 300, API ≤ 500', '302'],
    ['/reason', full({ reason: 'x'.repeat(303) }), 'SRI ≤ 300, API ≤ 500', '303'],
    ['/vehicle_plate', full({ vehiclePlate: 'x'.repeat(21) }), '≤ 20', '21'],
  ])('tells the bounds of %s that it exceeds', (pointer, content, expected, actual) => {
    expect(findingsOf(content)).toContainEqual(
      expect.objectContaining({ rule: 'text.length', pointer, expected, actual }),
    );
  });

  it.each([
    [at('x'.repeat(300)), []],
    [at('x'.repeat(301)), ['text.length /lines/0/description']],
    [at('😀'.repeat(300)), []],
    [at('😀'.repeat(301)), ['text.length /lines/0/description']],
    [at(''), ['text.empty /lines/0/description']],
    [full({ buyerAddress: 'x'.repeat(301) }), ['text.length /buyer_address']],
    [full({ reason: 'x'.repeat(300) }), ['warning document.unused_field /reason']],
    [full({ reason: 'x'.repeat(301) }), ['text.length /reason', 'warning document.unused_field /reason']],
    [full({ vehiclePlate: 'x'.repeat(21) }), ['text.length /vehicle_plate', 'warning invoice.plate_unusual /vehicle_plate']],
    [full({ deliveryGuideNumber: '001-001-1' }), ['invoice.delivery_guide_number /delivery_guide_number']],
    [
      full({ modifiedDocumentNumber: '001-001-000000001' }),
      ['warning document.unused_field /modified_document_number'],
    ],
    [
      fullLine(0, { additionalDetails: Array(4).fill({ name: 'a', value: 'b' }) }),
      ['line.details /lines/0/additional_details'],
    ],
    [
      full({ additionalInfo: [{ name: 'ruc proveedor', value: '1' }] }),
      ['additional_info.reserved /additional_info/0/name'],
    ],
    [
      full({ additionalInfo: [{ name: '', value: '' }] }),
      ['text.empty /additional_info/0/name', 'text.empty /additional_info/0/value'],
    ],
  ])('case %#', (content, expected) => {
    expect(rulesOf(content)).toEqual(expected);
  });

  it('leave room for the fields of the service', () => {
    const fields = (count: number) =>
      full({ additionalInfo: Array.from({ length: count }, (_, n) => ({ name: `n${n}`, value: 'v' })) });
    expect(rulesOf(fields(13))).toEqual([]);
    expect(rulesOf(fields(14))).toEqual(['additional_info.count /additional_info']);
    const plain = { ...FULL.issuer, largeTaxpayer: null, providerRuc: null };
    expect(rulesOf(fields(15), plain)).toEqual([]);
    expect(rulesOf(fields(16), plain)).toEqual(['additional_info.count /additional_info']);
  });

  it('name a platform themselves where the service names none, and never a large taxpayer', () => {
    const plain = { ...FULL.issuer, largeTaxpayer: null, providerRuc: null };
    const named = (...names: string[]) => rulesOf(full({ additionalInfo: names.map((name) => ({ name, value: '0990012348001' })) }), plain);
    expect([named('RUC Proveedor'), named('gran contribuyente')]).toEqual([[], ['additional_info.reserved /additional_info/0/name']]);
    expect([named('ruc proveedor'), named('RUC Proveedor', 'RUC Proveedor')]).toEqual([['additional_info.provider /additional_info/0'], ['additional_info.provider /additional_info/1']]);
    expect(rulesOf(full({ additionalInfo: [{ name: 'RUC Proveedor', value: 'x' }] }), plain)).toEqual(['additional_info.provider /additional_info/0']);
  });
});
