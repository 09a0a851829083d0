import { preflight } from '../../preflight.js';
import type { DocumentContent, Reimbursement } from '../content.js';
import { PURCHASE_SETTLEMENT_EXAMPLES } from './examples.js';
import { PURCHASE_SETTLEMENT } from './purchase-settlement.js';

const CONTEXT = { today: '2026-09-15', maxIssueDateAgeDays: 90 };
const named = (name: string) => PURCHASE_SETTLEMENT_EXAMPLES.find((example) => example.name === name)!;
const FULL = named('full');
const REIMBURSEMENT = named('reimbursement');

/** All findings as `severity rule pointer`. */
const rulesOf = (content: DocumentContent): string[] =>
  preflight(content, FULL.issuer, CONTEXT).findings.map(
    ({ severity, rule, pointer }) => `${severity === 'error' ? '' : 'warning '}${rule} ${pointer}`,
  );

const settlement = (change: Partial<DocumentContent>): DocumentContent => ({ ...FULL.content, ...change });
const reimbursed = (change: Partial<Reimbursement>): DocumentContent => ({
  ...REIMBURSEMENT.content,
  payments: [{ lineNumber: 1, paymentMethodCode: '20', total: '23.00', term: 0, timeUnit: 'dias' }],
  reimbursements: REIMBURSEMENT.content.reimbursements.map((entry) => ({ ...entry, ...change })),
});

it.each(PURCHASE_SETTLEMENT_EXAMPLES.map((example) => [example.name, example] as const))(
  '%s may be issued',
  (_, example) => {
    const { findings } = preflight(example.content, example.issuer, CONTEXT);
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  },
);

describe('a purchase settlement', () => {
  it.each([
    [settlement({}), []],
    [
      settlement({ buyerIdType: '07', buyerId: '9999999999999', buyerName: 'CONSUMIDOR FINAL' }),
      ['buyer.final_consumer_banned /buyer_id_type'],
    ],
    [
      settlement({ buyerIdType: null, buyerId: null, buyerName: null }),
      ['buyer.incomplete /buyer_id_type', 'buyer.incomplete /buyer_id', 'buyer.incomplete /buyer_name'],
    ],
    [settlement({ tip: '0.00' }), []],
    [settlement({ tip: '0.01' }), ['document.field_of_other_type /tip']],
    [settlement({ reason: 'x' }), ['warning document.unused_field /reason']],
    [settlement({ total: '36.64' }), ['totals.total /total', 'payments.sum /payments']],
  ])('case %#', (content, expected) => {
    expect(rulesOf(content)).toEqual(expected);
  });

  it('carries no tax but IVA', () => {
    const ice = {
      taxCode: '3',
      taxRateCode: '3610',
      taxableBase: '10.00',
      rate: '0.2000',
      taxAmount: '2.00',
      tariff: null,
    };
    const iva = {
      taxCode: '2',
      taxRateCode: '4',
      taxableBase: '12.00',
      rate: '0.1500',
      taxAmount: '1.80',
      tariff: null,
    };
    const content = settlement({
      subtotal: '10.00',
      totalDiscount: '0.00',
      totalTax: '3.80',
      total: '13.80',
      lines: [
        {
          ...FULL.content.lines[1]!,
          lineNumber: 1,
          unitPrice: '10.000000',
          subtotal: '10.00',
          taxRateCode: null,
          taxes: [ice, iva],
        },
      ],
      taxes: [ice, iva],
      payments: [{ ...FULL.content.payments[0]!, total: '13.80' }],
    });
    expect(rulesOf(content)).toEqual([
      'settlement.only_iva /lines/0/taxes/0/tax_code',
      'settlement.only_iva /taxes/0/tax_code',
    ]);
  });

  it('tells a term for every payment, zero when paid at once', () => {
    const { content, findings } = preflight(settlement({ payments: [] }), FULL.issuer, CONTEXT);
    expect(content.payments).toEqual([
      { lineNumber: 1, paymentMethodCode: '01', total: '36.63', term: 0, timeUnit: 'dias' },
    ]);
    expect(findings.map(({ rule }) => rule)).toEqual(['payments.defaulted']);
    const kept = preflight(FULL.content, FULL.issuer, CONTEXT).content.payments;
    expect(kept.map(({ term, timeUnit }) => [term, timeUnit])).toEqual([
      [30, 'dias'],
      [0, 'dias'],
    ]);
  });

  it('invents no unit for a term', () => {
    const [payment] = FULL.content.payments;
    const open = settlement({ payments: [{ ...payment!, total: FULL.content.total, term: 2, timeUnit: null }] });
    const { content, findings } = preflight(open, FULL.issuer, CONTEXT);
    expect(content.payments).toMatchObject([{ term: 2, timeUnit: null }]);
    expect(findings.map(({ rule, pointer }) => [rule, pointer])).toEqual([['payments.time_unit_missing', '/payments/0/time_unit']]);
    expect(PURCHASE_SETTLEMENT.buildXml(content, FULL.issuer, FULL.numbering)).toMatch(/<plazo>2<\/plazo><\/pago>/);
  });
});

