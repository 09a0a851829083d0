/**
 * No rule without a document that breaks it: every id of the catalogue is triggered,
 * most by random changes to random documents, the others by a case of their own. A
 * new rule without a case fails here; so does one that nothing can break any more.
 */
import type { DocumentContent, DocumentTypeCode, IssuerSnapshot } from '../../src/sri/document-types/content.js';
import { documentTypes } from '../../src/sri/document-types/registry.js';
import { ruleCatalogue } from '../../src/sri/document-types/rules/rule.js';
import { preflight } from '../../src/sri/preflight.js';
import { anyDocument, MOST_DAYS, TYPES } from '../support/documents/any-document.js';
import { perturbed } from '../support/documents/perturb.js';
import { Random } from '../support/documents/random.js';

/** At most so many documents of each type. */
const SEEDS = 1_500;

interface Case {
  readonly of: readonly [type: DocumentTypeCode, example: string];
  readonly change: (content: DocumentContent) => object;
  readonly issuer?: Partial<IssuerSnapshot>;
}

const on = (type: DocumentTypeCode, example: string, change: Case['change'], issuer?: Case['issuer']): Case => ({
  of: [type, example],
  change,
  ...(issuer === undefined ? {} : { issuer }),
});
const FINAL_CONSUMER = { buyerIdType: '07', buyerId: '9999999999999', buyerName: 'CONSUMIDOR FINAL' };

const SELF = { ruc: '1790012345001' };

