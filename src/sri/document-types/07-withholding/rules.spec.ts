import { buildAccessKey } from '../../access-key.js';
import { preflight } from '../../preflight.js';
import { withComputedTotals } from '../computed-totals.js';
import type {
  DocumentContent,
  DocumentTax,
  IssuerSnapshot,
  Reimbursement,
  SupportingDocument,
  SupportingTax,
  WithheldTax,
  Withholding,
} from '../content.js';
import { ruleCatalogue } from '../rules/rule.js';
import { WITHHOLDING_EXAMPLES } from './examples.js';
import { WITHHOLDING } from './withholding.js';

const TODAY = '2026-09-15';
const named = (name: string) => WITHHOLDING_EXAMPLES.find((example) => example.name === name)!;
const SHORT = named('short');
const FULL = named('full');
const SEVERAL = named('several-documents');
const ABROAD = named('abroad-dividend');
const AT = '/withholding/supporting_documents';

const triggered = new Set<string>();

/** Findings as `rule pointer`, so that a test says all that came out, not a part of it. */
function rulesOf(content: DocumentContent, issuer: IssuerSnapshot = FULL.issuer): string[] {
  return preflight(content, issuer, { today: TODAY, maxIssueDateAgeDays: 90 }).findings.map(
    ({ severity, rule, pointer }) => {
      triggered.add(rule);
      return `${severity === 'error' ? '' : 'warning '}${rule} ${pointer}`;
    },
  );
}

const short = (change: Partial<DocumentContent>): DocumentContent => ({ ...SHORT.content, ...change });
const shortTax = (change: Partial<DocumentTax>): DocumentContent =>
  short({ taxes: SHORT.content.taxes.map((tax, at) => (at === 0 ? { ...tax, ...change } : tax)) });
const full = (change: Partial<DocumentContent>): DocumentContent => ({ ...FULL.content, ...change });
const form = (change: Partial<Withholding>): DocumentContent =>
  full({ withholding: { ...FULL.content.withholding!, ...change } });

/** An example with one of its supporting documents changed. */
function support(change: Partial<SupportingDocument>, example = FULL, index = 0): DocumentContent {
  const withholding = example.content.withholding!;
  const supportingDocuments = withholding.supportingDocuments.map((document, at) =>
    at === index ? { ...document, ...change } : document,
  );
  return { ...example.content, withholding: { ...withholding, supportingDocuments } };
}

const documentOf = (example: typeof FULL, index: number): SupportingDocument =>
  example.content.withholding!.supportingDocuments[index]!;

function entry(position: number, change: Partial<WithheldTax>, example = FULL, index = 0): DocumentContent {
  const withholdings = documentOf(example, index).withholdings.map((tax, at) =>
    at === position ? { ...tax, ...change } : tax,
  );
  return support({ withholdings }, example, index);
}

const ownTax = (change: Partial<SupportingTax>): DocumentContent =>
  support({ taxes: [{ ...documentOf(FULL, 0).taxes[0]!, ...change }] });

/** What is said where IVA is not on the subtotal and its excise. */
const BASES = `warning withholding.iva_bases ${AT}/0/taxes`;

/** Excise on 100.00 beside the IVA of the full example, in its total; no IVA is on the excise. */
function excised(taxRateCode: string, tariff: string, taxAmount: string): DocumentContent {
  const { taxes, total } = documentOf(FULL, 0);
  const sum = `${Number(total) + Number(taxAmount)}.00`;
  return support({
    taxes: [...taxes, { taxCode: '3', taxRateCode, taxableBase: '100.00', tariff, taxAmount }],
    total: sum,
    payments: [{ paymentMethodCode: '20', total: sum }],
  });
}

function reimbursed(change: Partial<Reimbursement>): DocumentContent {
  const reimbursements = [{ ...documentOf(SEVERAL, 1).reimbursements[0]!, ...change }];
  return support({ reimbursements }, SEVERAL, 1);
}

const summary = (index: number, change: Partial<DocumentTax>): DocumentContent =>
  full({ taxes: FULL.content.taxes.map((tax, at) => (at === index ? { ...tax, ...change } : tax)) });

/** What a short form always says. */
const LEGACY = 'warning withholding.short_form /withholding';

/** What an entry says that is in another group than the header's. */
const regrouped = (index: number): string[] => [
  `withholding.summary_extra /taxes/${index}`,
  'withholding.summary_missing /taxes',
];

