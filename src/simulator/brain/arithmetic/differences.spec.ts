import { differences } from './differences.js';
import type { Line, Tax, Totals } from './totals.js';

const iva = (base: string, amount: string, rateCode = '4', rate = '15.00'): Tax => ({
  code: '2',
  rateCode,
  rate,
  base,
  amount,
  refund: null,
});
const line = (quantity: string, unitPrice: string, net: string, ...taxes: Tax[]): Line => ({
  quantity,
  unitPrice,
  discount: '0.00',
  net,
  taxes,
});

const good: Totals = {
  lines: [line('3', '3.333333', '10.00', iva('10.00', '1.50')), line('1', '5', '5.00', iva('5.00', '0.00', '0', '0'))],
  taxes: [iva('10.00', '1.50'), iva('5.00', '0.00', '0', '0')],
  net: '15.00',
  discount: '0.00',
  tip: '1.50',
  extras: ['2.00'],
  total: '20.00',
  payments: ['12.00', '8.00'],
  ratesOn: '25/08/2026',
};

it('finds nothing in a document that foots', () => expect(differences(good)).toEqual([]));

it.each<[string, Partial<Totals>]>([
  ['one cent in the total', { total: '20.01', payments: ['20.01'] }],
  ['one cent in the payments', { payments: ['20.01'] }],
  ['one cent in a line', { lines: [line('3', '3.336', '10.00', iva('10.00', '1.50')), good.lines[1]!] }],
])('tolerates %s', (_, changes) => expect(differences({ ...good, ...changes })).toEqual([]));

it('takes a line whose whole price, half a cent in it, is discounted', () => {
  const free = { ...line('2.5', '1.99', '0.00', iva('0.00', '0.00')), discount: '4.98' };
  const totals = { ...good, lines: [free], taxes: free.taxes, net: '0.00', discount: '4.98', tip: null, extras: [], total: '0.00', payments: ['0.00'] };
  expect(differences(totals)).toEqual([]);
});

it('takes the sum of the rounded line taxes and the tax of the group alike', () => {
  const lines = Array.from({ length: 10 }, () => line('1', '0.10', '0.10', iva('0.10', '0.02')));
  const totals = { ...good, lines, net: '1.00', tip: null, extras: [] };
  expect(differences({ ...totals, taxes: [iva('1.00', '0.20')], total: '1.20', payments: ['1.20'] })).toEqual([]);
  expect(differences({ ...totals, taxes: [iva('1.00', '0.15')], total: '1.15', payments: ['1.15'] })).toEqual([]);
  expect(differences({ ...totals, taxes: [iva('1.00', '0.18')], total: '1.18', payments: ['1.18'] })).toHaveLength(1);
});

it('takes the tax of the group where the lines are no further apart than rounding explains', () => {
  const of = (count: number, taxed: string, rateCode?: string, rate?: string) => {
    const lines = Array.from({ length: count }, () => line('1', '1.00', '1.00', iva('1.00', taxed, rateCode, rate)));
    const net = `${count}.00`;
    const due = rateCode === undefined ? (count * 0.15).toFixed(2) : '0.00';
    const total = (count + Number(due)).toFixed(2);
    return differences({ ...good, lines, taxes: [iva(net, due, rateCode, rate)], net, tip: null, extras: [], total, payments: [total] });
  };
  expect(of(1, '0.16')).toEqual([]);
  // Nothing was rounded: two lines that are a cent off each are one too many.
  expect(of(2, '0.16')).toEqual([expect.stringContaining('el valor')]);
  expect(of(20, '0.16')).toEqual([expect.stringContaining('el valor')]);
  const cents = Array.from({ length: 7 }, () => line('1', '0.09', '0.09', iva('0.09', '0.02')));
  expect(differences({ ...good, lines: cents, taxes: [iva('0.63', '0.09')], net: '0.63', tip: null, extras: [], total: '0.72', payments: ['0.72'] })).toEqual([]);
  expect(of(1, '0.01', '0', '0')).toEqual([]);
  expect(of(2, '0.01', '0', '0')).toEqual([expect.stringContaining('el valor')]);
});

