import { dec, money, sum } from '../../../shared/decimal.js';
import { nearly } from '../../../sri/money.js';
import { lineBounds, type LineProduct, type OpenLine, withProduct, withSpreadIva, withTaxesOfDay } from './catalogue-line.js';

const CAFE: LineProduct = {
  name: 'Café', aux_code: 'A1', unit_price: '2.5', default_discount: '0.505', tax_code: '2', iva_rate_code: '4', applies_tourism_iva: false, applies_ice: false, ice_code: null,
};
const DAY = '2026-08-25';
const TOURISM_DAY = '2026-02-15';
const complete = (line: Partial<OpenLine> = {}, product: Partial<LineProduct> = {}, asOf = DAY, documentType = '01'): ReturnType<typeof withProduct> =>
  withProduct({ quantity: '3.000000', ...line }, { ...CAFE, ...product }, asOf, lineBounds(documentType));

it('takes name, code, price, discount in cents and tax, and computes the subtotal', () => {
  expect(complete()).toEqual({
    problems: [],
    line: { quantity: '3.000000', description: 'Café', aux_code: 'A1', unit_price: '2.500000', discount: '0.51', subtotal: '6.99', tax_code: '2', tax_rate_code: '4' },
  });
});

it.each<[string, Partial<OpenLine>, Partial<OpenLine>]>([
  ['a description', { description: 'Otro' }, { description: 'Otro', unit_price: '2.500000' }],
  ['a code', { aux_code: 'Z' }, { aux_code: 'Z' }],
  ['a price', { unit_price: '0.000000', discount: '0.00' }, { unit_price: '0.000000', subtotal: '0.00' }],
  ['a discount, also none', { discount: '0.00' }, { discount: '0.00', subtotal: '7.50' }],
  ['a subtotal, which leaves no discount open, also a wrong one for the rules to find', { subtotal: '7.00' }, { discount: '0.00', subtotal: '7.00' }],
  ['a subtotal with a discount', { subtotal: '6.50', discount: '1.00' }, { discount: '1.00', subtotal: '6.50' }],
  ['a rate', { tax_rate_code: '0' }, { tax_rate_code: '0' }],
])('leaves %s that the line tells', (_name, told, expected) => {
  expect(complete(told)).toMatchObject({ problems: [], line: expected });
});

it('leaves the taxes that a line tells, also of a product with ICE', () => {
  const taxes = [{ tax_code: '2', tax_rate_code: '0', taxable_base: '6.99', rate: '0.0000', tax_amount: '0.00' }];
  const { line, problems } = complete({ taxes }, { applies_ice: true, ice_code: '3043' });
  expect([line.taxes, line.tax_rate_code, problems]).toEqual([taxes, undefined, []]);
  expect(complete({ tax_rate_code: '4' }, { applies_ice: true, ice_code: '3610' }).line.taxes).toBeUndefined();
});

it('asks for the rate of a tax that is not the product\'s', () => {
  expect(complete({ tax_code: '3' }).problems).toEqual([{ field: 'tax_rate_code', type: 'missing', ctx: {} }]);
  expect(complete({ tax_code: '2' })).toMatchObject({ problems: [], line: { tax_rate_code: '4' } });
});

it.each([
  [DAY, true, '4'],
  [TOURISM_DAY, true, '8'],
  [TOURISM_DAY, false, '4'],
])('on %s a product with tourism %s has rate %s', (day, applies_tourism_iva, rate) => {
  expect(complete({}, { applies_tourism_iva }, day).line.tax_rate_code).toBe(rate);
});

it.each([
  ['20 %', '3610', { rate: '0.2000', tax_amount: '2.00', tariff: null }, { taxable_base: '12.00', tax_amount: '1.80' }],
  ['150 %, more than `rate` can say', '3023', { rate: '1.0000', tax_amount: '15.00', tariff: '150.00' }, { taxable_base: '25.00', tax_amount: '3.75' }],
])('itemises ICE of %s and the IVA on top of it', (_name, ice_code, ice, iva) => {
  const { line, problems } = complete({ quantity: '4' }, { applies_ice: true, ice_code, default_discount: '0' });
  expect([line.tax_code, line.tax_rate_code, problems]).toEqual(['2', undefined, []]);
  expect(line.taxes).toEqual([
    { tax_code: '3', tax_rate_code: ice_code, taxable_base: '10.00', ...ice },
    { tax_code: '2', tax_rate_code: '4', rate: '0.1500', tariff: null, ...iva },
  ]);
});

