import type { ProductValues, StoredValues } from './product.js';
import { type ImportPlan, inOrder, planImport, type ProductRow, type RowProblem } from './product-import.js';

const DEFAULTS: Partial<ProductValues> = {
  aux_code: null, default_discount: '0.00', tax_code: '2', applies_tourism_iva: false, applies_ice: false, ice_code: null, is_active: true, additional_fields: {},
};
const STORED: StoredValues = {
  id: 'stored', main_code: 'A', aux_code: 'a', name: 'Café', unit_price: '10.50', default_discount: '0.00', tax_code: '2', iva_rate_code: '4',
  applies_tourism_iva: false, applies_ice: false, ice_code: null, additional_fields: { color: 'rojo', size: { w: 1, h: 2 }, tags: ['x', 'y'] }, is_active: true,
};

const row = (values: ProductRow['values'], line = 2): ProductRow => ({ line, values });
const planned = (...rows: ProductRow[]): ImportPlan => {
  let made = 0;
  return planImport(rows, [STORED], DEFAULTS, () => `new ${String((made += 1))}`);
};
const NOTHING: ImportPlan = { added: [], changed: [], unchanged: 0, problems: [] };

describe('the plan of an import', () => {
  it('adds what is new, with the defaults where its row is silent', () => {
    const told = { main_code: 'B', name: 'Té', unit_price: '1', iva_rate_code: '4' };
    expect(planned(row(told), row({ ...told, main_code: 'C', is_active: false }, 3))).toEqual({
      ...NOTHING, added: [{ ...DEFAULTS, ...told, id: 'new 1' }, { ...DEFAULTS, ...told, main_code: 'C', is_active: false, id: 'new 2' }],
    });
  });

  it('changes what a row tells and nothing else', () => {
    expect(planned(row({ main_code: 'A', unit_price: '11', aux_code: null }))).toEqual({ ...NOTHING, changed: [{ ...STORED, unit_price: '11', aux_code: null }] });
  });

  it.each<[string, ProductRow['values']]>([
    ['its code alone', { main_code: 'A' }],
    ['everything again', STORED],
    ['an amount in other digits', { main_code: 'A', unit_price: '10.5', default_discount: '0' }],
    ['JSON in another order', { main_code: 'A', additional_fields: { tags: ['x', 'y'], size: { h: 2, w: 1 }, color: 'rojo' } }],
  ])('leaves a product as it is whose row tells %s', (_what, values) => {
    expect(planned(row(values))).toEqual({ ...NOTHING, unchanged: 1 });
  });

  it.each<[string, Partial<ProductValues>]>([
    ['a name in other letters', { name: 'CAFÉ' }],
    ['a list in another order', { additional_fields: { ...STORED.additional_fields, tags: ['y', 'x'] } }],
    ['pairs for an object', { additional_fields: { ...STORED.additional_fields, size: [['h', 2], ['w', 1]] } }],
    ['a flag', { is_active: false }],
  ])('changes a product whose row tells %s', (_what, values) => {
    expect(planned(row({ main_code: 'A', ...values }))).toEqual({ ...NOTHING, changed: [{ ...STORED, ...values }] });
  });

  it('names what a new product lacks, and takes the other rows', () => {
    const problem = (field: string): RowProblem => ({ line: 7, field, type: 'missing', ctx: {}, input: null });
    expect(planned(row({ main_code: 'B', name: 'Té' }, 7), row({ main_code: 'A' }, 8))).toEqual({ ...NOTHING, unchanged: 1, problems: [problem('unit_price'), problem('iva_rate_code')] });
  });

  it('judges a row as the product that it makes', () => {
    const { problems, changed } = planned(row({ main_code: 'A', iva_rate_code: '99' }), row({ main_code: 'A', applies_ice: true }, 3));
    expect(changed).toEqual([]);
    expect(problems).toMatchObject([{ line: 2, field: 'iva_rate_code', type: 'code_unknown', input: '99' }, { line: 3, field: 'ice_code', type: 'missing', input: null }]);
  });

  it('lists problems in the order of the file', () => {
    const at = (line: number): RowProblem => ({ line, field: null, type: 'csv_cells', ctx: {}, input: null });
    const problems = [at(9), at(2), at(5)];
    expect(inOrder(problems)).toEqual([at(2), at(5), at(9)]);
    expect(problems).toEqual([at(9), at(2), at(5)]);
  });
});
