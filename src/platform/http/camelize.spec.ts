import { camelize } from './camelize.js';

describe('camelize', () => {
  it('turns names at every depth and drops absent fields', () => {
    expect(camelize({ issue_date: '2026-01-01', lines: [{ unit_price: '1', main_code: undefined, aux_code: null }] })).toEqual({
      issueDate: '2026-01-01',
      lines: [{ unitPrice: '1', auxCode: null }],
    });
  });
});
