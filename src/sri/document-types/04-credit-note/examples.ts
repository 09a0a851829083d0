import type { DocumentContent } from '../content.js';
import type { DocumentExample } from '../document-type.js';
import {
  EXAMPLE_COMPANY,
  EXAMPLE_CONTENT,
  EXAMPLE_LINE,
  EXAMPLE_PERSON,
  exampleOf,
  FULL_EXAMPLE_ISSUER,
  iva15,
  noIva,
  TRICKY_TEXT,
} from '../example-content.js';

const CONTENT: DocumentContent = {
  ...EXAMPLE_CONTENT,
  ...EXAMPLE_PERSON,
  documentType: '04',
  modifiedDocumentType: '01',
  modifiedDocumentNumber: '001-002-000000101',
  modifiedDocumentIssueDate: '2026-09-01',
  reason: 'Devolución de mercadería',
  lines: [EXAMPLE_LINE],
  taxes: [iva15('10.00', '1.50')],
};

const plain = exampleOf('return', 201, CONTENT);

const full = exampleOf(
  'full',
  202,
  {
    ...CONTENT,
    ...EXAMPLE_COMPANY,
    subtotal: '126.00',
    totalDiscount: '1.00',
    totalTax: '41.12',
    total: '166.12',
    lines: [
      {
        ...EXAMPLE_LINE,
        description: 'Perfume',
        mainCode: 'P-1',
        auxCode: 'AUX-1',
        unitPrice: '100.000000',
        subtotal: '100.00',
        taxRateCode: null,
        taxes: [
          { ...iva15('100.00', '20.00'), taxCode: '3', taxRateCode: '3610', rate: '0.2000' },
          iva15('120.00', '18.00'),
        ],
        additionalDetails: [{ name: 'Lote', value: 'L-7' }],
      },
      {
        ...EXAMPLE_LINE,
        lineNumber: 2,
        description: 'Agua en botella plástica',
        quantity: '6.000000',
        unitPrice: '3.500000',
        discount: '1.00',
        subtotal: '20.00',
        taxRateCode: null,
        taxes: [
          iva15('20.00', '3.00'),
          { ...iva15('20.00', '0.12'), taxCode: '5', taxRateCode: '5001', rate: '0.0000', tariff: '0.02' },
        ],
      },
      {
        ...EXAMPLE_LINE,
        lineNumber: 3,
        description: 'Libro',
        unitPrice: '5.000000',
        subtotal: '5.00',
        taxRateCode: '0',
      },
    ],
    taxes: [
      { ...iva15('100.00', '20.00'), taxCode: '3', taxRateCode: '3610', rate: '0.2000' },
      iva15('140.00', '21.00'),
      { ...iva15('20.00', '0.12'), taxCode: '5', taxRateCode: '5001', rate: '0.0000', tariff: '0.02' },
      noIva('0', '5.00'),
    ],
    additionalInfo: [{ name: 'Contrato', value: 'C-2026-17' }],
  },
  FULL_EXAMPLE_ISSUER,
);

/** The rate is that of the day of the original: 12 % until March 2024. */
const oldRate = exampleOf('rate-of-the-original', 203, {
  ...CONTENT,
  modifiedDocumentIssueDate: '2024-03-31',
  totalTax: '1.20',
  total: '11.20',
  lines: [{ ...EXAMPLE_LINE, taxRateCode: '2' }],
  taxes: [{ ...iva15('10.00', '1.20'), taxRateCode: '2', rate: '0.1200' }],
});

const trickyText = exampleOf('tricky-text', 204, {
  ...CONTENT,
  buyerName: TRICKY_TEXT,
  reason: TRICKY_TEXT,
  lines: [
    {
      ...EXAMPLE_LINE,
      description: TRICKY_TEXT,
      mainCode: '<&">',
      additionalDetails: [{ name: TRICKY_TEXT, value: TRICKY_TEXT }],
    },
  ],
  additionalInfo: [{ name: TRICKY_TEXT, value: TRICKY_TEXT }],
});

export const CREDIT_NOTE_EXAMPLES: readonly DocumentExample[] = [plain, full, oldRate, trickyText];
