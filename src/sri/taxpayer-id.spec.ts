import { checkCedula, checkRuc } from './taxpayer-id.js';

describe('RUC', () => {
  it.each([
    ['1760013210001', 'public body'],
    ['1790012344001', 'company'],
    ['1710034065001', 'natural person'],
  ])('%s (%s) is valid', (ruc) => {
    expect(checkRuc(ruc)).toEqual({ valid: true });
    expect(checkRuc(ruc, { strict: true })).toEqual({ valid: true });
  });

  it.each(['1793213150001', '1793189906001', '0993366721001', '0993370026001', '1793221293001', '0993381661001'])(
    '%s, active at the SRI against modulo 11, is valid with a warning, and refused when strict',
    (ruc) => {
      expect(checkRuc(ruc)).toEqual({ valid: true, warning: 'check_digit' });
      expect(checkRuc(ruc, { strict: true })).toEqual({ valid: false, problem: 'check_digit' });
    },
  );

  it.each([
    ['', 'format'],
    ['179001100100', 'format'],
    ['17900110010011', 'format'],
    ['179001100100a', 'format'],
    ['1790011001 01', 'format'],
    ['1790011001-01', 'format'],
    ['1790011001٠01', 'format'],
    ['9990011001001', 'province'],
    ['0090011001001', 'province'],
    ['2590011001001', 'province'],
    ['9999999999999', 'province'],
    ['1770011001001', 'third_digit'],
    ['1780011001001', 'third_digit'],
    ['1790011001000', 'suffix'],
    ['1790011001002', 'suffix'],
    ['1710034066001', 'check_digit'],
  ])('%p cannot be one: %s', (ruc, problem) => {
    expect(checkRuc(ruc)).toEqual({ valid: false, problem });
  });

  it('takes another establishment where the caller asks for it, but never 000', () => {
    expect(checkRuc('1790012344002', { anyEstablishment: true })).toEqual({ valid: true });
    expect(checkRuc('1790011001000', { anyEstablishment: true })).toEqual({ valid: false, problem: 'suffix' });
  });

  it.each(['177', '178'])('takes a receiver whose RUC begins with %s, by the cédula rule', (first) => {
    const nine = `${first}000000`;
    const cedula = `${nine}${expectedDigit(nine)}`;
    expect(checkCedula(cedula)).toEqual({ valid: true });
    expect(checkRuc(`${cedula}001`, { anyEstablishment: true })).toEqual({ valid: true });
    expect(checkRuc(`${nine}${(Number(cedula[9]) + 1) % 10}001`, { anyEstablishment: true })).toEqual({ valid: false, problem: 'check_digit' });
    expect(checkRuc(`${cedula}001`)).toEqual({ valid: false, problem: 'third_digit' });
  });

  it('takes a foreigner with third digit 6 by the cédula rule', () => {
    const cedula = `176815257${expectedDigit('176815257')}`;
    expect(checkRuc(`${cedula}001`, { strict: true })).toEqual({ valid: true });
    expect(checkRuc(`${cedula.slice(0, 9)}${(Number(cedula[9]) + 1) % 10}001`)).toEqual({
      valid: true,
      warning: 'check_digit',
    });
  });
});

describe('cédula', () => {
  it.each(['1710034065', '0926687856'])('%s is valid', (cedula) => {
    expect(checkCedula(cedula)).toEqual({ valid: true });
  });

  it('of a person registered abroad has province 30', () => {
    expect(checkCedula(`305000000${expectedDigit('305000000')}`)).toEqual({ valid: true });
  });

  it.each([
    ['1710034066', 'check_digit'],
    ['9910034065', 'province'],
    ['171003406', 'format'],
    ['17100340655', 'format'],
    ['171003406x', 'format'],
  ])('%s cannot be one: %s', (cedula, problem) => {
    expect(checkCedula(cedula)).toEqual({ valid: false, problem });
  });

  it('accepts exactly one check digit for every nine digits', () => {
    for (let number = 0; number < 2000; number += 1) {
      const nine = `17${String(number * 4999)
        .padStart(7, '0')
        .slice(-7)}`;
      const accepted = Array.from('0123456789').filter((digit) => checkCedula(nine + digit).valid);
      expect(accepted).toEqual([expectedDigit(nine)]);
    }
  });
});

/** The rule written another way: double the odd places, add the digits of the products. */
function expectedDigit(cedula: string): string {
  const total = Array.from(cedula.slice(0, 9))
    .map((digit, at) => String(Number(digit) * (at % 2 === 0 ? 2 : 1)))
    .flatMap((product) => Array.from(product))
    .reduce((sum, digit) => sum + Number(digit), 0);
  return String((1000 - total) % 10);
}