/** What chance seldom or never does. */
const CASES: Readonly<Record<string, Case>> = {
  'additional_info.count': on('01', 'full', () => ({
    additionalInfo: Array.from({ length: 15 }, (_, at) => ({ name: `Nota ${at}`, value: 'x' })),
  })),
  'additional_info.reserved': on('01', 'full', () => ({ additionalInfo: [{ name: 'ruc proveedor', value: 'x' }] })),
  'additional_info.provider': on('01', 'full', () => ({ additionalInfo: [{ name: 'ruc proveedor', value: 'x' }] }), { providerRuc: null }),
  'buyer.final_consumer_banned': on('03', 'full', () => FINAL_CONSUMER),
  'buyer.final_consumer_id': on('01', 'full', () => ({ buyerIdType: '06', buyerId: '9999999999999' })),
  'buyer.final_consumer_name': on('01', 'full', () => ({ ...FINAL_CONSUMER, buyerName: 'NADIE' })),
  'buyer.final_consumer_unusual': on('01', 'full', () => ({ buyerIdType: '06', buyerId: 'AB123', buyerName: 'CONSUMIDOR FINAL' })),
  'buyer.foreign_id': on('01', 'full', () => ({ buyerIdType: '08', buyerId: ' 1' })),
  'buyer.passport': on('01', 'full', () => ({ buyerIdType: '06', buyerId: ' 1' })),
  'destination.lines_missing': on('06', 'several-consignees', ({ transport }) => ({
    transport: { ...transport, destinations: transport?.destinations.map((entry) => ({ ...entry, lineNumbers: [] })) },
  })),
  'document.field_of_other_type': on('04', 'full', () => ({ tip: '1.00' })),
  'modified_document.type_without_amounts': on('04', 'full', () => ({ modifiedDocumentType: '06' })),
  'text.beyond_bmp': on('01', 'full', () => ({ buyerName: 'Café 😀' })),
  'text.length_in_code_units': on('01', 'full', () => ({ buyerName: '😀'.repeat(151) })),
  'text.not_printed': on('01', 'full', () => ({ buyerName: '北京' })),
  'document.size': on('01', 'full', ({ lines: [line] }) => ({
    lines: Array.from({ length: 1_000 }, (_, at) => ({ ...line, lineNumber: at + 1, description: 'x'.repeat(300) })),
  })),
  'document.more_errors': on('01', 'full', ({ lines: [line] }) => ({
    lines: Array.from({ length: 501 }, (_, at) => ({ ...line, lineNumber: at + 1, subtotal: '0.01' })),
  })),
  'document.more_warnings': on('07', 'full', ({ withholding }) => {
    const [first] = withholding?.supportingDocuments ?? [];
    return { withholding: { ...withholding, supportingDocuments: Array.from({ length: 501 }, () => ({ ...first, issueDate: '2020-01-01' })) } };
  }),
  'document.type': on('01', 'full', () => ({ documentType: '02' })),
  'foreign_trade.country': on('01', 'export', ({ foreignTrade }) => ({
    foreignTrade: { ...foreignTrade, originCountry: 'EC' },
  })),
  'foreign_trade.buyer_address_missing': on('01', 'export', () => ({ buyerAddress: null })),
  'foreign_trade.final_consumer': on('01', 'export', () => FINAL_CONSUMER),
  'foreign_trade.incoterm_subtotal_missing': on('01', 'export', ({ foreignTrade }) => ({
    foreignTrade: { ...foreignTrade, incotermSubtotal: null },
  })),
  'guide.buyer_not_consignee': on('06', 'several-consignees', () => ({ buyerId: '1790012344001' })),
  'guide.reason_missing': on('06', 'full', () => ({ reason: null })),
  'guide.support_incomplete': on('06', 'full', () => ({ modifiedDocumentNumber: null })),
  'guide.transport_missing': on('06', 'full', () => ({ transport: null })),
  'guide.unused_field': on('06', 'several-consignees', () => ({ modifiedDocumentType: '01', modifiedDocumentNumber: '001-002-000000101', modifiedDocumentIssueDate: '2026-01-15' })),
  'invoice.delivery_guide_number': on('01', 'full', () => ({ deliveryGuideNumber: '001002000000003' })),
  'invoice.final_consumer_limit': on('01', 'full', () => ({ ...FINAL_CONSUMER, total: '50.01' })),
  'invoice.plate_missing': on('01', 'full', ({ lines }) => ({ vehiclePlate: null, lines: lines.map((line) => ({ ...line, mainCode: '0101' })) })),
  'invoice.plate_unusual': on('01', 'full', () => ({ vehiclePlate: '6T-1234' })),
  'invoice.tip': on('01', 'full', () => ({ tip: '1000.00' })),
  'line.plastic_bag_amount': on('01', 'several-taxes', ({ lines }) => ({
    lines: lines.map((line) => ({ ...line, taxes: line.taxes?.map((tax) => (tax.taxRateCode === '3680' ? { ...tax, taxAmount: '8.00' } : tax)) ?? null })),
  })),
  'line.tax_rate_code_contradicted': on('01', 'several-taxes', ({ lines: [line, ...others] }) => ({ lines: [{ ...line, taxRateCode: '99' }, ...others] })),
  'line.taxes_not_derivable': on('01', 'full', ({ lines }) => ({
    lines: lines.map((line) => ({ ...line, taxCode: '3', taxRateCode: '3610', taxes: null })),
  })),
  'modified_document.missing': on('04', 'full', () => ({ modifiedDocumentNumber: null })),
  'note.reason': on('04', 'full', () => ({ reason: null })),
  'payments.time_unit_alone': on('05', 'full', ({ payments }) => ({ payments: payments.map((payment) => ({ ...payment, term: null, timeUnit: 'dias' })) })),
  'payments.time_unit_missing': on('05', 'full', ({ payments }) => ({ payments: payments.map((payment) => ({ ...payment, term: 30, timeUnit: null })) })),
  'reimbursement.repeated': on('01', 'reimbursement', ({ reimbursements: [entry] }) => ({ reimbursements: [entry, entry] })),
  'shape.date': on('01', 'full', () => ({ issueDate: '2026-02-30' })),
  'shape.decimal': on('01', 'full', () => ({ total: '1e3' })),
  'shape.structure': on('06', 'full', () => ({ transport: 'truck' })),
  'substitute_guide.destinations': on('01', 'substitute-guide', ({ substituteGuide }) => ({
    substituteGuide: { ...substituteGuide, destinations: [] },
  })),
  'substitute_guide.end_date': on('01', 'substitute-guide', ({ substituteGuide }) => ({
    substituteGuide: { ...substituteGuide, endDate: '2026-01-01' },
  })),
  'substitute_guide.start_date': on('01', 'substitute-guide', ({ substituteGuide }) => ({
    substituteGuide: { ...substituteGuide, startDate: '2026-01-01' },
  })),
  'support.access_key': on('07', 'full', ({ withholding }) => ({
    withholding: ofFirst(withholding, { authorizationNumber: '1'.repeat(49) }),
  })),
  'support.access_key_of_other': on('06', 'several-consignees', ({ transport }) => ({
    transport: { ...transport, destinations: transport?.destinations.map((entry) => ({ ...entry, supportingDocument: entry.supportingDocument && { ...entry.supportingDocument, documentType: '03' } })) },
  })),
  'support.number_zero': on('07', 'full', ({ withholding }) => ({ withholding: ofFirst(withholding, { number: '001-001-000000000' }) })),
  'tax.amount_at_zero_rate': on('01', 'full', ({ taxes }) => ({ taxes: taxes.map((tax) => (tax.taxRateCode === '0' ? { ...tax, taxAmount: '0.01' } : tax)) })),
  'tax.rate_code_of_original': on('01', 'reimbursement', ({ reimbursements }) => ({
    reimbursements: reimbursements.map((entry) => ({ ...entry, documentType: '04', taxes: entry.taxes.map((tax) => ({ ...tax, taxRateCode: '2' })) })),
  })),
  'tax.rate_code_unlisted': on('01', 'several-taxes', ({ taxes }) => ({ taxes: [{ ...taxes[0], taxRateCode: '3533' }, ...taxes.slice(1)] })),
  'tax.tariff_missing': on('01', 'several-taxes', ({ taxes }) => ({ taxes: taxes.map((tax) => ({ ...tax, tariff: null })) })),
  'taxes.tariff': on('01', 'several-taxes', ({ taxes }) => ({ taxes: taxes.map((tax) => (tax.tariff === null ? tax : { ...tax, tariff: '9.00' })) })),
  'totals.too_large': on('01', 'full', () => ({ total: '200000000.01' })),
  'withholding.abroad_only': on('07', 'full', ({ withholding }) => ({
    withholding: ofFirst(withholding, { country: '593' }),
  })),
  'withholding.banana_count': on('07', 'several-documents', ({ withholding }) => ({
    withholding: {
      ...withholding,
      supportingDocuments: withholding?.supportingDocuments.map((document) => ({
        ...document,
        withholdings: document.withholdings.map((entry) => ({
          ...entry,
          bananaBoxes: entry.bananaBoxes && { ...entry.bananaBoxes, boxes: 10_000_000 },
        })),
      })),
    },
  })),
  'withholding.country': on('07', 'abroad-dividend', ({ withholding }) => ({
    withholding: ofFirst(withholding, { country: null }),
  })),
  'withholding.date_unusual': on('07', 'full', ({ withholding }) => ({ withholding: ofFirst(withholding, { accountingDate: '2016-09-15' }) })),
  'withholding.fiscal_period_unusual': on('07', 'full', ({ withholding }) => ({
    withholding: { ...withholding, fiscalPeriod: '01/2026' },
  })),
  'withholding.self': on('07', 'full', ({ withholding }) => ({ buyerIdType: '04', buyerId: SELF.ruc, withholding: ofFirst(withholding, { documentType: '42', sustentoCode: '12' }) }), SELF),
  'withholding.regime': on('07', 'abroad-dividend', ({ withholding }) => ({
    withholding: ofFirst(withholding, { regimeType: null }),
  })),
  'withholding.reimbursement_tariff': on('07', 'several-documents', ({ withholding }) => ({
    withholding: {
      ...withholding,
      supportingDocuments: withholding?.supportingDocuments.map((document) => ({
        ...document,
        reimbursements: document.reimbursements.map((entry) => ({
          ...entry,
          taxes: entry.taxes.map((tax) => ({ ...tax, rate: '0.1250' })),
        })),
      })),
    },
  })),
  'withholding.special_taxpayer': on('07', 'full', () => ({}), { specialTaxpayer: '1234567890123' }),
  'withholding.subject': on('07', 'full', () => FINAL_CONSUMER),
  'withholding.subject_type': on('07', 'full', ({ withholding }) => ({
    withholding: { ...withholding, subjectType: '01' },
  })),
  'withholding.supports_empty': on('07', 'full', ({ withholding }) => ({
    withholding: { ...withholding, supportingDocuments: [] },
  })),
  'withholding.tariff_unused': on('07', 'short', ({ taxes }) => ({ taxes: taxes.map((tax) => ({ ...tax, tariff: '30.00' })) })),
  'withholding.treaty': on('07', 'abroad-dividend', ({ withholding }) => ({
    withholding: ofFirst(withholding, { treaty: null }),
  })),
  'withholding.support_missing': on('07', 'short', () => ({ modifiedDocumentNumber: null })),
};

