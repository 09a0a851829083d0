import { DomainError } from '../../../shared/domain-error.js';
import type { DocumentTax } from '../../../sri/document-types/content.js';
import { type Original, refuseUncreditable, uncharged } from './credit-note.js';
import { DOCUMENT_STATUSES } from './lifecycle.js';

const original: Original = { documentType: '01', status: 'AUTHORIZED', issueDate: '2025-11-21', buyerIdType: '05', errorCode: null, sriMessages: [] };
const codeOf = (change: Partial<Original>, today = '2026-11-21'): string | undefined => {
  try {
    refuseUncreditable({ ...original, ...change }, today, 12);
    return undefined;
  } catch (error) {
    return (error as DomainError).code;
  }
};

it('takes an original of exactly twelve months and refuses one a day older', () => {
  expect(codeOf({})).toBeUndefined();
  expect(codeOf({ issueDate: '2025-11-20' })).toBe('FISCAL_RULE_VIOLATED');
});

it('refuses originals to a final consumer and of other types', () => {
  expect(codeOf({ buyerIdType: '07' })).toBe('FISCAL_RULE_VIOLATED');
  expect(codeOf({ documentType: '04' })).toBe('FISCAL_RULE_VIOLATED');
});

it('credits authorized originals only, whatever other state they are in', () => {
  for (const status of DOCUMENT_STATUSES) expect([status, codeOf({ status })]).toEqual([status, status === 'AUTHORIZED' ? undefined : 'INVALID_STATE']);
});

describe('a tax that a credit note gives back', () => {
  const tax = (taxRateCode: string, taxableBase: string, taxCode = '2'): DocumentTax => ({ taxCode, taxRateCode, taxableBase, taxAmount: '1.00', rate: '0', tariff: null });
  const told = (given: readonly DocumentTax[], taxes: readonly DocumentTax[], creditedTaxes: readonly DocumentTax[] = []) => uncharged({ taxes: given }, { taxes, creditedTaxes }).map(({ rule, severity, pointer, expected, actual }) => [rule, severity, pointer, expected, actual]);

  it('is one that its original charged, on no more than it did', () => {
    const charged = [tax('4', '60.00'), tax('0', '40.00')];
    expect(told([tax('4', '60.00'), tax('0', '10.00')], charged)).toEqual([]);
    expect(told([tax('0', '40.01')], charged)).toEqual([]);
    expect(told([tax('0', '40.02'), tax('4', '86.96'), tax('4', '1.00', '3')], charged)).toEqual([
      ['credit.tax_not_charged', 'warning', '/taxes/0/taxable_base', '≤ 40.00', '40.02'],
      ['credit.tax_not_charged', 'warning', '/taxes/1/taxable_base', '≤ 60.00', '86.96'],
      ['credit.tax_not_charged', 'warning', '/taxes/2/taxable_base', '≤ 0.00', '1.00'],
    ]);
  });

  it('is none where nothing is given back: a tip of the invoice is a line of the note', () => {
    expect(told([tax('4', '60.00'), { ...tax('6', '10.00'), taxAmount: '0.00' }], [tax('4', '60.00')])).toEqual([]);
  });

  it('is one of which the notes before it have left as much', () => {
    const charged = [tax('4', '100.00'), tax('0', '100.00')];
    expect(told([tax('4', '40.00')], charged, [tax('4', '60.00')])).toEqual([]);
    expect(told([tax('4', '86.95')], charged, [tax('4', '60.00'), tax('0', '100.00')])).toEqual([['credit.tax_not_charged', 'warning', '/taxes/0/taxable_base', '≤ 40.00', '86.95']]);
    expect(told([tax('4', '1.00')], charged, [tax('4', '60.00'), tax('4', '60.00')])).toEqual([['credit.tax_not_charged', 'warning', '/taxes/0/taxable_base', '≤ 0.00', '1.00']]);
  });

  it('is compared with all entries of its kind', () => {
    expect(told([tax('4', '100.00')], [tax('4', '60.00'), tax('4', '40.00')])).toEqual([]);
  });
});
