import { dec } from '../shared/decimal.js';
import { lineSubtotal, nearly, percentOf, rateOf, roundingOf, taxAmount } from './money.js';

describe('arithmetic of documents', () => {
  it.each([
    ['2', '10.5', '1.00', '20'],
    ['1.5', '3.333333', '0.00', '5'],
    ['3', '0.335', '0.00', '1.01'],
    ['1', '1.00', '1.50', '-0.5'],
    ['0.000001', '0.01', '0.00', '0'],
    ['2.5', '1.99', '4.98', '0'],
    ['2.5', '1.99', '4.97', '0.01'],
    ['2.5', '1.99', '4.99', '-0.01'],
    ['1', '0.004', '0.01', '-0.01'],
  ])('line of %s x %s - %s is %s', (quantity, price, discount, subtotal) => {
    expect(lineSubtotal(quantity, price, discount).toFixed()).toBe(subtotal);
  });

  it('rounds taxes half up', () => {
    expect(taxAmount('0.10', '0.15').toFixed(2)).toBe('0.02');
    expect(taxAmount('20.00', '0.1500').toFixed(2)).toBe('3.00');
    expect(taxAmount(dec('0.30'), '0.05').toFixed(3)).toBe('0.020');
  });

  it('tolerates exactly one cent', () => {
    expect(nearly('1.00', '1.01')).toBe(true);
    expect(nearly('1.00', '1.02')).toBe(false);
    expect(nearly('1.00', '1.011')).toBe(false);
  });

  it('allows half a cent per rounded amount, and at least one', () => {
    expect(roundingOf(1).toFixed()).toBe('0.01');
    expect(roundingOf(20).toFixed()).toBe('0.1');
  });

  it('converts rates both ways', () => {
    expect(percentOf('0.15')).toBe('15.00');
    expect(percentOf('0.0025')).toBe('0.25');
    expect(rateOf('15.00')).toBe('0.1500');
  });
});
