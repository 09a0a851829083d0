import { DomainError } from '../../../shared/domain-error.js';
import { addMonths, type Original, refuseUncreditable } from './credit-note.js';
import { DOCUMENT_STATUSES } from './lifecycle.js';

const original: Original = { documentType: '01', status: 'AUTHORIZED', issueDate: '2025-11-21', buyerIdType: '05' };
const codeOf = (change: Partial<Original>, today = '2026-11-21'): string | undefined => {
  try {
    refuseUncreditable({ ...original, ...change }, today, 12);
    return undefined;
  } catch (error) {
    return (error as DomainError).code;
  }
};

it.each([
  ['2024-02-29', 12, '2025-02-28'],
  ['2025-01-31', 1, '2025-02-28'],
  ['2025-11-21', 12, '2026-11-21'],
  ['2025-12-31', 2, '2026-02-28'],
])('%s plus %i months is %s', (day, months, expected) => expect(addMonths(day, months)).toBe(expected));

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
