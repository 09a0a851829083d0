import { doubtOfProviderRuc } from './provider-ruc.js';

const judged = (PROVIDER_RUC: string | undefined, STRICT_RUC_CHECK = false): string | null => doubtOfProviderRuc({ PROVIDER_RUC, STRICT_RUC_CHECK });

describe('the RUC of the platform', () => {
  it.each([
    ['0000000000000', /no province/],
    ['1770012344001', /third digit/],
    ['1790012344002', /does not end in 001/],
    ['1710034066001', /check digit/],
  ])('is refused where it can be nobody\'s: %s', (ruc, told) => {
    expect(() => judged(ruc)).toThrow(/^PROVIDER_RUC: no RUC of an issuer: /);
    expect(() => judged(ruc)).toThrow(told);
  });

  it('is doubted where its digit is wrong by a rule that the SRI has given up, and refused under STRICT_RUC_CHECK', () => {
    expect(judged('1790012345001')).toMatch(/^PROVIDER_RUC: its check digit is wrong/);
    expect(() => judged('1790012345001', true)).toThrow(/^PROVIDER_RUC: no RUC of an issuer: its check digit is wrong$/);
  });

  it('is taken where it holds, or is not set', () => {
    expect([judged('1790012344001', true), judged(undefined, true)]).toEqual([null, null]);
  });
});