it('has nothing to report on its examples but that the short form is the old one', () => {
  for (const { name, content, issuer } of WITHHOLDING_EXAMPLES) {
    expect([name, rulesOf(content, issuer)]).toEqual([name, name === 'short' ? [LEGACY] : []]);
  }
});

it.each<[string, DocumentContent, string[]]>([
  [
    'final consumer',
    full({ buyerIdType: '07', buyerId: '9999999999999', buyerName: 'CONSUMIDOR FINAL' }),
    ['withholding.subject /buyer_id_type'],
  ],
  ['nobody', full({ buyerName: null }), ['buyer.incomplete /buyer_name']],
  ['kind of subject at home', form({ subjectType: '01' }), ['withholding.subject_type /withholding/subject_type']],
  [
    'no kind of a foreign subject',
    { ...ABROAD.content, withholding: { ...ABROAD.content.withholding!, subjectType: null } },
    ['withholding.subject_type /withholding/subject_type'],
  ],
  [
    'unknown kind',
    { ...ABROAD.content, withholding: { ...ABROAD.content.withholding!, subjectType: '03' } },
    ['withholding.subject_type /withholding/subject_type'],
  ],
])('knows the subject: %s', (_name, content, expected) => expect(rulesOf(content)).toEqual(expected));

it.each<[string, DocumentContent, string[]]>([
  ['later', form({ fiscalPeriod: '10/2026' }), ['withholding.fiscal_period /withholding/fiscal_period']],
  ['no month', form({ fiscalPeriod: '13/2026' }), ['withholding.fiscal_period /withholding/fiscal_period']],
  ['other form', form({ fiscalPeriod: '2026-09' }), ['withholding.fiscal_period /withholding/fiscal_period']],
  [
    'earlier',
    form({ fiscalPeriod: '08/2026' }),
    ['warning withholding.fiscal_period_unusual /withholding/fiscal_period'],
  ],
])('asks for the month: %s', (_name, content, expected) => expect(rulesOf(content)).toEqual(expected));

it.each<[string, DocumentContent, string[]]>([
  ['no type', short({ modifiedDocumentType: null }), [LEGACY, 'withholding.support_missing /modified_document_type']],
  [
    'no number',
    short({ modifiedDocumentNumber: null }),
    [LEGACY, 'withholding.support_missing /modified_document_number'],
  ],
  [
    'no date',
    short({ modifiedDocumentIssueDate: null }),
    [LEGACY, 'withholding.support_missing /modified_document_issue_date'],
  ],
  ['later', short({ modifiedDocumentIssueDate: '2026-09-16' }), [LEGACY, 'support.date /modified_document_issue_date']],
  [
    'long ago',
    short({ modifiedDocumentIssueDate: '2026-09-09' }),
    [LEGACY, 'warning withholding.late /modified_document_issue_date'],
  ],
  ['five days ago', short({ modifiedDocumentIssueDate: '2026-09-10' }), [LEGACY]],
  [
    'bare number',
    short({ modifiedDocumentNumber: '002003000000456' }),
    [LEGACY, 'support.number /modified_document_number'],
  ],
  ['unknown type', short({ modifiedDocumentType: '99' }), [LEGACY, 'support.document_type /modified_document_type']],
  ['unknown tax', shortTax({ taxCode: '3' }), [LEGACY, 'withholding.tax /taxes/0/tax_code']],
  [
    'unlisted income code',
    shortTax({ taxRateCode: '9999' }),
    [LEGACY, 'warning withholding.code_unlisted /taxes/0/tax_rate_code'],
  ],
  [
    'a long income code',
    shortTax({ taxRateCode: '999999' }),
    [LEGACY, 'text.length /taxes/0/tax_rate_code', 'warning withholding.code_unlisted /taxes/0/tax_rate_code'],
  ],
  [
    'unusual income rate',
    { ...shortTax({ rate: '0.0175', taxAmount: '17.50' }), totalTax: '62.50', total: '62.50' },
    [LEGACY, 'warning withholding.rate_unusual /taxes/0/rate'],
  ],
  [
    'base beside the lines',
    shortTax({ taxableBase: '999.99' }),
    [LEGACY, 'warning withholding.income_base_unusual /taxes'],
  ],
  [
    'a cent at 0 %',
    shortTax({ taxRateCode: '332', rate: '0.0000', taxAmount: '0.01' }),
    ['withholding.total_tax /total_tax', LEGACY, 'warning tax.amount_at_zero_rate /taxes/0/tax_amount'],
  ],
  ['a tariff beside its rate', shortTax({ tariff: '30.00' }), [LEGACY, 'warning withholding.tariff_unused /taxes/0/tariff']],
  ['the rate as tariff', shortTax({ tariff: '2' }), [LEGACY]],
  ['a cent more', { ...shortTax({ taxAmount: '20.01' }), totalTax: '65.01', total: '65.01' }, [LEGACY]],
  [
    'two cents more',
    { ...shortTax({ taxAmount: '20.02' }), totalTax: '65.02', total: '65.02' },
    [LEGACY, 'withholding.amount /taxes/0/tax_amount'],
  ],
])('checks the short form: %s', (_name, content, expected) => expect(rulesOf(content, SHORT.issuer)).toEqual(expected));

