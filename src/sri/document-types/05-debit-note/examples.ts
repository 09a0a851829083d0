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
  documentType: '05',
  modifiedDocumentType: '01',
  modifiedDocumentNumber: '001-002-000000101',
  modifiedDocumentIssueDate: '2026-09-01',
  lines: [{ ...EXAMPLE_LINE, description: 'Intereses por mora' }],
  taxes: [iva15('10.00', '1.50')],
};

const interest = exampleOf('interest', 301, CONTENT);

const full = exampleOf(
  'full',
  302,
  {
    ...CONTENT,
    ...EXAMPLE_COMPANY,
    subtotal: '35.50',
    totalTax: '4.58',
    total: '40.08',
    lines: [
      { ...EXAMPLE_LINE, description: 'Flete no facturado', unitPrice: '20.500000', subtotal: '20.50' },
      { ...EXAMPLE_LINE, lineNumber: 2, description: 'Embalaje' },
      {
        ...EXAMPLE_LINE,
        lineNumber: 3,
        description: 'Seguro exento',
        unitPrice: '5.000000',
        subtotal: '5.00',
        taxRateCode: '7',
      },
    ],
    taxes: [iva15('30.50', '4.58'), noIva('7', '5.00')],
    payments: [
      { lineNumber: 1, paymentMethodCode: '20', total: '30.08', term: 15, timeUnit: 'dias' },
      { lineNumber: 2, paymentMethodCode: '01', total: '10.00', term: null, timeUnit: null },
    ],
    additionalInfo: [{ name: 'Contrato', value: 'C-2026-17' }],
  },
  FULL_EXAMPLE_ISSUER,
);

const trickyText = exampleOf('tricky-text', 303, {
  ...CONTENT,
  buyerName: TRICKY_TEXT,
  lines: [{ ...EXAMPLE_LINE, description: TRICKY_TEXT }],
  additionalInfo: [{ name: TRICKY_TEXT, value: TRICKY_TEXT }],
});

export const DEBIT_NOTE_EXAMPLES: readonly DocumentExample[] = [interest, full, trickyText];
