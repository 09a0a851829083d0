import { preflight } from '../../preflight.js';
import { withComputedTotals } from '../computed-totals.js';
import type { DocumentContent, DocumentLine } from '../content.js';
import { DEBIT_NOTE_EXAMPLES } from './examples.js';

const CONTEXT = { today: '2026-09-15', maxIssueDateAgeDays: 90 };
const FULL = DEBIT_NOTE_EXAMPLES.find((example) => example.name === 'full')!;

/** All findings as `severity rule pointer`. */
const rulesOf = (content: DocumentContent): string[] =>
  preflight(content, FULL.issuer, CONTEXT).findings.map(
    ({ severity, rule, pointer }) => `${severity === 'error' ? '' : 'warning '}${rule} ${pointer}`,
  );

const note = (change: Partial<DocumentContent>): DocumentContent => ({ ...FULL.content, ...change });
const first = (change: Partial<DocumentLine>) =>
  note({ lines: FULL.content.lines.map((line, index) => (index === 0 ? { ...line, ...change } : line)) });

it.each(DEBIT_NOTE_EXAMPLES.map((example) => [example.name, example] as const))('%s may be issued', (_, example) => {
  const { findings } = preflight(example.content, example.issuer, CONTEXT);
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
});

describe('a debit note', () => {
  it.each([
    [note({}), []],
    [note({ reason: 'x' }), ['warning document.unused_field /reason']],
    [note({ payments: [] }), ['warning payments.defaulted /payments']],
    [first({ quantity: '2.000000', unitPrice: '10.250000' }), ['debit_note.quantity /lines/0/quantity']],
    [
      { ...first({ unitPrice: '21.500000', discount: '1.00' }), subtotal: '36.50', totalDiscount: '1.00' },
      ['debit_note.discount /lines/0/discount'],
    ],
    [
      first({ additionalDetails: [{ name: 'a', value: 'b' }], unitOfMeasure: 'kg' }),
      [
        'warning document.unused_field /lines/0/unit_of_measure',
        'warning document.unused_field /lines/0/additional_details',
      ],
    ],
    [
      first({ mainCode: 'FLETE-1', auxCode: 'H492001' }),
      ['warning document.unused_field /lines/0/main_code', 'warning document.unused_field /lines/0/aux_code'],
    ],
    [note({ modifiedDocumentNumber: null }), ['modified_document.missing /modified_document_number']],
    [
      note({ buyerIdType: 'CONSUMIDOR_FINAL', buyerId: '9999999999999', buyerName: 'CONSUMIDOR FINAL' }),
      ['buyer.final_consumer_banned /buyer_id_type'],
    ],
    [
      note({ foreignTrade: null, deliveryGuideNumber: '001-001-000000001' }),
      ['document.field_of_other_type /delivery_guide_number'],
    ],
    [first({ description: 'x'.repeat(301) }), ['text.length /lines/0/description']],
  ])('case %#', (content, expected) => {
    expect(rulesOf(content)).toEqual(expected);
  });

  it.each([
    ['a day of 2022 with the rate of tourism', '2022-02-27', []],
    ['a day that may have had it', '2022-11-03', ['warning tax.rate_code_awaits_decree /lines/0/tax_rate_code', 'warning tax.rate_code_awaits_decree /taxes/0/tax_rate_code']],
    ['a day before the law that allows it', '2021-11-28', ['tax.rate_code_not_in_force /lines/0/tax_rate_code']],
  ])('has the rates of its original: 8 %% on %s', (_name, modifiedDocumentIssueDate, expected) => {
    const line = { ...FULL.content.lines[0]!, taxCode: '2', taxRateCode: '8', taxes: null };
    const content = withComputedTotals(note({ modifiedDocumentIssueDate, lines: [line], payments: [] }), FULL.issuer);
    expect(rulesOf(content).filter((rule) => !rule.includes('payments.defaulted'))).toEqual(expected);
  });

  it('must show the tax of each group, because the SRI sees no tax of lines', () => {
    // Ten lines of 0.10: the sum of the rounded taxes is 0.20, the tax of the base 0.15.
    const lines = Array.from({ length: 10 }, (_, index) => ({
      ...FULL.content.lines[1]!,
      lineNumber: index + 1,
      unitPrice: '0.100000',
      subtotal: '0.10',
    }));
    const tax = FULL.content.taxes[0]!;
    const ofGroup = (taxAmount: string) =>
      note({
        lines,
        subtotal: '1.00',
        totalTax: taxAmount,
        total: `1.${taxAmount.slice(2)}`,
        taxes: [{ ...tax, taxableBase: '1.00', taxAmount }],
        payments: [{ ...FULL.content.payments[1]!, total: `1.${taxAmount.slice(2)}` }],
      });
    expect(rulesOf(ofGroup('0.15'))).toEqual([]);
    expect(rulesOf(ofGroup('0.20'))).toEqual(['debit_note.tax_amount /taxes/0/tax_amount']);
    // Also where the lines itemise theirs, as those are that the catalogue completes: the totals that we make of them hold.
    const itemised = (content: DocumentContent): DocumentContent =>
      ({ ...content, lines: content.lines.map((line) => ({ ...line, taxRateCode: null, taxes: [{ ...tax, taxableBase: '0.10', taxAmount: '0.02' }] })) });
    expect(rulesOf(itemised(ofGroup('0.15')))).toEqual([]);
    expect(rulesOf(itemised(ofGroup('0.20')))).toEqual(['debit_note.tax_amount /taxes/0/tax_amount']);
    expect(withComputedTotals({ ...itemised(ofGroup('0.20')), taxes: [] }, FULL.issuer)).toMatchObject({ totalTax: '0.15', total: '1.15', taxes: [{ taxAmount: '0.15' }] });
  });

  it('at 5 % is asked for no construction material: its lines have no codes', () => {
    const { lines, payments } = FULL.content;
    const reduced = withComputedTotals(note({ lines: lines.map((line) => ({ ...line, taxRateCode: '5', auxCode: null })), taxes: [] }), FULL.issuer);
    expect(reduced.taxes).toMatchObject([{ taxRateCode: '5' }]);
    expect(rulesOf({ ...reduced, payments: [{ ...payments[0]!, total: reduced.total }] })).toEqual([]);
  });

  it.each([['200000000.00', []], ['200000000.01', ['totals.too_large /total']]])('may be of %s', (total, expected) => {
    const line = { ...FULL.content.lines[1]!, unitPrice: total, subtotal: total, taxRateCode: '0' };
    const taxes = [{ ...FULL.content.taxes[0]!, taxRateCode: '0', taxableBase: total, rate: '0.0000', taxAmount: '0.00' }];
    const content = note({ lines: [{ ...line, lineNumber: 1 }], taxes, subtotal: total, totalTax: '0.00', total, payments: [{ ...FULL.content.payments[1]!, lineNumber: 1, paymentMethodCode: '20', total }] });
    expect(rulesOf(content)).toEqual(expected);
  });

  it('may tell an ICE that is not its base times its rate, which then counts as it is told', () => {
    const taxes = [
      { taxCode: '3', taxRateCode: '3610', taxableBase: '10.00', rate: '0.2000', taxAmount: '3.00', tariff: null },
      { taxCode: '2', taxRateCode: '4', taxableBase: '13.00', rate: '0.1500', taxAmount: '1.95', tariff: null },
    ];
    const line = { ...FULL.content.lines[0]!, unitPrice: '10.000000', subtotal: '10.00', taxRateCode: null, taxes };
    const total = { subtotal: '10.00', totalTax: '4.95', total: '14.95' };
    const told = note({ ...total, lines: [line], taxes, payments: [{ ...FULL.content.payments[0]!, total: '14.95' }] });
    expect(rulesOf(told)).toEqual(['warning tax.amount_unusual /lines/0/taxes/0/tax_amount', 'warning tax.amount_unusual /taxes/0/tax_amount']);
    expect(withComputedTotals({ ...told, taxes: [] }, FULL.issuer)).toMatchObject({ ...total, taxes });
  });
});