it.each<[string, DocumentContent, string[]]>([
  ['total tax', full({ totalTax: '65.01', total: '65.01' }), ['withholding.total_tax /total_tax']],
  ['total tax beside a right total', full({ totalTax: '65.01' }), ['withholding.total_tax /total_tax']],
  ['total', full({ total: '65.01' }), ['withholding.total /total']],
  [
    'discount',
    full({ totalDiscount: '0.01' }),
    ['withholding.total_discount /total_discount', 'withholding.supports_subtotal /subtotal'],
  ],
  [
    'subtotal',
    full({ subtotal: '1000.01' }),
    ['withholding.subtotal /subtotal', 'withholding.supports_subtotal /subtotal'],
  ],
  [
    'extra',
    full({
      taxes: [
        ...FULL.content.taxes,
        { ...FULL.content.taxes[0]!, taxRateCode: '303', taxableBase: '0.00', taxAmount: '0.00' },
      ],
    }),
    ['withholding.summary_extra /taxes/2'],
  ],
  [
    'missing',
    full({ taxes: FULL.content.taxes.slice(0, 1), totalTax: '20.00', total: '20.00' }),
    ['withholding.summary_missing /taxes'],
  ],
  [
    'twice',
    full({ taxes: [...FULL.content.taxes, FULL.content.taxes[0]!] }),
    ['withholding.total_tax /total_tax', 'withholding.summary_repeated /taxes/2'],
  ],
  ['base', summary(0, { taxableBase: '999.99' }), ['withholding.summary_base /taxes/0/taxable_base']],
  [
    'amount',
    { ...summary(0, { taxAmount: '20.01' }), totalTax: '65.01', total: '65.01' },
    ['withholding.summary_amount /taxes/0/tax_amount'],
  ],
  [
    'none',
    form({ supportingDocuments: [] }),
    [
      `withholding.supports_empty ${AT}`,
      'withholding.supports_subtotal /subtotal',
      'withholding.summary_extra /taxes/0',
      'withholding.summary_extra /taxes/1',
    ],
  ],
  [
    'the same again',
    form({ supportingDocuments: [documentOf(FULL, 0), documentOf(FULL, 0)] }),
    [
      `withholding.support_repeated ${AT}/1/number`,
      'withholding.supports_subtotal /subtotal',
      'withholding.summary_base /taxes/0/taxable_base',
      'withholding.summary_amount /taxes/0/tax_amount',
      'withholding.summary_base /taxes/1/taxable_base',
      'withholding.summary_amount /taxes/1/tax_amount',
    ],
  ],
])('sums up its supporting documents: %s', (_name, content, expected) => expect(rulesOf(content)).toEqual(expected));

it.each([
  ['999-999-999999999', []],
  ['000-000-000000000', [`warning support.number_zero ${AT}/0/number`, `warning support.number_zero ${AT}/1/number`]],
])('may hold several papers without a number of their own, as those from abroad: %s', (number, expected) => {
  const papers = [12, 14].map((day) => ({ ...documentOf(FULL, 0), documentType: '15', number, authorizationNumber: null, issueDate: `2026-09-${day}` }));
  const content = form({ supportingDocuments: papers });
  const lines = papers.map(({ subtotal }, index) => ({ ...content.lines[0]!, lineNumber: index + 1, quantity: '1.000000', unitPrice: `${subtotal}0000`, discount: '0.00', subtotal }));
  expect(rulesOf(withComputedTotals({ ...content, lines }, FULL.issuer))).toEqual(expected);
});