it.each<[string, Partial<Totals>, string]>([
  ['the total', { total: '20.02', payments: ['20.02'] }, 'El importe total'],
  ['the payments', { payments: ['19.98'] }, 'La suma de los pagos'],
  ['missing payments', { payments: [] }, 'La suma de los pagos'],
  ['the net total', { net: '15.02', total: '20.02', payments: ['20.02'] }, 'El total sin impuestos'],
  ['the discount', { discount: '1.00' }, 'El total de descuentos'],
  ['the tip', { tip: '1.60', total: '20.10', payments: ['20.10'] }, 'La propina'],
  [
    'a rate that is not the code’s',
    { lines: [line('3', '3.333333', '10.00', iva('10.00', '1.20', '4', '12')), good.lines[1]!] },
    'la tarifa de IVA',
  ],
  [
    'an unknown rate code',
    { lines: [line('3', '3.333333', '10.00', iva('10.00', '1.50', '99')), good.lines[1]!] },
    'no está vigente',
  ],
  ['a rate code that is not in force', { ratesOn: '01/01/2024' }, 'no está vigente'],
  ['the tax of a line', { lines: [line('3', '3.333333', '10.00', iva('10.00', '1.53')), good.lines[1]!] }, 'el IVA'],
  [
    'the base of a line',
    { lines: [line('3', '3.333333', '10.00', iva('9.00', '1.35')), good.lines[1]!] },
    'la base del IVA',
  ],
  [
    'two IVA entries',
    { lines: [line('3', '3.333333', '10.00', iva('10.00', '1.50'), iva('10.00', '0', '7', '0')), good.lines[1]!] },
    'un solo impuesto IVA',
  ],
  ['a group without lines', { taxes: [...good.taxes, iva('0.00', '0.00', '7', '0')] }, 'Impuesto 2/7'],
  ['a missing group', { taxes: [iva('10.00', '1.50')] }, 'Impuesto 2/0'],
])('reports %s', (_, changes, text) => {
  expect(differences({ ...good, ...changes }).join('; ')).toContain(text);
});

it('adds the ICE of a line to the base of its IVA', () => {
  const ice: Tax = { code: '3', rateCode: '3101', rate: '10.00', base: '10.00', amount: '1.00', refund: null };
  const totals: Totals = {
    ...good,
    lines: [line('1', '10', '10.00', ice, iva('11.00', '1.65'))],
    taxes: [ice, iva('11.00', '1.65')],
    net: '10.00',
    tip: null,
    extras: [],
    total: '12.65',
    payments: ['12.65'],
  };
  expect(differences(totals)).toEqual([]);
  expect(differences({ ...totals, lines: [line('1', '10', '10.00', ice, iva('10.00', '1.50'))] })).not.toEqual([]);
});

it('takes ICE as it is printed, by value and by unit, but for the sums', () => {
  const of = (rateCode: string, rate: string, iceAmount: string): Totals => {
    const ice: Tax = { code: '3', rateCode, rate, base: '10.00', amount: iceAmount, refund: null };
    const base = (10 + Number(iceAmount)).toFixed(2);
    const taxed = iva(base, (Number(base) * 0.15).toFixed(2));
    const total = (Number(base) + Number(taxed.amount)).toFixed(2);
    const lines = [line('1', '10', '10.00', ice, taxed)];
    return { ...good, lines, taxes: [ice, taxed], net: '10.00', tip: null, extras: [], total, payments: [total] };
  };
  expect(differences(of('3101', '10.00', '1.00'))).toEqual([]);
  expect(differences(of('3041', '75.00', '9.60'))).toEqual([]);
  expect(differences(of('3680', '0.08', '4.00'))).toEqual([]);
  expect(differences(of('3533', '0', '4.00'))).toEqual([]);
  const other = of('3101', '10.00', '1.50');
  const [ice, taxed] = other.taxes;
  expect(differences({ ...other, taxes: [{ ...ice!, amount: '1.00' }, taxed!] }).join('; ')).toContain('Impuesto 3/3101: el valor');
});
