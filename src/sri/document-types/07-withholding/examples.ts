import type { DocumentContent, DocumentTax, SupportingDocument, WithheldTax, Withholding } from '../content.js';
import type { DocumentExample } from '../document-type.js';
import { EXAMPLE_ISSUER, exampleOf, UNPRICED_CONTENT, UNPRICED_LINE } from '../example-content.js';

const withheld = (
  taxCode: string,
  taxRateCode: string,
  taxableBase: string,
  rate: string,
  taxAmount: string,
): DocumentTax => ({ taxCode, taxRateCode, taxableBase, rate, taxAmount, tariff: null });

const INCOME_2 = withheld('1', '312', '1000.00', '0.0200', '20.00');
const IVA_30 = withheld('2', '1', '150.00', '0.3000', '45.00');

const CONTENT: DocumentContent = {
  ...UNPRICED_CONTENT,
  documentType: '07',
  buyerName: 'PROVEEDORA FICTICIA CÍA. LTDA.',
  subtotal: '1000.00',
  totalTax: '65.00',
  total: '65.00',
  lines: [
    {
      ...UNPRICED_LINE,
      description: 'Compra de bienes',
      mainCode: 'C-1',
      unitPrice: '1000.000000',
      subtotal: '1000.00',
      taxRateCode: '4',
    },
  ],
  taxes: [INCOME_2, IVA_30],
};

const short = exampleOf(
  'short',
  301,
  {
    ...CONTENT,
    modifiedDocumentType: '01',
    modifiedDocumentNumber: '002-003-000000456',
    modifiedDocumentIssueDate: '2026-09-14',
    additionalInfo: [{ name: 'Compra', value: 'C-2026-9' }],
  },
  { ...EXAMPLE_ISSUER, establishmentAddress: 'Av. Ficticia N1-23, Quito', specialTaxpayer: '1234567890123' },
);

const entry = (
  taxCode: string,
  withholdingCode: string,
  taxableBase: string,
  rate: string,
  amount: string,
): WithheldTax => ({ taxCode, withholdingCode, taxableBase, rate, amount, dividend: null, bananaBoxes: null });

const DOCUMENT: SupportingDocument = {
  sustentoCode: '01',
  documentType: '01',
  number: '002-003-000000456',
  issueDate: '2026-09-14',
  accountingDate: '2026-09-15',
  authorizationNumber: '1234567890',
  paymentLocation: '01',
  regimeType: null,
  country: null,
  treaty: null,
  subtotal: '1000.00',
  total: '1150.00',
  taxes: [{ taxCode: '2', taxRateCode: '4', taxableBase: '1000.00', tariff: '15.00', taxAmount: '150.00' }],
  withholdings: [entry('1', '312', '1000.00', '2.00', '20.00'), entry('2', '1', '150.00', '30.00', '45.00')],
  payments: [{ paymentMethodCode: '20', total: '1150.00' }],
  reimbursements: [],
};

const FULL: Withholding = {
  fiscalPeriod: '09/2026',
  relatedParty: false,
  subjectType: null,
  supportingDocuments: [DOCUMENT],
};

const full = exampleOf(
  'full',
  302,
  { ...CONTENT, withholding: FULL },
  { ...EXAMPLE_ISSUER, specialTaxpayer: '12345', withholdingAgent: '1', largeTaxpayer: 'NAC-GCFOIOC21-00000001' },
);

const UNTAXED = { taxCode: '2', taxRateCode: '0', tariff: '0.00', taxAmount: '0.00' } as const;

