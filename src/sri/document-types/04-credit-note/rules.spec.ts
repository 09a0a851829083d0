import { preflight } from '../../preflight.js';
import type { DocumentContent, DocumentLine } from '../content.js';
import { CREDIT_NOTE_EXAMPLES } from './examples.js';

const CONTEXT = { today: '2026-09-15', maxIssueDateAgeDays: 90 };
const named = (name: string) => CREDIT_NOTE_EXAMPLES.find((example) => example.name === name)!;
const RETURN = named('return');
const OLD_RATE = named('rate-of-the-original');

/** All findings as `severity rule pointer`. */
const rulesOf = (content: DocumentContent): string[] =>
  preflight(content, RETURN.issuer, CONTEXT).findings.map(
    ({ severity, rule, pointer }) => `${severity === 'error' ? '' : 'warning '}${rule} ${pointer}`,
  );

const note = (change: Partial<DocumentContent>): DocumentContent => ({ ...RETURN.content, ...change });
const line = (change: Partial<DocumentLine>) =>
  note({ lines: RETURN.content.lines.map((entry) => ({ ...entry, ...change })) });

it.each(CREDIT_NOTE_EXAMPLES.map((example) => [example.name, example] as const))(
  '%s has nothing to report',
  (_, example) => {
    const { findings } = preflight(example.content, example.issuer, CONTEXT);
    expect(new Set(findings.map(({ rule }) => rule))).toEqual(new Set(example.name === 'tricky-text' ? ['text.beyond_bmp'] : []));
  },
);

describe('a credit note', () => {
  it.each([
    [note({ reason: null }), ['note.reason /reason']],
    [note({ reason: '' }), ['note.reason /reason']],
    [note({ reason: 'x'.repeat(301) }), ['text.length /reason']],
    [note({ modifiedDocumentType: null }), ['modified_document.missing /modified_document_type']],
    [note({ modifiedDocumentNumber: null }), ['modified_document.missing /modified_document_number']],
    [note({ modifiedDocumentIssueDate: null }), ['modified_document.missing /modified_document_issue_date']],
    [note({ modifiedDocumentType: '99' }), ['modified_document.type /modified_document_type']],
    [note({ modifiedDocumentType: '06' }), ['modified_document.type_without_amounts /modified_document_type']],
    [note({ modifiedDocumentType: '07' }), ['modified_document.type_without_amounts /modified_document_type']],
    [note({ modifiedDocumentType: '03' }), ['warning modified_document.type_unusual /modified_document_type']],
    [note({ modifiedDocumentNumber: '001002000000101' }), ['modified_document.number /modified_document_number']],
    [note({ modifiedDocumentNumber: '001-002-000000000' }), ['warning modified_document.number_zero /modified_document_number']],
    [note({ modifiedDocumentNumber: '001-000-000000101' }), ['warning modified_document.number_zero /modified_document_number']],
    [note({ modifiedDocumentIssueDate: '2026-09-16' }), ['modified_document.date /modified_document_issue_date']],
    [note({ modifiedDocumentIssueDate: '2026-02-30' }), ['shape.date /modified_document_issue_date']],
    [
      note({ buyerIdType: '07', buyerId: '9999999999999', buyerName: 'CONSUMIDOR FINAL' }),
      ['buyer.final_consumer_banned /buyer_id_type'],
    ],
    [note({ buyerId: '9999999999999' }), ['buyer.final_consumer_id /buyer_id_type']],
    [
      note({ buyerIdType: null, buyerId: null, buyerName: null }),
      ['buyer.incomplete /buyer_id_type', 'buyer.incomplete /buyer_id', 'buyer.incomplete /buyer_name'],
    ],
    [note({ total: '11.51' }), ['totals.total /total']],
    [note({ tip: '1.00', total: '12.50' }), ['totals.total /total', 'document.field_of_other_type /tip']],
    [
      note({ thirdPartyCharges: [{ concept: 'x', total: '1.00' }] }),
      ['document.field_of_other_type /third_party_charges'],
    ],
    [
      note({ payments: [{ lineNumber: 1, paymentMethodCode: '01', total: '11.50', term: null, timeUnit: null }] }),
      ['warning document.unused_field /payments'],
    ],
    [line({ unitOfMeasure: 'kg' }), ['warning document.unused_field /lines/0/unit_of_measure']],
    [line({ taxRateCode: '2' }), ['tax.rate_code_not_in_force /lines/0/tax_rate_code', 'taxes.without_line /taxes/0']],
  ])('case %#', (content, expected) => {
    expect(rulesOf(content)).toEqual(expected);
  });

  it('uses the rate of the day of the original, not of its own', () => {
    expect(rulesOf(OLD_RATE.content)).toEqual([]);
    expect(rulesOf({ ...OLD_RATE.content, modifiedDocumentIssueDate: '2024-04-01' })).toEqual([
      'tax.rate_code_not_in_force /lines/0/tax_rate_code',
      'tax.rate_code_not_in_force /taxes/0/tax_rate_code',
    ]);
    const [tax] = preflight(OLD_RATE.content, OLD_RATE.issuer, CONTEXT).content.lines[0]!.taxes!;
    expect(tax).toMatchObject({ rate: '0.1200', taxAmount: '1.20' });
  });
});
