import { type DocumentContent, PLAIN_CONTENT } from '../../../sri/document-types/content.js';
import { WITHHOLDING_EXAMPLES } from '../../../sri/document-types/07-withholding/examples.js';
import { firstDayOf, supportsOf, withheldBefore } from './withheld-before.js';

const TODAY = '2026-11-26';
const short = (change: Partial<DocumentContent> = {}): DocumentContent =>
  ({ ...PLAIN_CONTENT, documentType: '07', modifiedDocumentType: '01', modifiedDocumentNumber: '001-002-000000003', modifiedDocumentIssueDate: '2026-11-20', ...change }) as DocumentContent;
const several = WITHHOLDING_EXAMPLES.find(({ name }) => name === 'several-documents')!.content;

describe('what a withholding withholds from', () => {
  it('is told by its short form', () => {
    expect(supportsOf(short())).toEqual([{ field: 'modified_document_number', type: '01', number: '001-002-000000003', issueDate: '2026-11-20', authorizationNumber: null }]);
  });

  it('is told by each part of its full form', () => {
    const supports = supportsOf(several);
    expect(supports.length).toBeGreaterThan(1);
    expect(supports.map(({ field }) => field)).toEqual(several.withholding!.supportingDocuments.map((_, index) => `withholding/supporting_documents/${index}/number`));
  });

  it.each([
    ['another type of document', short({ documentType: '06' })],
    ['no number', short({ modifiedDocumentNumber: null })],
    ['no type', short({ modifiedDocumentType: null })],
    ['a number of zeros, as of papers that have none', short({ modifiedDocumentNumber: '000-000-000000000' })],
    ['a number of nines, as of papers that have none', short({ modifiedDocumentNumber: '999-999-999999999' })],
  ])('is nothing to look for: %s', (_what, content) => {
    expect(supportsOf(content)).toEqual([]);
  });
});

describe('the first day to look at', () => {
  const of = (...days: readonly (string | null)[]): string => firstDayOf(days.map((issueDate) => ({ field: 'modified_document_number', type: '01', number: '', issueDate, authorizationNumber: null })), TODAY);

  it('is that of the first supporting document', () => {
    expect(of('2026-11-20', '2026-10-01')).toBe('2026-10-01');
  });

  it('is not after today', () => {
    expect(of('9999-12-31')).toBe(TODAY);
  });

  it.each([['0000-01-01'], [null]])('is at most five years ago: %s', (day) => {
    expect(of('2026-11-20', day)).toBe('2021-11-22');
  });
});

describe('another withholding', () => {
  const earlier = (type: string, number: string, certificate: string) => ({ type, number, certificate });

  it('is told at each supporting document that it has, the newest of them', () => {
    const supports = supportsOf(several);
    const { type, number } = supports[1]!;
    const found = withheldBefore(supports, [earlier(type, number, '001-001-000000009'), earlier(type, number, '001-001-000000002')]);
    expect(found).toMatchObject([{ rule: 'withholding.support_withheld', severity: 'warning', pointer: `/${supports[1]!.field}`, actual: '001-001-000000009' }]);
  });

  it('is not told for the same number of another type', () => {
    expect(withheldBefore(supportsOf(short()), [earlier('03', '001-002-000000003', '001-001-000000002')])).toEqual([]);
  });
});
