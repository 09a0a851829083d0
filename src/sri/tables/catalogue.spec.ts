import { readdirSync } from 'node:fs';
import { CODE_TABLES, codeTable } from './catalogue.js';
import { awaited, isKnown, lookup, rowsAsOf } from './code-table.js';
import { IVA_RATES, TAX_CODES } from './taxes.js';
import { withholdingTable } from './withholding.js';

const DAY = /^20\d\d-\d\d-\d\d$/;

describe.each(CODE_TABLES.map((table) => [table.name, table] as const))('code table %s', (_name, table) => {
  it('names its source and its rows', () => {
    expect(table.source).not.toBe('');
    expect(table.rows.length).toBeGreaterThan(0);
    for (const row of table.rows) expect([row.code, row.es, row.en]).not.toContain('');
  });

  it('has ordered, well-written days and at most one row of a code on any day', () => {
    for (const row of table.rows) {
      if (row.from !== null) expect(row.from).toMatch(DAY);
      if (row.to !== null) expect(row.to).toMatch(DAY);
      expect((row.from ?? '') <= (row.to ?? '9999')).toBe(true);
      const rivals = table.rows.filter(
        (other) =>
          other.code === row.code &&
          (other.from ?? '') <= (row.to ?? '9999') &&
          (row.from ?? '') <= (other.to ?? '9999'),
      );
      expect(rivals).toEqual([row]);
    }
  });
});

describe('lookup', () => {
  it('has one name per table', () => {
    expect(new Set(CODE_TABLES.map((table) => table.name)).size).toBe(CODE_TABLES.length);
  });

  it.each([
    ['2', '2016-05-31', '12.00'],
    ['2', '2016-06-01', undefined],
    ['3', '2016-06-01', '14.00'],
    ['2', '2017-06-01', '12.00'],
    ['2', '2024-03-31', '12.00'],
    ['2', '2024-04-01', undefined],
    ['4', '2024-03-31', undefined],
    ['4', '2024-04-01', '15.00'],
    ['4', '2026-07-01', '15.00'],
    ['8', '2022-02-25', undefined],
    ['8', '2022-02-26', '8.00'],
    ['8', '2022-03-01', '8.00'],
    ['8', '2022-04-14', undefined],
    ['8', '2022-04-15', '8.00'],
    ['8', '2022-04-17', '8.00'],
    ['8', '2026-02-13', undefined],
    ['8', '2026-02-14', '8.00'],
    ['8', '2026-02-17', '8.00'],
    ['8', '2026-02-18', undefined],
    ['0', '2026-01-01', '0.00'],
    ['99', '2026-01-01', undefined],
  ])('IVA code %s on %s is %s', (code, day, percent) => {
    expect(lookup(IVA_RATES, code, day)?.percent).toBe(percent);
  });

  it('tells a code out of force from an unknown one', () => {
    expect(isKnown(IVA_RATES, '2')).toBe(true);
    expect(isKnown(IVA_RATES, '9')).toBe(false);
    expect(isKnown(TAX_CODES, '4')).toBe(false);
  });

  it('lists what is in force on a day', () => {
    expect(rowsAsOf(IVA_RATES, '2026-07-01').map((row) => row.code)).toEqual(['0', '4', '5', '6', '7']);
  });

  it.each([
    ['8', '2021-11-28', undefined],
    ['8', '2021-11-29', '8.00'],
    ['8', '2022-03-01', undefined],
    ['8', '2022-11-03', '8.00'],
    ['8', '2023-02-17', '8.00'],
    ['8', '2023-02-21', undefined],
    ['8', '2023-02-22', '8.00'],
    ['8', '2024-11-03', '8.00'],
    ['8', '2025-08-09', '8.00'],
    ['8', '2025-11-01', '8.00'],
    ['8', '2025-11-04', '8.00'],
    ['8', '2025-11-05', '8.00'],
    ['8', '2026-02-13', '8.00'],
    ['8', '2026-02-17', undefined],
    ['8', '2026-02-18', '8.00'],
    ['8', '2027-02-06', '8.00'],
    ['10', '2024-03-31', undefined],
    ['10', '2024-04-01', '13.00'],
    ['4', '2026-07-01', undefined],
  ])('says that a decree may have put IVA code %s to use on %s: %s', (code, day, percent) => {
    expect(awaited(IVA_RATES, code, day)?.percent).toBe(percent);
  });
});

describe('withholding codes', () => {
  it.each<readonly [string, string, string, string | null | undefined]>([
    // The XML's codes of IVA, not the boxes 721 to 731 of the return.
    ...(
      [
        ['9', '10.00'],
        ['10', '20.00'],
        ['1', '30.00'],
        ['11', '50.00'],
        ['2', '70.00'],
        ['3', '100.00'],
        ['7', '0.00'],
        ['8', '0.00'],
        ['721', undefined],
      ] as const
    ).map(([code, percent]) => ['2', code, '2026-05-01', percent] as const),
    ['1', '312', '2026-02-28', '1.75'],
    ['1', '312', '2026-03-01', '2.00'],
    ['1', '3440', '2026-02-28', '2.75'],
    ['1', '3440', '2026-03-01', '3.00'],
    ['1', '303A', '2026-02-28', '3.00'],
    ['1', '303A', '2026-03-01', '5.00'],
    ['1', '303', '2026-02-28', '10.00'],
    ['1', '303', '2026-03-01', '10.00'],
    ['1', '343B', '2026-02-28', null],
    ['1', '346', '2026-03-01', null],
    ['6', '4580', '2021-12-31', '5.00'],
    ['6', '4580', '2022-01-01', '4.75'],
    ['6', '4580', '2023-06-30', '3.75'],
    ['6', '4580', '2024-03-31', '3.50'],
    ['6', '4580', '2024-04-01', '5.00'],
    ['6', '4586', '2025-04-30', undefined],
    ['6', '4586', '2025-05-01', '2.50'],
  ])('tax %s, code %s on %s: %s', (tax, code, day, percent) => {
    expect(lookup(withholdingTable(tax)!, code, day)?.percent).toBe(percent);
  });

  it('know no other tax', () => {
    expect(withholdingTable('3')).toBeUndefined();
  });
});

it('lists every table that a file of this folder defines', async () => {
  const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'));
  const modules = await Promise.all(files.map((file) => import(`./${file.replace('.ts', '.js')}`) as Promise<Record<string, unknown>>));
  const isTable = (value: unknown): boolean => typeof value === 'object' && value !== null && ['name', 'source', 'rows'].every((field) => field in value);
  const tables = modules.flatMap((module) => Object.values(module)).filter(isTable);
  expect(new Set(tables)).toEqual(new Set(CODE_TABLES));
});

it('finds a table by its name', () => {
  expect(codeTable('iva-rates')).toBe(IVA_RATES);
  expect(codeTable('IVA')).toBeUndefined();
});
