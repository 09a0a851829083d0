import { FULL, full, fullLine, fullTax, PAID, rulesOf, SEVERAL, severalLine, TODAY } from '../../../../test/support/documents/invoices.js';
import { dec, money } from '../../../shared/decimal.js';
import { preflight } from '../../preflight.js';
import type { DocumentContent, DocumentTax } from '../content.js';
import { INVOICE_EXAMPLES } from './examples.js';

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
    expect(rulesOf(severalLine(0, { taxes: [ice!, { ...iva!, taxAmount: '18.02' }] }))).toEqual([
      'tax.amount /lines/0/taxes/1/tax_amount', 'taxes.amount /taxes/2/tax_amount',
    ]);
  });

  describe('of a cent at 0 %', () => {
    const cent = { taxableBase: '10.00', rate: '0.0000', taxAmount: '0.01', tariff: null } as const;
    /** An invoice of one line of 10.00 at a code of IVA, whose one group is a cent. */
    const invoice = (taxRateCode: string, ofLine: DocumentTax[] | null): DocumentContent =>
      full({
        lines: [{ ...FULL.content.lines[0]!, quantity: '1.000000', unitPrice: '10.000000', discount: '0.00', subtotal: '10.00', taxCode: '2', taxRateCode, taxes: ofLine }],
        subtotal: '10.00', totalDiscount: '0.00', totalTax: '0.01', total: '10.01', taxes: [{ ...cent, taxCode: '2', taxRateCode }],
        tip: null, payments: [{ ...PAID[0]!, total: '10.01' }],
      });
    const ofGroup = 'warning tax.amount_at_zero_rate /taxes/0/tax_amount';

    it.each(['0', '6', '7'])('are taken with a warning, code %s', (code) => {
      expect(rulesOf(invoice(code, null))).toEqual([ofGroup]);
      expect(rulesOf(invoice(code, [{ ...cent, taxCode: '2', taxRateCode: code }]))).toEqual(['warning tax.amount_at_zero_rate /lines/0/taxes/0/tax_amount', ofGroup]);
    });

    it('are refused from two cents on, without it', () => {
      expect(rulesOf(fullTax(1, { taxAmount: '0.02' }))).toEqual(expect.arrayContaining(['taxes.amount /taxes/1/tax_amount']));
      expect(rulesOf(fullTax(1, { taxAmount: '0.02' })).filter((rule) => rule.includes('zero_rate'))).toEqual([]);
    });

    it('are told of reimbursed documents too, and not where the rate does not bind', () => {
      const { content, issuer } = INVOICE_EXAMPLES.find(({ name }) => name === 'reimbursement')!;
      const reimbursed = (tax: Pick<DocumentTax, 'taxCode' | 'taxRateCode'>) =>
        rulesOf({ ...content, reimbursements: content.reimbursements.map((entry) => ({ ...entry, taxes: [{ ...cent, ...tax }] })) }, issuer).filter((rule) => rule.includes('zero_rate'));
      expect(reimbursed({ taxCode: '2', taxRateCode: '0' })).toEqual(content.reimbursements.map((_entry, at) => `warning tax.amount_at_zero_rate /reimbursements/${at}/taxes/0/tax_amount`));
      expect(reimbursed({ taxCode: '3', taxRateCode: '3092' })).toEqual([]);
    });
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
      ['2.00', '0.02', [`warning tax.rate_unusual ${line}`, 'warning tax.units_unusual /lines/1/taxes/1/tax_amount', `taxes.tariff ${group}`]],
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
    ['1.0000', null, 'tax.tariff_missing'],
    ['1.0000', '150.00', null],
    // The law may have lowered it.
    ['0.7500', null, 'warning tax.rate_unusual'],
  ])('of excise above 100 %% need the tariff: rate %s, tariff %s', (rate, tariff, expected) => {
    const [ice, iva] = SEVERAL.content.lines[0]!.taxes!;
    const found = rulesOf(severalLine(0, { taxes: [{ ...ice!, taxRateCode: '3023', rate, tariff, taxAmount: '150.00' }, { ...iva!, taxableBase: '250.00', taxAmount: '37.50' }] }));
    const told = ['tariff', 'rate'].flatMap((field) => found.filter((one) => one.endsWith(` /lines/0/taxes/0/${field}`)));
    expect(told).toEqual(expected === null ? [] : [`${expected} /lines/0/taxes/0/${expected === 'tax.tariff_missing' ? 'tariff' : 'rate'}`]);
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

  it('per unit are those of whole units', () => {
    const [iva, bottle] = SEVERAL.content.lines[1]!.taxes!;
    expect(rulesOf(severalLine(1, { taxes: [iva!, { ...bottle!, taxAmount: '0.13' }] }))).toEqual(['warning tax.units_unusual /lines/1/taxes/1/tax_amount']);
  });

  it('that are a percentage and a part per unit are at least the percentage', () => {
    const [line] = SEVERAL.content.lines;
    const [, iva] = line!.taxes!;
    const drink = (taxAmount: string, told: Pick<DocumentTax, 'rate' | 'tariff'> = { rate: '0.7500', tariff: null }) => severalLine(0, {
      taxes: [
        { taxCode: '3', taxRateCode: '3031', taxableBase: '100.00', taxAmount, ...told },
        { ...iva!, taxableBase: money(dec('100').plus(taxAmount)), taxAmount: money(dec('100').plus(taxAmount).times('0.15')) },
      ],
    });
    const least = 'warning tax.amount_unusual /lines/0/taxes/0/tax_amount';
    expect(rulesOf(drink('74.98'))).toContain(least);
    expect(rulesOf(drink('74.98', { rate: '0.0000', tariff: '75.00' }))).toContain(least);
    // Its part per unit alone.
    expect(rulesOf(drink('10.00', { rate: '0.0000', tariff: '10.00' }))).not.toContain(least);
    for (const enough of ['74.99', '75.00', '85.00']) expect(rulesOf(drink(enough))).not.toContain(least);
  });

  describe('of plastic bags', () => {
    const [ice, iva] = SEVERAL.content.lines[3]!.taxes!;

    it('stand in a line with their code', () => {
      expect(rulesOf(severalLine(3, { mainCode: 'BOLSA' }))).toEqual(['warning line.plastic_bag /lines/3/main_code']);
      expect(rulesOf(severalLine(3, { mainCode: null }))).toEqual(['warning line.plastic_bag /lines/3/main_code']);
    });

    it('are quantity x tariff', () => {
      const bags = { taxes: [{ ...ice!, taxAmount: '8.00' }, { ...iva!, taxableBase: '8.00', taxAmount: '1.20' }] };
      expect(rulesOf(severalLine(3, bags))).toContain('warning line.plastic_bag_amount /lines/3/taxes/0/tax_amount');
    });
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