function ofFirst(withholding: DocumentContent['withholding'], change: object): object {
  const [first, ...others] = withholding?.supportingDocuments ?? [];
  return { ...withholding, supportingDocuments: [{ ...first, ...change }, ...others] };
}

const rulesOf = (content: DocumentContent, issuer: IssuerSnapshot, today: string): readonly string[] =>
  preflight(content, issuer, { today, maxIssueDateAgeDays: MOST_DAYS }).findings.map(({ rule }) => rule);

it.each(Object.entries(CASES))('%s is triggered by its case, and not without it', (id, { of, change, issuer }) => {
  const [code, name] = of;
  const example = documentTypes.find((type) => type.code === code)!.examples.find((entry) => entry.name === name)!;
  const { content } = example;
  const broken = Object.assign({}, content, change(content));
  expect(rulesOf(broken, { ...example.issuer, ...issuer }, content.issueDate)).toContain(id);
  expect(rulesOf(content, example.issuer, content.issueDate)).not.toContain(id);
});

it('has a document that breaks it for every rule of the catalogue', () => {
  const ids = ruleCatalogue().map(({ id }) => id);
  expect(ids.length).toBeGreaterThan(150);
  const untriggered = new Set(ids.filter((id) => !Object.hasOwn(CASES, id)));
  for (let seed = 0; seed < SEEDS && untriggered.size > 0; seed += 1) {
    for (const type of TYPES) {
      const made = anyDocument(type, seed);
      const { content } = perturbed(made.content, new Random(seed));
      for (const rule of rulesOf(content, made.issuer, made.today)) untriggered.delete(rule);
    }
  }
  expect([...untriggered]).toEqual([]);
});