it.each([
  ['per unit of something', { ice_code: '3043' }, DAY],
  ['partly per unit of something', { ice_code: '3031' }, DAY],
  ['before its table begins', { ice_code: '3610' }, '2020-01-01'],
  ['with an IVA that is not in force', { ice_code: '3610', iva_rate_code: '3' }, DAY],
])('asks for the taxes of a product with ICE %s, and says why', (_name, product, day) => {
  const { ice_code } = product;
  expect(complete({}, { applies_ice: true, ...product }, day).problems).toEqual([{ field: 'main_code', type: 'taxes_not_derivable', ctx: { ice_code } }, { field: 'taxes', type: 'missing', ctx: {} }]);
});

it('gives the lines of a delivery guide no amounts', () => {
  expect(complete({}, { applies_ice: true, ice_code: '3043' }, DAY, '06')).toMatchObject({
    problems: [], line: { description: 'Café', unit_price: '0.000000', discount: '0.00', subtotal: '0.00', tax_code: '2', tax_rate_code: '4' },
  });
});

it('refuses a discount above the price and an amount of thirteen digits, but takes no offence at a subtotal that is told', () => {
  expect(complete({ quantity: '0.200000' }).problems).toEqual([{ field: 'discount', type: 'less_than_equal', ctx: { le: '0.50' } }]);
  expect(complete({ quantity: '0.201000' }).problems).toMatchObject([{ field: 'discount', ctx: { le: '0.50' } }]);
  for (const [quantity, discount] of [['0.201000', '0.50'], ['0.202000', '0.51'], ['0.203000', '0.51']] as const) expect(complete({ quantity, discount })).toMatchObject({ problems: [], line: { discount } });
  expect(complete({ quantity: '0.203000' }).line.subtotal).toBe('0.00');
  const large = { quantity: '999999999999.000000', unit_price: '2.000000' };
  expect(complete(large).problems).toEqual([{ field: 'subtotal', type: 'decimal_whole_digits', ctx: { whole_digits: 12 } }]);
  expect(complete({ ...large, subtotal: '1.00' }).problems).toEqual([]);
});

it.each([
  ['05', '0.00', '7.50'],
  ['03', '0.51', '6.99'],
  ['04', '0.51', '6.99'],
])('takes the discount where the document may have one: %s', (documentType, discount, subtotal) => {
  expect(complete({}, {}, DAY, documentType)).toMatchObject({ problems: [], line: { discount, subtotal } });
});

it.each(['03', '07'])('takes the IVA alone of a product with ICE, where the document has no ICE: %s', (documentType) => {
  for (const ice_code of ['3610', '3043']) {
    const { line, problems } = complete({}, { applies_ice: true, ice_code }, DAY, documentType);
    expect([line.tax_code, line.tax_rate_code, line.taxes, problems]).toEqual(['2', '4', undefined, []]);
  }
});

