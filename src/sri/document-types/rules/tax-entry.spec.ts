import { checkCodes } from './tax-entry.js';

describe('a rate code that may not be used', () => {
  const told = (taxCode: string, taxRateCode: string, asOf: string): unknown =>
    Array.from(
      checkCodes({ taxCode, taxRateCode }, { taxCode: '/tax_code', rateCode: '/tax_rate_code' }, asOf),
      ({ pointer, rule, expected, actual }) => ({ pointer, rule, expected, actual }),
    );

  it.each([
    ['12 % after its end', '2', '2', '2026-01-05', 'tax.rate_code_not_in_force', '0, 4, 5, 6, 7'],
    ['15 % before it began', '2', '4', '2024-03-31', 'tax.rate_code_not_in_force', '0, 2, 6, 7'],
    ['8 % before there was any', '2', '8', '2021-11-28', 'tax.rate_code_not_in_force', '0, 2, 6, 7'],
    ['13 % before it was listed', '2', '10', '2024-03-31', 'tax.rate_code_not_in_force', '0, 2, 6, 7'],
    ['a code that never was', '2', '99', '2026-01-05', 'tax.rate_code', '0, 4, 5, 6, 7'],
    ['one of ICE, which has dozens', '3', '1', '2026-01-05', 'tax.rate_code', null],
    ['one of ICE of five digits', '3', '35333', '2026-01-05', 'tax.rate_code', null],
    ['one of ICE with a letter', '3', '353A', '2026-01-05', 'tax.rate_code', null],
  ])('is told with those of its tax in force on that day: %s', (_what, taxCode, actual, asOf, rule, expected) => {
    expect(told(taxCode, actual, asOf)).toEqual([{ pointer: '/tax_rate_code', rule, expected, actual }]);
  });

  it.each([
    ['3533', '2026-01-05'],
    ['3072', '2026-01-05'],
    ['3610', '2023-01-31'],
  ])('is a warning where ICE has more codes than its table: %s on %s', (code, asOf) => {
    const found = [...checkCodes({ taxCode: '3', taxRateCode: code }, { taxCode: '/tax_code', rateCode: '/tax_rate_code' }, asOf)];
    expect(found).toMatchObject([{ rule: 'tax.rate_code_unlisted', severity: 'warning', pointer: '/tax_rate_code', actual: code }]);
  });

  it.each([
    ['8', '2024-11-03'],
    ['8', '2025-08-09'],
    ['8', '2026-01-05'],
    ['8', '2026-02-18'],
    ['8', '2026-11-02'],
    ['10', '2024-04-01'],
    ['10', '2026-11-02'],
  ])('is a warning where a decree may have come that is not known: %s on %s', (code, asOf) => {
    const found = [...checkCodes({ taxCode: '2', taxRateCode: code }, { taxCode: '/tax_code', rateCode: '/tax_rate_code' }, asOf)];
    const expected = '0, 4, 5, 6, 7';
    expect(found).toMatchObject([{ rule: 'tax.rate_code_awaits_decree', severity: 'warning', pointer: '/tax_rate_code', expected, actual: code }]);
  });

  it.each([
    ['12 % after its end', '2', 'warning tax.rate_code_of_original'],
    ['a code that never was', '99', 'error tax.rate_code'],
    ['15 %', '4', undefined],
  ])('may be that of the original in a note that somebody else issued: %s', (_what, taxRateCode, expected) => {
    const found = [...checkCodes({ taxCode: '2', taxRateCode }, { taxCode: '/tax_code', rateCode: '/tax_rate_code' }, '2026-01-05', { isNote: true })];
    expect(found.map(({ severity, rule }) => `${severity} ${rule}`)).toEqual(expected === undefined ? [] : [expected]);
  });

  it('has nothing to report on a decreed day', () => {
    expect(told('2', '8', '2026-02-17')).toEqual([]);
  });

  it('names the taxes where there is no such tax', () => {
    expect(told('9', '4', '2026-01-05')).toEqual([
      { pointer: '/tax_code', rule: 'tax.code', expected: '2, 3, 5', actual: '9' },
    ]);
  });
});