describe('reimbursements', () => {
  it('are warned of where one is listed twice', () => {
    const [entry] = REIMBURSEMENT.content.reimbursements;
    const twice = { ...REIMBURSEMENT.content, reimbursements: [entry!, { ...entry!, supplierId: '1790012344001', authorizationNumber: '1234567890' }, entry!] };
    expect(rulesOf(twice).filter((rule) => rule.includes('repeated'))).toEqual(['warning reimbursement.repeated /reimbursements/2/document_number']);
  });

  const at = '/reimbursements/0';
  it.each<[DocumentContent, string[]]>([
    [reimbursed({}), []],
    [reimbursed({ supplierIdType: '07' }), [`reimbursement.supplier_id_type ${at}/supplier_id_type`]],
    [reimbursed({ supplierId: '123' }), [`reimbursement.supplier_id ${at}/supplier_id`]],
    [
      reimbursed({ supplierIdType: '05', supplierId: '1710034066' }),
      [`warning reimbursement.supplier_check_digit ${at}/supplier_id`],
    ],
    [reimbursed({ supplierIdType: '06', supplierId: 'ab 12.3/4' }), []],
    [reimbursed({ supplierIdType: '06', supplierId: ' 12' }), [`reimbursement.supplier_id ${at}/supplier_id`]],
    [reimbursed({ supplierCountry: 'EC' }), [`reimbursement.country ${at}/supplier_country`]],
    [reimbursed({ supplierCountry: null }), []],
    [reimbursed({ supplierType: '03' }), [`reimbursement.supplier_type ${at}/supplier_type`]],
    [reimbursed({ documentType: '99' }), [`support.document_type ${at}/document_type`]],
    [reimbursed({ documentNumber: '001001000000456' }), [`support.number ${at}/document_number`]],
    [
      reimbursed({ issueDate: '2026-09-16' }),
      [`warning support.access_key_of_other ${at}/authorization_number`, `support.date ${at}/issue_date`],
    ],
    [reimbursed({ supplierId: '1790012344001' }), [`warning support.access_key_of_other ${at}/authorization_number`]],
    [reimbursed({ issueDate: '2026-02-30' }), [`shape.structure ${at}/issue_date`]],
    [reimbursed({ authorizationNumber: '1' }), [`support.authorization_number ${at}/authorization_number`]],
    [reimbursed({ taxes: [] }), [`reimbursement.taxes ${at}/taxes`]],
    [
      reimbursed({ taxes: [{ ...REIMBURSEMENT.content.reimbursements[0]!.taxes[0]!, taxAmount: '6.00' }] }),
      [`warning tax.amount_of_lines ${at}/taxes/0/tax_amount`],
    ],
    [
      reimbursed({ taxes: [{ ...REIMBURSEMENT.content.reimbursements[0]!.taxes[0]!, taxAmount: '6.01' }] }),
      [`tax.amount ${at}/taxes/0/tax_amount`],
    ],
    [
      reimbursed({ taxes: [...REIMBURSEMENT.content.reimbursements[0]!.taxes, { taxCode: '3', taxRateCode: '3533', taxableBase: '10.00', rate: '0.2000', taxAmount: '9.00', tariff: null }] }),
      [
        `warning tax.rate_code_unlisted ${at}/taxes/1/tax_rate_code`,
        `warning tax.amount_unusual ${at}/taxes/1/tax_amount`,
      ],
    ],
    // The rate is that of the reimbursed document's own day.
    [reimbursed({ issueDate: '2024-03-31', authorizationNumber: '1234567890' }), [`tax.rate_code_not_in_force ${at}/taxes/0/tax_rate_code`]],
    // A note has the rate of the day of what it modifies, which is not told; nor is every day known that had the rate of tourism.
    ...['04', '05', '47', '48', '51', '52'].map((documentType): [DocumentContent, string[]] => [
      reimbursed({ documentType, issueDate: '2024-03-31', authorizationNumber: '1234567890' }),
      [`warning tax.rate_code_of_original ${at}/taxes/0/tax_rate_code`],
    ]),
    ...['2024-11-03', '2025-08-09'].map((issueDate): [DocumentContent, string[]] => [
      reimbursed({
        issueDate,
        authorizationNumber: '1234567890',
        taxes: [{ ...REIMBURSEMENT.content.reimbursements[0]!.taxes[0]!, taxRateCode: '8', rate: '0.0800', taxableBase: '20.00', taxAmount: '1.60' }],
      }),
      [`warning tax.rate_code_awaits_decree ${at}/taxes/0/tax_rate_code`],
    ]),
  ])('case %#', (content, expected) => {
    expect(rulesOf(content)).toEqual(expected);
  });
});