it.each([
  ['149.99', '45.00', []],
  ['150.01', '45.00', []],
  ['150.02', '45.01', [`withholding.iva_base_exceeded ${AT}/0/withholdings`]],
  ['149.98', '44.99', [`warning withholding.iva_base_partial ${AT}/0/withholdings`]],
  ['100.00', '30.00', [`warning withholding.iva_base_partial ${AT}/0/withholdings`]],
])('refuses IVA bases that exceed the IVA of 150.00, and warns of smaller ones: %s', (taxableBase, amount, expected) => {
  expect(rulesOf(withComputedTotals(entry(1, { taxableBase, amount }), FULL.issuer))).toEqual(expected);
});

it.each<[string, DocumentContent, string[]]>([
  ['sustento', support({ sustentoCode: '99' }), [`withholding.sustento ${AT}/0/sustento_code`]],
  ['type', support({ documentType: '99' }), [`support.document_type ${AT}/0/document_type`]],
  ['number', support({ number: '1' }), [`support.number ${AT}/0/number`]],
  [
    'authorization',
    support({ authorizationNumber: '12' }),
    [`support.authorization_number ${AT}/0/authorization_number`],
  ],
  ['date', support({ issueDate: '2026-09-16' }), [`support.date ${AT}/0/issue_date`]],
  ['late', support({ issueDate: '2026-09-01' }), [`warning withholding.late ${AT}/0/issue_date`]],
  ['place', support({ paymentLocation: '03' }), [`withholding.payment_location ${AT}/0/payment_location`]],
  ['country at home', support({ country: '593' }), [`withholding.abroad_only ${AT}/0/country`]],
  ['a treaty at home', support({ treaty: true }), [`withholding.abroad_only ${AT}/0/treaty`]],
  ['no treaty at home', support({ treaty: false }), []],
  ['no regime abroad', support({ regimeType: null }, ABROAD), [`withholding.regime ${AT}/0/regime_type`]],
  ['unknown regime', support({ regimeType: '09' }, ABROAD), [`withholding.regime ${AT}/0/regime_type`]],
  ['no country abroad', support({ country: null }, ABROAD), [`withholding.country ${AT}/0/country`]],
  ['a name of a country', support({ country: 'US' }, ABROAD), [`withholding.country ${AT}/0/country`]],
  ['no treaty told', support({ treaty: null }, ABROAD), [`withholding.treaty ${AT}/0/treaty`]],
  ['no payments', support({ payments: [] }), [`withholding.empty ${AT}/0/payments`]],
  [
    'payment',
    support({ payments: [{ paymentMethodCode: '99', total: '1150.00' }] }),
    [`withholding.payment_method ${AT}/0/payments/0/payment_method_code`],
  ],
  [
    'payments',
    support({ payments: [{ paymentMethodCode: '20', total: '1149.99' }] }),
    [`withholding.payments ${AT}/0/payments`],
  ],
  [
    'total',
    support({ total: '1150.01', payments: [{ paymentMethodCode: '20', total: '1150.01' }] }),
    [`warning withholding.document_total ${AT}/0/total`],
  ],
  [
    'total with a tip',
    support({ total: '1250.00', payments: [{ paymentMethodCode: '20', total: '1250.00' }] }),
    [`warning withholding.document_total ${AT}/0/total`],
  ],
  [
    'total without refunded IVA',
    support({ total: '1000.00', payments: [{ paymentMethodCode: '20', total: '1000.00' }] }),
    [`warning withholding.document_total ${AT}/0/total`],
  ],
  [
    'reimbursements of another type',
    support({ documentType: '01' }, SEVERAL, 1),
    [`withholding.reimbursements ${AT}/1/reimbursements`],
  ],
  ...['47', '48'].map((documentType): [string, DocumentContent, string[]] => [`reimbursements of a note on them, ${documentType}`, support({ documentType }, SEVERAL, 1), []]),
  ['no reimbursements of such a note', support({ documentType: '48', reimbursements: [] }, SEVERAL, 1), []],
  [
    'no reimbursements',
    support({ reimbursements: [] }, SEVERAL, 1),
    [`withholding.reimbursements ${AT}/1/reimbursements`],
  ],
])('checks a supporting document: %s', (_name, content, expected) => expect(rulesOf(content)).toEqual(expected));

