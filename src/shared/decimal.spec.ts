import fc from 'fast-check';
import { dec, Decimal, money, parseDecimal, round2, sum } from './decimal.js';

const AMOUNT = { fractionDigits: 2 };

describe('parseDecimal', () => {
  it.each([
    [1, '1.00'],
    ['1', '1.00'],
    ['1.0', '1.00'],
    ['1.00', '1.00'],
    ['+1.00', '1.00'],
    [0.1, '0.10'],
    ['0', '0.00'],
    [0, '0.00'],
    ['999999999999.99', '999999999999.99'],
    [1e3, '1000.00'],
    [1234567890123.45e-3, null],
    [123456789012.34, '123456789012.34'],
  ])('reads %p as %p', (input, value) => {
    expect(parseDecimal(input, AMOUNT)).toEqual(
      value === null ? { ok: false, type: 'decimal_max_places', ctx: { decimal_places: 2 } } : { ok: true, value },
    );
  });

  it.each([
    ['1e3', 'decimal_parsing'],
    ['1E-2', 'decimal_parsing'],
    [1e21, 'decimal_parsing'],
    [1e-7, 'decimal_parsing'],
    [1e400, 'decimal_parsing'],
    [-0, 'greater_than_equal'],
    ['-0.00', 'greater_than_equal'],
    [-0.01, 'greater_than_equal'],
    ['-1', 'greater_than_equal'],
    [NaN, 'decimal_parsing'],
    [Infinity, 'decimal_parsing'],
    ['NaN', 'decimal_parsing'],
    ['Infinity', 'decimal_parsing'],
    ['1.005', 'decimal_max_places'],
    [1.005, 'decimal_max_places'],
    [0.1 + 0.2, 'decimal_max_digits'],
    ['1,00', 'decimal_parsing'],
    ['1.234,56', 'decimal_parsing'],
    ['1 000', 'decimal_parsing'],
    ['1_000', 'decimal_parsing'],
    ['٣', 'decimal_parsing'],
    ['１', 'decimal_parsing'],
    ['Ⅳ', 'decimal_parsing'],
    ['1\u2009000', 'decimal_parsing'],
    ['1\u200F', 'decimal_parsing'],
    ['', 'decimal_parsing'],
    [' ', 'decimal_parsing'],
    [' 1.00 ', 'decimal_parsing'],
    ['.5', 'decimal_parsing'],
    ['5.', 'decimal_parsing'],
    ['0x10', 'decimal_parsing'],
    ['1.00\n', 'decimal_parsing'],
    ['+-1', 'decimal_parsing'],
    ['--1', 'decimal_parsing'],
    ['9'.repeat(1000), 'decimal_parsing'],
    [9007199254740993, 'decimal_max_digits'],
    ['1000000000000', 'decimal_whole_digits'],
    [true, 'decimal_type'],
    [null, 'decimal_type'],
    [undefined, 'decimal_type'],
    [['1'], 'decimal_type'],
    [{ value: '1' }, 'decimal_type'],
    [10n, 'decimal_type'],
  ])('refuses %p as %s', (input, type) => {
    expect(parseDecimal(input, AMOUNT)).toMatchObject({ ok: false, type });
  });

  it.each(['00012.50', '007', '00', '00.5', '+01'])('refuses leading zeros: %s', (input) => {
    expect(parseDecimal(input, AMOUNT)).toMatchObject({ ok: false, type: 'decimal_parsing' });
  });

  it('keeps six decimals of quantities and refuses a seventh', () => {
    expect(parseDecimal('3.333333', { fractionDigits: 6 })).toEqual({ ok: true, value: '3.333333' });
    expect(parseDecimal('2', { fractionDigits: 6 })).toEqual({ ok: true, value: '2.000000' });
    expect(parseDecimal('0.1234567', { fractionDigits: 6 })).toMatchObject({ type: 'decimal_max_places' });
  });

  it('refuses zero where the field must be positive', () => {
    for (const zero of [0, '0', '0.000000']) {
      expect(parseDecimal(zero, { fractionDigits: 6, positive: true })).toEqual({
        ok: false,
        type: 'greater_than',
        ctx: { gt: 0 },
      });
    }
  });

  it('holds rates between 0 and 1 with four decimals', () => {
    const rate = { fractionDigits: 4, max: '1' };
    expect(parseDecimal(0.15, rate)).toEqual({ ok: true, value: '0.1500' });
    expect(parseDecimal(1, rate)).toEqual({ ok: true, value: '1.0000' });
    expect(parseDecimal(12, rate)).toMatchObject({ type: 'less_than_equal', ctx: { le: '1' } });
    expect(parseDecimal('1.0001', rate)).toMatchObject({ type: 'less_than_equal' });
    expect(parseDecimal('12%', rate)).toMatchObject({ type: 'decimal_parsing' });
    expect(parseDecimal('0.15001', rate)).toMatchObject({ type: 'decimal_max_places' });
    expect(parseDecimal(-0.1, rate)).toMatchObject({ type: 'greater_than_equal' });
  });

  it('takes signs where the field is signed, but never minus zero', () => {
    const signed = { fractionDigits: 2, signed: true };
    expect(parseDecimal('-1.5', signed)).toEqual({ ok: true, value: '-1.50' });
    expect(parseDecimal('-0', signed)).toMatchObject({ ok: false });
  });

  it('reads integers when no fraction is allowed', () => {
    expect(parseDecimal('12', { fractionDigits: 0 })).toEqual({ ok: true, value: '12' });
    expect(parseDecimal('12.0', { fractionDigits: 0 })).toMatchObject({ type: 'decimal_max_places' });
  });

  it('gives one canonical form for every spelling of a value', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 99_999_999_999 }), (cents) => {
        const value = `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
        const canonical = { ok: true, value };
        expect(parseDecimal(value, AMOUNT)).toEqual(canonical);
        expect(parseDecimal(`+${value}`, AMOUNT)).toEqual(canonical);
        expect(parseDecimal(cents / 100, AMOUNT)).toEqual(canonical);
      }),
    );
  });
});

describe('amounts', () => {
  it('rounds half up to cents without binary error', () => {
    expect(money(dec('1.005'))).toBe('1.01');
    expect(money(dec('2.675'))).toBe('2.68');
    expect(money(dec('0.004999'))).toBe('0.00');
    expect(round2(dec('10.125')).toString()).toBe('10.13');
  });

  it('adds exactly', () => {
    expect(sum(['0.10', '0.20', '1000000000000.01']).toFixed()).toBe('1000000000000.31');
    expect(money(sum([]))).toBe('0.00');
  });

  it('multiplies the widest quantity by the widest price exactly', () => {
    expect(dec('999999999999.999999').times('999999999999.999999').toFixed()).toBe(
      '999999999999999998000000.000000000001',
    );
  });
});

describe('dec', () => {
  it('reads what the library reads, into the same words, sign and exponent', () => {
    const digits = (most: number) => fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: most }).map((all) => all.join(''));
    const texts = fc.oneof(
      digits(9),
      fc.tuple(digits(9), digits(9)).map(([whole, fraction]) => `${whole}.${fraction}`),
      fc.tuple(fc.constantFrom('-', '+', ''), digits(3), fc.constantFrom('.', '.0', '.00', '.000001', 'e3', '')).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const { s, e, d } = new Decimal(text);
        const read = dec(text);
        expect({ s: read.s, e: read.e, d: read.d }).toEqual({ s, e, d });
        expect(read.times(read).plus(read).toFixed()).toBe(new Decimal(text).times(new Decimal(text)).plus(new Decimal(text)).toFixed());
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(['', '.', '1.2.3', '1,5', ' 1', '1 ', 'x', '１', '1.5x', '--1'])('throws on %p as the library does', (text) => {
    expect(() => new Decimal(text)).toThrow();
    expect(() => dec(text)).toThrow();
  });
});
