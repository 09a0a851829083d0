import type { DocumentContent } from '../content.js';
import type { DocumentExample } from '../document-type.js';
import {
  EXAMPLE_CONTENT,
  EXAMPLE_LINE,
  EXAMPLE_PERSON,
  EXAMPLE_REIMBURSEMENT,
  exampleOf,
  FULL_EXAMPLE_ISSUER,
  iva15,
  noIva,
  TRICKY_TEXT,
} from '../example-content.js';

const CONTENT: DocumentContent = {
  ...EXAMPLE_CONTENT,
  ...EXAMPLE_PERSON,
  buyerName: 'PROVEEDOR FICTICIO',
  documentType: '03',
  lines: [{ ...EXAMPLE_LINE, description: 'Servicio de jardinería' }],
  taxes: [iva15('10.00', '1.50')],
};

const service = exampleOf('service', 401, CONTENT);

const full = exampleOf(
  'full',
  402,
  {
    ...CONTENT,
    buyerIdType: 'EXTERIOR',
    buyerId: 'ES-B12345678',
    buyerName: 'PROVEEDORA DEL EXTERIOR S.L.',
    buyerAddress: 'Calle Mayor 1, Madrid',
    subtotal: '33.00',
    totalDiscount: '0.50',
    totalTax: '4.13',
    total: '36.63',
    lines: [
      {
        ...EXAMPLE_LINE,
        description: 'Asesoría en línea',
        mainCode: 'S-1',
        auxCode: 'AUX-1',
        unitOfMeasure: 'hora',
        quantity: '2.500000',
        unitPrice: '11.200000',
        discount: '0.50',
        subtotal: '27.50',
        additionalDetails: [{ name: 'Orden', value: 'O-9' }],
      },
      {
        ...EXAMPLE_LINE,
        lineNumber: 2,
        description: 'Producto agrícola',
        unitPrice: '5.000000',
        subtotal: '5.00',
        taxRateCode: '0',
      },
    ],
    taxes: [iva15('27.50', '4.13'), noIva('0', '5.00')],
    payments: [
      { lineNumber: 1, paymentMethodCode: '20', total: '30.00', term: 30, timeUnit: 'dias' },
      { lineNumber: 2, paymentMethodCode: '01', total: '6.63', term: null, timeUnit: null },
    ],
    additionalInfo: [{ name: 'Contrato', value: 'C-2026-17' }],
  },
  FULL_EXAMPLE_ISSUER,
);

const reimbursement = exampleOf('reimbursement', 403, {
  ...CONTENT,
  subtotal: '23.00',
  totalTax: '0.00',
  total: '23.00',
  lines: [
    {
      ...EXAMPLE_LINE,
      description: 'Reembolso de gastos',
      unitPrice: '23.000000',
      subtotal: '23.00',
      taxRateCode: '6',
    },
  ],
  taxes: [noIva('6', '23.00')],
  reimbursements: [EXAMPLE_REIMBURSEMENT],
});

const trickyText = exampleOf('tricky-text', 404, {
  ...CONTENT,
  buyerName: TRICKY_TEXT,
  buyerAddress: TRICKY_TEXT,
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

export const PURCHASE_SETTLEMENT_EXAMPLES: readonly DocumentExample[] = [service, full, reimbursement, trickyText];
