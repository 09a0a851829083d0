import { type OutdatedReference, referredTo } from './outdated-reference.js';

describe('documents that name one by its former day', () => {
  const reference = (sequential: number): OutdatedReference => ({ id: `id-${sequential}`, documentType: '06', number: `001-001-${String(sequential).padStart(9, '0')}` });
  const references = (count: number): OutdatedReference[] => Array.from({ length: count }, (_, at) => reference(at + 1));

  it('are no finding where there are none', () => {
    expect(referredTo([])).toEqual([]);
  });

  it('are named by type, number and id', () => {
    expect(referredTo(references(2))).toMatchObject([
      { rule: 'correction.referred_to', severity: 'warning', pointer: '/issue_date', expected: null, actual: '06 001-001-000000001 (id-1), 06 001-001-000000002 (id-2)' },
    ]);
  });

  it('are named as far as ten, the others counted', () => {
    expect(referredTo(references(10))[0]?.actual).toMatch(/000000010 \(id-10\)$/);
    expect(referredTo(references(13))[0]?.actual).toMatch(/000000010 \(id-10\) \+3$/);
  });
});