it.each<[string, DocumentContent, string[]]>([
  [
    'IVA of another day',
    ownTax({ taxRateCode: '2', tariff: '12.00', taxAmount: '120.00' }),
    [
      `tax.rate_code_not_in_force ${AT}/0/taxes/0/tax_rate_code`,
      `withholding.iva_base_exceeded ${AT}/0/withholdings`,
      `warning withholding.document_total ${AT}/0/total`,
    ],
  ],
  ['tariff', ownTax({ tariff: '12.00' }), [`tax.rate ${AT}/0/taxes/0/tariff`]],
  [
    'a note on a purchase of another rate',
    support({ documentType: '04', taxes: [{ ...documentOf(FULL, 0).taxes[0]!, taxRateCode: '2', tariff: '12.00' }] }),
    [`warning tax.rate_code_of_original ${AT}/0/taxes/0/tax_rate_code`],
  ],
  [
    'tariff with too many digits',
    ownTax({ tariff: '15.25' }),
    [`withholding.tariff ${AT}/0/taxes/0/tariff`, `tax.rate ${AT}/0/taxes/0/tariff`],
  ],
  [
    'tax far beside its base',
    ownTax({ taxAmount: '144.99' }),
    [
      `tax.amount ${AT}/0/taxes/0/tax_amount`,
      `withholding.iva_base_exceeded ${AT}/0/withholdings`,
      `warning withholding.document_total ${AT}/0/total`,
    ],
  ],
  [
    'tax that lines may have rounded',
    ownTax({ taxAmount: '149.98' }),
    [
      `warning tax.amount_of_lines ${AT}/0/taxes/0/tax_amount`,
      `withholding.iva_base_exceeded ${AT}/0/withholdings`,
      `warning withholding.document_total ${AT}/0/total`,
    ],
  ],
  [
    'tax at 0 %',
    ownTax({ taxRateCode: '0', tariff: '0.00', taxAmount: '0.02' }),
    [
      `tax.amount ${AT}/0/taxes/0/tax_amount`,
      `withholding.iva_base_exceeded ${AT}/0/withholdings`,
      `warning withholding.document_total ${AT}/0/total`,
    ],
  ],
  ['excise above 100 %', excised('3023', '150.00', '150.00'), [BASES]],
  ['excise beside its rate', excised('3610', '20.00', '99.00'), [`warning tax.amount_unusual ${AT}/0/taxes/1/tax_amount`, BASES]],
  ['excise with a part per unit', excised('3041', '75.00', '99.00'), [BASES]],
  [
    'excise that our table lacks',
    excised('3533', '20.00', '99.00'),
    [`warning tax.rate_code_unlisted ${AT}/0/taxes/1/tax_rate_code`, `warning tax.amount_unusual ${AT}/0/taxes/1/tax_amount`, BASES],
  ],
  [
    'a purchase without IVA',
    support({
      taxes: [{ taxCode: '5', taxRateCode: '5001', taxableBase: '0.00', tariff: '0.02', taxAmount: '0.00' }],
      total: documentOf(FULL, 0).subtotal,
      withholdings: documentOf(FULL, 0).withholdings.filter(({ taxCode }) => taxCode === '1'),
      payments: [{ paymentMethodCode: '20', total: documentOf(FULL, 0).subtotal }],
    }),
    ['withholding.summary_extra /taxes/1'],
  ],
  [
    'IRBPNR beside IVA',
    support({ taxes: [...documentOf(FULL, 0).taxes, { ...documentOf(FULL, 0).taxes[0]!, taxCode: '5', taxRateCode: '5001', taxableBase: '0.00', tariff: '0.02', taxAmount: '0.00' }] }),
    [],
  ],
  [
    'a purchase of which most is told under no rate of IVA',
    support({
      taxes: [{ ...documentOf(FULL, 0).taxes[0]!, taxRateCode: '0', taxableBase: '1.00', tariff: '0.00', taxAmount: '0.00' }],
      total: documentOf(FULL, 0).subtotal,
      withholdings: documentOf(FULL, 0).withholdings.filter(({ taxCode }) => taxCode === '1'),
      payments: [{ paymentMethodCode: '20', total: documentOf(FULL, 0).subtotal }],
    }),
    [BASES, 'withholding.summary_extra /taxes/1'],
  ],
  [
    'a tax that is told twice',
    support({ taxes: [documentOf(FULL, 0).taxes[0]!, documentOf(FULL, 0).taxes[0]!] }),
    [
      `warning withholding.tax_repeated ${AT}/0/taxes/1`,
      BASES,
      `warning withholding.iva_base_partial ${AT}/0/withholdings`,
      `warning withholding.document_total ${AT}/0/total`,
    ],
  ],
  [
    'excise of four digits',
    excised('3023', '1500.00', '1500.00'),
    [
      `withholding.tariff ${AT}/0/taxes/1/tariff`,
      `warning tax.rate_unusual ${AT}/0/taxes/1/tariff`,
      BASES,
    ],
  ],
  [
    'IVA base',
    entry(1, { taxableBase: '1000.00', amount: '300.00' }),
    [
      `withholding.iva_base_exceeded ${AT}/0/withholdings`,
      'withholding.summary_base /taxes/1/taxable_base',
      'withholding.summary_amount /taxes/1/tax_amount',
    ],
  ],
  [
    'income base',
    entry(0, { taxableBase: '900.00', amount: '18.00' }),
    [
      `withholding.income_base ${AT}/0/withholdings`,
      'withholding.summary_base /taxes/0/taxable_base',
      'withholding.summary_amount /taxes/0/tax_amount',
    ],
  ],
  [
    'box of the return as code',
    entry(1, { withholdingCode: '725' }),
    [`withholding.code ${AT}/0/withholdings/1/withholding_code`, ...regrouped(1)],
  ],
  [
    'rate of another IVA code',
    entry(1, { rate: '70.00', amount: '105.00' }),
    [`withholding.rate ${AT}/0/withholdings/1/rate`, ...regrouped(1)],
  ],
  [
    'unusual income rate',
    entry(0, { rate: '1.75', amount: '17.50' }),
    [`warning withholding.rate_unusual ${AT}/0/withholdings/0/rate`, ...regrouped(0)],
  ],
  [
    'percentage with too many digits',
    entry(0, { rate: '12.75', amount: '127.50' }),
    [
      `warning withholding.rate_unusual ${AT}/0/withholdings/0/rate`,
      `withholding.percentage ${AT}/0/withholdings/0/rate`,
      ...regrouped(0),
    ],
  ],
  [
    'percentage above 100',
    entry(0, { rate: '101.00', amount: '1010.00' }),
    [
      `warning withholding.rate_unusual ${AT}/0/withholdings/0/rate`,
      `withholding.percentage ${AT}/0/withholdings/0/rate`,
      ...regrouped(0),
    ],
  ],
  [
    'dividend where none is',
    entry(0, { dividend: documentOf(ABROAD, 0).withholdings[0]!.dividend }),
    [`withholding.dividend ${AT}/0/withholdings/0/dividend`],
  ],
  ['no dividend', entry(0, { dividend: null }, ABROAD), [`withholding.dividend ${AT}/0/withholdings/0/dividend`]],
  [
    'year of the profits',
    entry(0, { dividend: { ...documentOf(ABROAD, 0).withholdings[0]!.dividend!, fiscalYear: '1899' } }, ABROAD),
    [`withholding.fiscal_year ${AT}/0/withholdings/0/dividend/fiscal_year`],
  ],
  [
    'no boxes',
    entry(0, { bananaBoxes: null }, SEVERAL, 2),
    [`withholding.banana_boxes ${AT}/2/withholdings/0/banana_boxes`],
  ],
  [
    'boxes of something else',
    entry(0, { bananaBoxes: { boxes: 1, pricePerBox: '1.00' } }),
    [`withholding.banana_boxes ${AT}/0/withholdings/0/banana_boxes`],
  ],
  [
    'too many boxes',
    entry(0, { bananaBoxes: { boxes: 10_000_000, pricePerBox: '8.00' } }, SEVERAL, 2),
    [`withholding.banana_count ${AT}/2/withholdings/0/banana_boxes/boxes`],
  ],
  ['a cent withheld at 0 %', entry(1, { withholdingCode: '7', rate: '0.00', amount: '0.01' }), [`warning tax.amount_at_zero_rate ${AT}/0/withholdings/1/amount`, ...regrouped(1)]],
  [
    'a cent of tax at 0 % in the document',
    ownTax({ taxRateCode: '0', tariff: '0.00', taxAmount: '0.01' }),
    [
      `warning tax.amount_at_zero_rate ${AT}/0/taxes/0/tax_amount`,
      `withholding.iva_base_exceeded ${AT}/0/withholdings`,
      `warning withholding.document_total ${AT}/0/total`,
    ],
  ],
  [
    'tariff of a reimbursement',
    reimbursed({
      taxes: [
        { taxCode: '3', taxRateCode: '3101', taxableBase: '100.00', rate: '0.1050', taxAmount: '10.50', tariff: null },
      ],
    }),
    [
      `warning tax.rate_unusual ${AT}/1/reimbursements/0/taxes/0/rate`,
      `withholding.reimbursement_tariff ${AT}/1/reimbursements/0/taxes/0/rate`,
    ],
  ],
  [
    'tariff of a reimbursement that is cents for each bottle: none is asked for that has no place',
    reimbursed({ taxes: [{ taxCode: '5', taxRateCode: '5001', taxableBase: '4.00', rate: '0.0000', taxAmount: '0.08', tariff: '0' }] }),
    [],
  ],
  [
    'supplier of a reimbursement whose identification is not printed',
    reimbursed({ supplierIdType: '06', supplierId: '护照123' }),
    [`warning text.not_printed ${AT}/1/reimbursements/0/supplier_id`],
  ],
  [
    'supplier of a reimbursement',
    reimbursed({ supplierIdType: '07' }),
    [`reimbursement.supplier_id_type ${AT}/1/reimbursements/0/supplier_id_type`],
  ],
])('checks what is charged and withheld: %s', (_name, content, expected) => expect(rulesOf(content)).toEqual(expected));

