import { readFileSync } from 'node:fs';
import { ManualClock } from '../../../../test/support/simulator/sri.js';
import type { Description } from '../../../platform/openapi/description.js';
import { CODE_TABLES } from '../../../sri/tables/catalogue.js';
import type { ReferenceTable } from '../reference.responses.js';
import { GetReferenceTable, GetReferenceTableHandler } from './get-reference-table.js';

const { components } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Description;
const handler = new GetReferenceTableHandler(new ManualClock(new Date('2026-09-15T12:00:00Z')));
const tableOf = (name: string, asOf: string | null = null): Promise<ReferenceTable> => handler.execute(new GetReferenceTable(name, asOf));

/** What is wrong with the fields of a part of an answer by the schema of that name. */
function wrongFields(part: object, schema: string): string[] {
  const { properties = {}, required = [] } = components.schemas[schema]!;
  const names = Object.keys(part);
  return [
    ...names.filter((name) => !/^[a-z]+(_[a-z]+)*$/.test(name)).map((name) => `${schema}.${name} is not in snake case`),
    ...names.filter((name) => !Object.hasOwn(properties, name)).map((name) => `${schema}.${name} is not declared`),
    ...required.filter((name) => !names.includes(name)).map((name) => `${schema}.${name} is missing`),
  ];
}

/** Days on which different rows are in force, those on which a rate awaits its decree among them. */
const DAYS = ['2016-05-31', '2022-02-27', '2023-12-31', '2024-04-01', '2026-02-14', '2026-09-15', '2030-01-01'];

it.each(CODE_TABLES.map(({ name }) => name))('says of the table %s what is declared, and no more', async (name) => {
  for (const day of DAYS) {
    const table = await tableOf(name, day);
    const wrong = [
      ...wrongFields(table, 'ReferenceTable'),
      ...table.items.flatMap((row) => [...wrongFields(row, 'ReferenceRow'), ...(row.specific ? wrongFields(row.specific, 'ReferenceSpecificRate') : [])]),
    ];
    expect([day, wrong]).toEqual([day, []]);
  }
});

it.each([
  ['identification-types', '04', { alias: 'RUC' }],
  ['iva-rates', '4', { percent: '15.00', valid_from: '2024-04-01' }],
  ['ice-rates', '3680', { percent: null, specific: { amount: '0.08', unit: 'unit', is_counted: true } }],
  ['ice-rates', '3041', { percent: '75.00', specific: { amount: null, unit: 'litre of pure alcohol', is_counted: false } }],
  ['ice-rates', '3610', { percent: '20.00', specific: null }],
  ['irbpnr-rates', '5001', { percent: null, specific: { amount: '0.02', unit: 'bottle', is_counted: true } }],
  ['withholding-iva', '9', { percent: '10.00' }],
  ['invoice-withholding', '3', { tariff: '1.00' }],
  ['amount-limits', 'final-consumer-total', { amount: '50.00' }],
  ['payment-methods', '01', {}],
])('tells of %s %s what its table adds', async (table, code, more) => {
  const row = (await tableOf(table)).items.find((one) => one.code === code)!;
  const common = { code, es: row.es, en: row.en, valid_from: row.valid_from, valid_to: row.valid_to };
  expect(row).toEqual({ ...common, ...more });
});
