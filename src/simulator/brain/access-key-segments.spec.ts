import { expectedCheckDigit, keySegments } from './access-key-segments.js';

/** Published keys (ficha técnica 2.32 and public fixtures), with residues 0, 1 and 10 among them. */
const VALID = [
  '0503201201176001321000110010030009900641234567814',
  '2111202405176001321000110010010000001241234567810',
  '2110201101179214673900110020010000000011234567813',
  '2508202601179001234500110010020000001231234567811',
  '2201202607179123456700120010010000000011234567811',
  '0308202606179001100100110010010000000051234567810',
  '2808201400179210439400110010010000000091234567812',
];

describe('check digit', () => {
  it.each(VALID)('of %s', (key) => expect(expectedCheckDigit(key)).toBe(key[48]));

  it.each([
    ['0403201301176815353000110015010000000081234567816', '0'],
    ['2111202401176001321000110010010000011171234567810', '5'],
    ['1305202603179001234500110010010000000301234567811', '7'],
  ])('corrects the misprinted %s', (key, digit) => expect(expectedCheckDigit(key)).toBe(digit));
});

it('cuts a key into its segments', () => {
  expect(keySegments('2508202601179001234500110010020000001231234567811')).toEqual({
    date: '25082026',
    documentType: '01',
    ruc: '1790012345001',
    environment: '1',
    establishment: '001',
    emissionPoint: '002',
    sequential: '000000123',
    emissionType: '1',
    checkDigit: '1',
  });
});
