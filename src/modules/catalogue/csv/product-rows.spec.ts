import 'reflect-metadata';
import { readProductFile } from './product-rows.js';

describe('the prices of a file', () => {
  const read = async (separator: string, price: string): Promise<unknown> => {
    const rows = [['main_code', 'name', 'unit_price', 'iva_rate_code'], ['A', 'Pan', price, '4']];
    const file = await readProductFile(rows.map((cells) => cells.join(separator)).join('\r\n'));
    return [...file.rows.map(({ values }) => values.unit_price), ...file.problems.map(({ field, type }) => `${String(field)} ${type}`)];
  };

  it.each([
    [';', 'semicolons'],
    ['\t', 'tabs'],
  ])('have decimal commas beside %j (%s), and no points that may set thousands apart', async (separator) => {
    expect(await read(separator, '9,80')).toEqual(['9.80']);
    expect(await read(separator, '9.80')).toEqual(['9.80']);
    for (const thousands of ['1.250', '1.250,50', '1.250.000']) expect([thousands, await read(separator, thousands)]).toEqual([thousands, ['unit_price decimal_parsing']]);
  });

  it('have decimal points beside commas', async () => {
    expect([await read(',', '1.250'), await read(',', '"9,80"')]).toEqual([['1.250'], ['unit_price decimal_parsing']]);
  });
});
