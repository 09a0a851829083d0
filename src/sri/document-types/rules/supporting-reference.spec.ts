import { buildAccessKey } from '../../access-key.js';
import { checkSupport, supportPointers, type SupportParts } from './supporting-reference.js';

const SELLER = '1790012344001';
const key = (documentType: string): string =>
  buildAccessKey({ issueDate: '2026-09-14', documentType, ruc: SELLER, environment: '2', establishment: '001', emissionPoint: '002', sequential: 102, numericCode: '12345678' });

const PARTS: SupportParts = { documentType: '01', number: '001-002-000000102', authorizationNumber: key('01'), issueDate: '2026-09-14', sellerRuc: SELLER };

/** What is said of a document whose access key is that of {@link PARTS}. */
const told = (change: Partial<SupportParts>): unknown[] =>
  Array.from(checkSupport({ ...PARTS, ...change }, supportPointers('/it'), '2026-09-15'), ({ rule, severity, pointer, expected, actual }) => [
    `${severity} ${rule} ${pointer}`,
    expected,
    actual,
  ]);
const OTHER = 'warning support.access_key_of_other /it/authorization_number';

it.each<[string, Partial<SupportParts>]>([
  ['that it is', {}],
  ['of which nothing else is told', { documentType: null, number: null, issueDate: null, sellerRuc: null }],
  ['whose seller is told by another establishment', { sellerRuc: '1790012344002' }],
  ['of a type that no key knows', { documentType: '41' }],
  ['settled by who bought', { documentType: '03', authorizationNumber: key('03'), sellerRuc: '0990012342001' }],
  ['with an authorization of paper', { authorizationNumber: '1'.repeat(10), number: '001-002-000000103' }],
  ['with one of the former scheme', { authorizationNumber: '1'.repeat(37), number: '001-002-000000103' }],
])('an access key is that of a document %s', (_what, change) => {
  expect(told(change)).toEqual([]);
});

it.each<[string, Partial<SupportParts>, string, string]>([
  ['type', { documentType: '04' }, 'document_type 04', 'document_type 01'],
  ['number', { number: '001-002-000000103' }, 'number 001-002-000000103', 'number 001-002-000000102'],
  ['series', { number: '002-001-000000102' }, 'number 002-001-000000102', 'number 001-002-000000102'],
  ['day', { issueDate: '2026-09-13' }, 'issue_date 2026-09-13', 'issue_date 2026-09-14'],
  ['seller', { sellerRuc: '0990012342001' }, 'ruc 0990012342', 'ruc 1790012344'],
  ['type and day', { documentType: '05', issueDate: '2026-09-13' }, 'document_type 05, issue_date 2026-09-13', 'document_type 01, issue_date 2026-09-14'],
])('an access key of another %s is one warning', (_what, change, expected, actual) => {
  expect(told(change)).toEqual([[OTHER, expected, actual]]);
});

it('says nothing more of a key that does not check itself', () => {
  const broken = key('01').replace(/.$/, (digit) => String((Number(digit) + 1) % 10));
  expect(told({ authorizationNumber: broken, number: '001-002-000000103' })).toEqual([['warning support.access_key /it/authorization_number', null, broken]]);
});

it.each(['001-002-000000000', '000-000-000000102', '001-000-000000102', '000-002-000000102'])('doubts that a document has the number %s', (number) => {
  expect(told({ number, authorizationNumber: null })).toEqual([['warning support.number_zero /it/number', null, number]]);
});
