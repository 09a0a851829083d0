import { checkRuc } from '../sri/taxpayer-id.js';
import { demoRuc } from './demo-ruc.js';

describe('demo RUC', () => {
  it('passes the strict check, whatever number it starts from', () => {
    for (let serial = 0; serial < 2_000; serial += 1) {
      expect(checkRuc(demoRuc(serial), { strict: true })).toEqual({ valid: true });
    }
    expect(checkRuc(demoRuc(999_999), { strict: true })).toEqual({ valid: true });
  });
});