it.each([
  ['2', '4', '12.00', '15.00'],
  ['2', '4', '0.15', '15.00'],
  ['2', '0', '15.00', '0.00'],
  ['3', '3023', '100.00', '150.00'],
])('tells the tariff of a supporting tax as its field has it: %s/%s, %s', (taxCode, taxRateCode, tariff, expected) => {
  const { findings } = preflight(ownTax({ taxCode, taxRateCode, tariff }), FULL.issuer, { today: TODAY, maxIssueDateAgeDays: 90 });
  const told = findings.filter(({ pointer }) => pointer.endsWith('/tariff')).map((one) => [one.pointer, one.expected, one.actual]);
  expect(told).toEqual([[`${AT}/0/taxes/0/tariff`, expected, tariff]]);
});

it.each([
  ['0.02', ['tax.rate_unusual', 'withholding.reimbursement_tariff']],
  [null, ['tax.tariff_missing']],
])('asks for 0 where cents for each bottle have no place: tariff %s', (tariff, rules) => {
  const content = reimbursed({ taxes: [{ taxCode: '5', taxRateCode: '5001', taxableBase: '4.00', rate: '0.0000', taxAmount: '0.08', tariff }] });
  const { findings } = preflight(content, FULL.issuer, { today: TODAY, maxIssueDateAgeDays: 90 });
  const told = findings.map(({ rule, pointer, expected }) => [rule, pointer, expected]);
  expect(told).toEqual(rules.map((rule) => [rule, `${AT}/1/reimbursements/0/taxes/0/tariff`, '0']));
});

