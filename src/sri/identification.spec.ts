import { identificationProblem } from './identification.js';

it.each([
  ['04', '1790012345001', null],
  ['04', '1710034065003', null],
  ['04', '1710034066001', 'ruc'],
  ['04', '9990012345001', 'ruc'],
  ['04', '1790012345000', 'ruc'],
  ['04', '1710034065', 'ruc'],
  ['04', '1790 12345001', 'ruc'],
  ['05', '1710034065', null],
  ['05', '1710034066', 'cedula'],
  ['05', '1710034065001', 'cedula'],
  ['05', '١٧١٠٠٣٤٠٦٥', 'cedula'],
  ['06', 'AB-123', null],
  ['06', 'ab 12.3/4', null],
  ['06', 'AB ', 'passport'],
  ['06', 'A\n1', 'passport'],
  ['06', 'A'.repeat(21), 'passport'],
  ['08', 'VAT 12/3.4-x', null],
  ['08', 'AB_12', null],
  ['08', 'Ñ-123', null],
  ['08', '№ 12 & 3', null],
  ['08', '😀'.repeat(20), null],
  ['08', 'x'.repeat(21), 'foreign'],
  ['08', '', 'foreign'],
  ['08', ' ', 'foreign'],
  ['08', ' 12', 'foreign'],
  ['08', '12\u00a0', 'foreign'],
  ['08', '1\n2', 'foreign'],
  ['08', '1\u200b2', 'foreign'],
  ['07', '9999999999999', 'final_consumer'],
  ['07', 'x', 'final_consumer'],
  ['08', '9999999999999', 'final_consumer'],
  ['09', '1', 'type'],
  ['', '1', 'type'],
])('type %p, %p: %p', (type, id, problem) => {
  expect(identificationProblem(type, id)).toBe(problem);
});

it('holds companies to modulo 11 only when that is asked for', () => {
  expect(identificationProblem('04', '1790012346001', { strict: true })).toBe('ruc');
});
