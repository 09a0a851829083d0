import fc from 'fast-check';
import { buildAccessKey, checkDigit, isAccessKey, parseAccessKey, printedNumber, printedNumberOf } from './access-key.js';

/** Keys printed by the SRI or by other systems, each with its check digit recomputed by hand. */
const VALID = [
  '0503201201176001321000110010030009900641234567814',
  '1302201201176001321000120010030000050431234567814',
  '1702201205176001321000110010030001000011234567816',
  '2111202405176001321000110010010000001241234567810',
  '1510202407099313057500110010010000103591234567816',
  '1111202401099338176200110020010000003961234567815',
  '2110201101179214673900110020010000000011234567813',
  '2110201104179214673900110020010000000011234567812',
  '2110201106179214673900110020010000000011234567815',
  '2410201107179214673900110020010000000011234567815',
  '2103201605176001321000110010010000000011234567814',
  '0603201304176001321000110015010000000461234567817',
  '0603201306176001321000110015010000000081234567812',
  '0403201301179226110400110015010000000081234567816',
  '2103201601176001321000110010010000000061234567816',
  '2203201601176001321000110010010000000101234567812',
  '2808201400179210439400110010010000000091234567812',
  '2508202601179001234500110010020000001231234567811',
  '2201202607179123456700120010010000000011234567811',
  '0308202603179001100100110010010000000021234567815',
  '0308202605179001100100110010010000000041234567819',
  '0308202606179001100100110010010000000051234567810',
  '0308202607179001100100110010010000000061234567812',
  '1509202601179001234500110010020000001011234567812',
  '1809202604179001234500110010020000000211234567810',
];

/** Published keys whose check digit is wrong, with the right digit. */
const WRONG: readonly (readonly [string, number])[] = [
  ['0403201301176815353000110015010000000081234567816', 0],
  ['2111202401176001321000110010010000011171234567810', 5],
  ['1804202401123456789000110010010000000051234567816', 2],
  ['1305202603179001234500110010010000000301234567811', 7],
];

describe('check digit', () => {
  it.each([
    ['41261533', 6],
    ['0', 0],
    ['6', 1],
    ['1', 9],
    ['12', 4],
  ])('of %s is %i', (digits, digit) => {
    expect(checkDigit(digits)).toBe(digit);
  });

  it.each(VALID)('holds for the published key %s', (key) => {
    expect(key).toHaveLength(49);
    expect(checkDigit(key.slice(0, 48))).toBe(Number(key.slice(48)));
    expect(isAccessKey(key)).toBe(true);
  });

  it.each(WRONG)('exposes the wrong published key %s (right: %i)', (key, digit) => {
    expect(checkDigit(key.slice(0, 48))).toBe(digit);
    expect(isAccessKey(key)).toBe(false);
    expect(parseAccessKey(key)).toBeNull();
  });

  it('accepts the all-zero key of the SRI skeletons', () => {
    expect(isAccessKey('0'.repeat(49))).toBe(true);
  });

  it('notices any single changed digit unless the sum stays congruent', () => {
    fc.assert(
      fc.property(fc.constantFrom(...VALID), fc.nat(47), fc.integer({ min: 1, max: 9 }), (key, at, shift) => {
        const changed = key.slice(0, at) + String((Number(key[at]) + shift) % 10) + key.slice(at + 1);
        const left = 11 - (weighted(changed) % 11);
        expect(isAccessKey(changed)).toBe((left === 11 ? 0 : left === 10 ? 1 : left) === Number(key[48]));
      }),
    );
  });
});

describe('access key', () => {
  it.each(VALID)('is built again from the parts of %s', (key) => {
    const parts = parseAccessKey(key);
    expect(parts).not.toBeNull();
    expect(buildAccessKey({ ...parts!, environment: parts!.environment as '1' | '2' })).toBe(key);
  });

  it('names every segment', () => {
    expect(parseAccessKey('1509202601179001234500110010020000001011234567812')).toEqual({
      issueDate: '2026-09-15',
      documentType: '01',
      ruc: '1790012345001',
      environment: '1',
      establishment: '001',
      emissionPoint: '002',
      sequential: 101,
      numericCode: '12345678',
    });
  });

  it('carries the number as it is printed', () => {
    const key = '1509202601179001234500110010020000001011234567812';
    expect(printedNumber(key)).toBe('001-002-000000101');
    expect(printedNumberOf(parseAccessKey(key)!)).toBe('001-002-000000101');
    for (const valid of VALID) expect(printedNumberOf(parseAccessKey(valid)!)).toBe(printedNumber(valid));
    expect(printedNumberOf({ establishment: '010', emissionPoint: '900', sequential: 999_999_999 })).toBe('010-900-999999999');
  });

  it.each(['', '1'.repeat(48), '1'.repeat(50), `${'0'.repeat(48)}\n`, '٠'.repeat(49), 'x'.repeat(49)])(
    'is not %p',
    (text) => {
      expect(isAccessKey(text)).toBe(false);
    },
  );

  it.each([
    { sequential: 0 },
    { sequential: 1_000_000_000 },
    { sequential: 1.5 },
    { ruc: '179001234500' },
    { numericCode: '1234567x' },
    { establishment: '1' },
    { issueDate: '2026-02-30' },
  ])('cannot be built from %p', (wrong) => {
    const good = {
      issueDate: '2026-09-15',
      documentType: '01',
      ruc: '1790012345001',
      environment: '1' as const,
      establishment: '001',
      emissionPoint: '002',
      sequential: 1,
      numericCode: '00000000',
    };
    expect(isAccessKey(buildAccessKey(good))).toBe(true);
    expect(() => buildAccessKey({ ...good, ...wrong })).toThrow(RangeError);
  });
});

function weighted(key: string): number {
  return Array.from(key.slice(0, 48))
    .reverse()
    .reduce((total, digit, at) => total + Number(digit) * (2 + (at % 6)), 0);
}