it.each([
  ['2021-09-15', []],
  ['2021-09-01', ['warning withholding.date_unusual']],
  ['2027-09-15', []],
  ['2027-09-17', ['warning withholding.date_unusual']],
])('doubts days years away from the issue: %s', (day, expected) => {
  const { dividend } = documentOf(ABROAD, 0).withholdings[0]!;
  const at = expected.map((rule) => `${rule} ${AT}/0`);
  expect(rulesOf(support({ accountingDate: day }))).toEqual(at.map((place) => `${place}/accounting_date`));
  expect(rulesOf(entry(0, { dividend: { ...dividend!, paymentDate: day } }, ABROAD), ABROAD.issuer)).toEqual(at.map((place) => `${place}/withholdings/0/dividend/payment_date`));
});

it('holds the access key of a supporting document against it and whom it came from', () => {
  const { number, issueDate } = documentOf(FULL, 0);
  const [establishment, emissionPoint, sequential] = number.split('-') as [string, string, string];
  const key = (ruc: string): DocumentContent => ({
    ...support({
      authorizationNumber: buildAccessKey({ issueDate, documentType: '01', ruc, environment: '2', establishment, emissionPoint, sequential: Number(sequential), numericCode: '12345678' }),
    }),
    buyerIdType: '04',
    buyerId: '0990012342001',
  });
  expect(rulesOf(key('0990012342001'))).toEqual([]);
  expect(rulesOf(key('1790012344001'))).toEqual([`warning support.access_key_of_other ${AT}/0/authorization_number`]);
  expect(rulesOf({ ...key('1790012344001'), buyerIdType: '06', buyerId: 'AB123' })).toEqual([]);
});

it('warns of a withholding on oneself, whose number is taken after it is told', () => {
  const self = { buyerIdType: '04', buyerId: FULL.issuer.ruc } as const;
  const of = (content: DocumentContent): string[] => rulesOf(content).filter((rule) => rule.startsWith('warning withholding.self'));
  expect(of({ ...support({ documentType: '42', sustentoCode: '12' }), ...self })).toEqual([`warning withholding.self ${AT}/0/document_type`]);
  expect(of({ ...support({ documentType: '42', sustentoCode: '12' }), buyerIdType: '05', buyerId: FULL.issuer.ruc.slice(0, 10) })).toEqual([`warning withholding.self ${AT}/0/document_type`]);
  expect(of({ ...short({ modifiedDocumentType: '42' }), ...self })).toEqual(['warning withholding.self /modified_document_type']);
  // Of a presumptive withholding the subject is another.
  expect(of(support({ documentType: '42', sustentoCode: '12' }))).toEqual([]);
  expect(of({ ...FULL.content, ...self })).toEqual([]);
});