describe('the IVA of lines that take it with ICE', () => {
  const SODA = { unit_price: '0.23', default_discount: '0', applies_ice: true, ice_code: '3630' };
  // ICE of 30 %, 0.07, and 15 % of 0.30: 0.045.
  const soda = complete({ quantity: '1' }, SODA).line;
  const sodas = (count: number): OpenLine[] => Array.from({ length: count }, () => soda);
  const amounts = (amount: string, count: number): string[] => Array.from({ length: count }, () => amount);
  const isItemised = ({ taxes }: OpenLine): boolean => taxes !== undefined;
  const spread = (lines: readonly OpenLine[], given: Parameters<typeof withSpreadIva>[2] = [], isMade = (index: number): boolean => isItemised(lines[index]!)): string[] =>
    withSpreadIva(lines, isMade, given, DAY).filter(isItemised).map(({ taxes }) => taxes![1]!.tax_amount);

  it('is that of each line while together they are within a cent of the tax of their base', () => {
    expect(soda.taxes).toMatchObject([{ tax_amount: '0.07' }, { taxable_base: '0.30', tax_amount: '0.05' }]);
    expect(spread(sodas(2))).toEqual(amounts('0.05', 2));
  });

  it('has its cents spread beyond, each line within a cent of its own, and leaves the ICE', () => {
    const ivas = spread(sodas(10));
    expect(money(sum(ivas))).toBe('0.45');
    for (const iva of ivas) expect(nearly(iva, '0.045')).toBe(true);
    expect(withSpreadIva(sodas(10), () => true, [], DAY).map(({ taxes }) => taxes![0]!.tax_amount)).toEqual(amounts('0.07', 10));
  });

  it('leaves what the caller itemised, and counts it and the lines that tell a code alone', () => {
    expect(spread(sodas(10), [], () => false)).toEqual(amounts('0.05', 10));
    const [told, ...made] = spread(sodas(10), [], (index) => index > 0);
    expect([told, money(sum(made))]).toEqual(['0.05', '0.41']);
    // Of 0.23 the tax is 0.0345, so ten lines are as far below as ten of the others are above.
    const plain: OpenLine = { quantity: '1', subtotal: '0.23', tax_code: '2', tax_rate_code: '4' };
    expect(spread([...sodas(10), ...Array.from({ length: 10 }, () => plain)])).toEqual(amounts('0.05', 10));
  });

  it('follows the group that the caller gives', () => {
    const group = (tax_amount: string): Parameters<typeof withSpreadIva>[2] => [{ tax_code: '2', tax_rate_code: '4', taxable_base: '3.00', rate: '0.15', tax_amount }];
    expect(spread(sodas(10), group('0.50'))).toEqual(amounts('0.05', 10));
    expect(money(sum(spread(sodas(10), group('0.45'))))).toBe('0.45');
  });
});

describe('taxes of another day', () => {
  const HOTEL = { ...CAFE, applies_tourism_iva: true };
  const moved = (line: OpenLine, from: string, to: string, product: LineProduct = HOTEL): OpenLine => withTaxesOfDay(line, product, { from, to }, lineBounds('01'));
  const [ordinary, reduced] = [complete({}, HOTEL).line, complete({}, HOTEL, TOURISM_DAY).line];

  it('are those of the product on that day, both ways', () => {
    expect([moved(ordinary, DAY, TOURISM_DAY), moved(reduced, TOURISM_DAY, DAY)]).toEqual([reduced, ordinary]);
  });

  it('go with the ICE of the line, its spread cents or not', () => {
    const product = { ...HOTEL, applies_ice: true, ice_code: '3610' };
    const [one, other] = [DAY, TOURISM_DAY].map((day) => complete({}, product, day).line) as [OpenLine, OpenLine];
    const beside = { ...one, taxes: one.taxes!.map((tax) => ({ ...tax, tax_amount: money(dec(tax.tax_amount).plus('0.01')) })) };
    expect(other.taxes).toMatchObject([{ tax_code: '3' }, { tax_rate_code: '8' }]);
    expect([moved(one, DAY, TOURISM_DAY, product), moved(beside, DAY, TOURISM_DAY, product)]).toEqual([other, other]);
  });

  it('leave a line whose caller chose another rate, and one whose taxes do not change', () => {
    for (const line of [{ ...ordinary, tax_rate_code: '0' }, { ...ordinary, tax_code: '3' }, { ...ordinary, taxes: [{ tax_code: '2', tax_rate_code: '4', taxable_base: '6.99', rate: '0.15', tax_amount: '1.05' }] }]) {
      expect(moved(line, DAY, TOURISM_DAY)).toBe(line);
    }
    expect(moved(reduced, DAY, TOURISM_DAY)).toBe(reduced);
    expect(moved(ordinary, DAY, '2026-08-26')).toBe(ordinary);
    expect(moved(ordinary, DAY, TOURISM_DAY, CAFE)).toBe(ordinary);
  });
});