/** Several documents: split income bases, a second kind of sustento, bananas, a reimbursement. */
const several = exampleOf('several-documents', 303, {
  ...CONTENT,
  subtotal: '1800.00',
  totalTax: '135.50',
  total: '135.50',
  lines: [{ ...UNPRICED_LINE, description: 'Compras de septiembre', unitPrice: '1800.000000', subtotal: '1800.00' }],
  taxes: [
    withheld('1', '312', '600.00', '0.0200', '12.00'),
    withheld('1', '3440', '400.00', '0.0300', '12.00'),
    withheld('2', '2', '150.00', '0.7000', '105.00'),
    withheld('1', '332', '500.00', '0.0000', '0.00'),
    withheld('1', '340', '200.00', '0.0300', '6.00'),
    withheld('1', '312A', '50.00', '0.0100', '0.50'),
    withheld('1', '346', '50.00', '0.0000', '0.00'),
  ],
  withholding: {
    ...FULL,
    relatedParty: true,
    supportingDocuments: [
      {
        ...DOCUMENT,
        withholdings: [
          entry('1', '312', '600.00', '2.00', '12.00'),
          entry('1', '3440', '400.00', '3.00', '12.00'),
          entry('2', '2', '150.00', '70.00', '105.00'),
        ],
      },
      {
        ...DOCUMENT,
        sustentoCode: '08',
        documentType: '41',
        number: '001-001-000000789',
        accountingDate: null,
        authorizationNumber: null,
        subtotal: '500.00',
        total: '500.00',
        taxes: [{ ...UNTAXED, taxableBase: '500.00' }],
        withholdings: [entry('1', '332', '500.00', '0.00', '0.00')],
        payments: [
          { paymentMethodCode: '20', total: '300.00' },
          { paymentMethodCode: '19', total: '200.00' },
        ],
        reimbursements: [
          {
            supplierIdType: '05',
            supplierId: '1710034065',
            supplierCountry: '593',
            supplierType: '01',
            documentType: '01',
            documentNumber: '001-001-000000055',
            issueDate: '2026-09-10',
            authorizationNumber: '1234567890',
            taxes: [
              {
                taxCode: '2',
                taxRateCode: '4',
                taxableBase: '400.00',
                rate: '0.1500',
                taxAmount: '60.00',
                tariff: null,
              },
              { taxCode: '2', taxRateCode: '0', taxableBase: '40.00', rate: '0.0000', taxAmount: '0.00', tariff: null },
            ],
          },
        ],
      },
      {
        ...DOCUMENT,
        sustentoCode: '06',
        number: '001-001-000000790',
        subtotal: '300.00',
        total: '300.00',
        taxes: [{ ...UNTAXED, taxableBase: '300.00' }],
        withholdings: [
          { ...entry('1', '340', '200.00', '3.00', '6.00'), bananaBoxes: { boxes: 25, pricePerBox: '8.00' } },
          entry('1', '312A', '50.00', '1.00', '0.50'),
          entry('1', '346', '50.00', '0.00', '0.00'),
        ],
        payments: [{ paymentMethodCode: '01', total: '300.00' }],
      },
    ],
  },
});

const abroad = exampleOf('abroad-dividend', 304, {
  ...CONTENT,
  buyerIdType: 'EXTERIOR',
  buyerId: 'US 12-345/6',
  buyerName: 'FICTION HOLDINGS "A&B" <LLC>',
  totalTax: '150.00',
  total: '150.00',
  taxes: [withheld('1', '504', '1000.00', '0.1000', '100.00'), withheld('6', '4580', '1000.00', '0.0500', '50.00')],
  withholding: {
    ...FULL,
    subjectType: '02',
    supportingDocuments: [
      {
        ...DOCUMENT,
        sustentoCode: '10',
        documentType: '19',
        paymentLocation: '02',
        regimeType: '01',
        country: '110',
        treaty: false,
        total: '1000.00',
        taxes: [{ ...UNTAXED, taxRateCode: '6', taxableBase: '1000.00' }],
        withholdings: [
          {
            ...entry('1', '504', '1000.00', '10.00', '100.00'),
            dividend: { paymentDate: '2026-09-14', incomeTaxPaid: '250.00', fiscalYear: '2025' },
          },
          entry('6', '4580', '1000.00', '5.00', '50.00'),
        ],
        payments: [{ paymentMethodCode: '20', total: '1000.00' }],
      },
    ],
  },
});

export const WITHHOLDING_EXAMPLES: readonly DocumentExample[] = [short, full, several, abroad];