it('leaves a special-taxpayer number of more than 5 characters out of the full form, with a warning; the short one takes 13', () => {
  const written = (content: DocumentContent, issuer: IssuerSnapshot) => /<contribuyenteEspecial>.*<\/contribuyenteEspecial>/.exec(WITHHOLDING.buildXml(content, issuer, FULL.numbering))?.[0];
  const long = { ...FULL.issuer, specialTaxpayer: '123456' };
  expect(rulesOf(FULL.content, long)).toEqual(['warning withholding.special_taxpayer /issuer_id']);
  expect(written(FULL.content, long)).toBeUndefined();
  expect(rulesOf(SHORT.content, long)).toEqual([LEGACY]);
  expect(written(SHORT.content, long)).toContain('>123456<');
  const fitting = { ...FULL.issuer, specialTaxpayer: '12345' };
  expect(rulesOf(FULL.content, fitting)).toEqual([]);
  expect(written(FULL.content, fitting)).toContain('>12345<');
});

it('leaves fields of other types out, with a warning', () => {
  expect(rulesOf(full({ reason: 'x' }))).toEqual(['warning document.unused_field /reason']);
  const [line] = FULL.content.lines;
  expect(rulesOf(full({ lines: [{ ...line!, unitOfMeasure: 'kg', additionalDetails: [{ name: 'a', value: 'b' }] }] }))).toEqual([
    'warning document.unused_field /lines/0/unit_of_measure',
    'warning document.unused_field /lines/0/additional_details',
  ]);
  expect(rulesOf(full({ tip: '1.00' }))).toEqual(['document.field_of_other_type /tip']);
});

it.each<[string, unknown, string]>([
  ['text', 'junk', '/withholding'],
  ['list', [], '/withholding'],
  ['no documents', { ...FULL.content.withholding, supportingDocuments: null }, AT],
  [
    'number of boxes as text',
    entry(0, { bananaBoxes: { boxes: '1', pricePerBox: '1' } as never }).withholding,
    `${AT}/0/withholdings/0/banana_boxes/boxes`,
  ],
])('answers a malformed full form with findings: %s', (_name, withholding, pointer) => {
  const found = rulesOf(full({ withholding: withholding as Withholding }));
  expect(found).toContain(`shape.structure ${pointer}`);
  expect(found.every((finding) => finding.startsWith('shape.'))).toBe(true);
});

it('has a case above for every rule of its own', () => {
  const own = ruleCatalogue().filter(({ id }) => id.startsWith('withholding.'));
  expect(own.length).toBeGreaterThan(40);
  expect(own.map(({ id }) => id).filter((id) => !triggered.has(id))).toEqual([]);
});

it('writes whether a payment abroad is subject to withholding only without a treaty', () => {
  const { issuer, numbering } = ABROAD;
  const xml = (treaty: boolean) => WITHHOLDING.buildXml(support({ treaty }, ABROAD), issuer, numbering);
  expect(xml(false)).toContain('<pagExtSujRetNorLeg>SI</pagExtSujRetNorLeg>');
  expect(xml(true)).not.toContain('pagExtSujRetNorLeg');
});

it('counts only income tax that is withheld as subjecting a payment abroad', () => {
  const { issuer, numbering } = ABROAD;
  const [income] = ABROAD.content.withholding!.supportingDocuments[0]!.withholdings;
  const untaxed = { ...income!, taxCode: '1', amount: '0.00' };
  const vat = { ...income!, taxCode: '2', amount: '150.00' };
  const xml = (withholdings: readonly WithheldTax[]) => WITHHOLDING.buildXml(support({ treaty: false, withholdings: [...withholdings] }, ABROAD), issuer, numbering);
  expect(xml([untaxed, vat])).toContain('<pagExtSujRetNorLeg>NO</pagExtSujRetNorLeg>');
  expect(xml([vat, { ...untaxed, amount: '0.01' }])).toContain('<pagExtSujRetNorLeg>SI</pagExtSujRetNorLeg>');
});
