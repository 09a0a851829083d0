import type { DocumentExample } from '../document-type.js';
import {
  EXAMPLE_COMPANY,
  EXAMPLE_CONTENT as CONTENT,
  EXAMPLE_ISSUER as ISSUER,
  EXAMPLE_LINE as LINE,
  EXAMPLE_REIMBURSEMENT,
  exampleOf as example,
  FULL_EXAMPLE_ISSUER,
  iva15,
  noIva,
  TRICKY_TEXT,
} from '../example-content.js';

const finalConsumer = example('final-consumer', 1, { ...CONTENT, lines: [LINE], taxes: [iva15('10.00', '1.50')] });

const full = example(
  'full',
  101,
  {
    ...CONTENT,
    subtotal: '26.00',
    totalDiscount: '1.00',
    totalTax: '3.00',
    total: '30.00',
    tip: '2.00',
    buyerIdType: 'CEDULA',
    buyerId: '1710034065',
    buyerName: 'CLIENTE FICTICIO',
    buyerEmail: 'cliente@example.com',
    buyerAddress: 'Calle Inventada 456, Quito',
    deliveryGuideNumber: '001-002-000000033',
    vehiclePlate: 'PBA1234',
    lines: [
      {
        ...LINE,
        description: 'Producto gravado',
        mainCode: 'PROD-001',
        auxCode: 'AUX-1',
        unitOfMeasure: 'unidad',
        quantity: '2.000000',
        unitPrice: '10.500000',
        discount: '1.00',
        subtotal: '20.00',
        additionalDetails: [
          { name: 'Color', value: 'Azul' },
          { name: 'Serie', value: 'A-1' },
          { name: 'Garantía', value: '12 meses' },
        ],
      },
      {
        ...LINE,
        lineNumber: 2,
        description: 'Producto con tarifa cero',
        mainCode: 'PROD-002',
        quantity: '1.500000',
        unitPrice: '3.333333',
        subtotal: '5.00',
        taxRateCode: '0',
      },
    ],
    taxes: [iva15('20.00', '3.00'), noIva('0', '5.00')],
    payments: [
      { lineNumber: 1, paymentMethodCode: '20', total: '20.00', term: 30, timeUnit: 'dias' },
      { lineNumber: 2, paymentMethodCode: '01', total: '10.00', term: null, timeUnit: null },
    ],
    additionalInfo: [{ name: 'Contrato', value: 'C-2026-17' }],
  },
  FULL_EXAMPLE_ISSUER,
);

const severalTaxes = example('several-taxes', 102, {
  ...CONTENT,
  subtotal: '148.00',
  totalDiscount: '0.00',
  totalTax: '39.99',
  total: '187.99',
  buyerIdType: '04',
  buyerId: '1790012344001',
  buyerName: 'COMPRADORA FICTICIA CÍA. LTDA.',
  lines: [
    {
      ...LINE,
      description: 'Perfume',
      mainCode: 'P-1',
      unitPrice: '100.000000',
      subtotal: '100.00',
      taxRateCode: null,
      taxes: [
        { taxCode: '3', taxRateCode: '3610', taxableBase: '100.00', rate: '0.2000', taxAmount: '20.00', tariff: null },
        iva15('120.00', '18.00'),
      ],
    },
    {
      ...LINE,
      lineNumber: 2,
      description: 'Agua en botella plástica',
      mainCode: 'A-1',
      quantity: '6.000000',
      unitPrice: '0.500000',
      subtotal: '3.00',
      taxRateCode: null,
      taxes: [
        iva15('3.00', '0.45'),
        { taxCode: '5', taxRateCode: '5001', taxableBase: '3.00', rate: '0.0000', taxAmount: '0.12', tariff: '0.02' },
      ],
    },
    { ...LINE, lineNumber: 3, description: 'Varilla de hierro', mainCode: 'V-1', auxCode: 'F010101', taxRateCode: '5' },
    {
      ...LINE,
      lineNumber: 4,
      description: 'Fundas plásticas',
      mainCode: 'ICE-FPN-01',
      quantity: '10.000000',
      unitPrice: '0.000000',
      subtotal: '0.00',
      taxRateCode: null,
      taxes: [
        { taxCode: '3', taxRateCode: '3680', taxableBase: '0.00', rate: '0.0000', taxAmount: '0.80', tariff: '0.08' },
        iva15('0.80', '0.12'),
      ],
    },
    {
      ...LINE,
      lineNumber: 5,
      description: 'Seguro exento',
      mainCode: 'S-1',
      unitPrice: '20.000000',
      subtotal: '20.00',
      taxRateCode: '7',
    },
    {
      ...LINE,
      lineNumber: 6,
      description: 'Servicio no objeto de IVA',
      mainCode: 'N-1',
      unitPrice: '5.000000',
      subtotal: '5.00',
      taxRateCode: '6',
    },
    { ...LINE, lineNumber: 7, description: 'Libro', mainCode: 'L-1', taxRateCode: '0' },
  ],
  taxes: [
    { taxCode: '3', taxRateCode: '3610', taxableBase: '100.00', rate: '0.2000', taxAmount: '20.00', tariff: null },
    { taxCode: '3', taxRateCode: '3680', taxableBase: '0.00', rate: '0.0000', taxAmount: '0.80', tariff: '0.08' },
    iva15('123.80', '18.57'),
    { taxCode: '2', taxRateCode: '5', taxableBase: '10.00', rate: '0.0500', taxAmount: '0.50', tariff: null },
    { taxCode: '5', taxRateCode: '5001', taxableBase: '3.00', rate: '0.0000', taxAmount: '0.12', tariff: '0.02' },
    noIva('7', '20.00'),
    noIva('6', '5.00'),
    noIva('0', '10.00'),
  ],
  payments: [{ lineNumber: 1, paymentMethodCode: '19', total: '187.99', term: 3, timeUnit: 'meses' }],
});

const trickyText = example('tricky-text', 103, {
  ...CONTENT,
  buyerIdType: '06',
  buyerId: 'AB-123456',
  buyerName: 'Ñandú & Cía <"€ 😀"> \'O\u2019Brien\'  S.A.',
  buyerAddress: 'Av. 10 de Agosto #1-23 $& $1 `x` {{7*7}} ]]> <!-- x --> &amp; &#x41;',
  lines: [{ ...LINE, description: `${'Descripción larga '.repeat(16)}fin de 300`.slice(0, 300), mainCode: '<&">' }],
  taxes: [iva15('10.00', '1.50')],
  payments: [{ lineNumber: 1, paymentMethodCode: '01', total: '11.50', term: null, timeUnit: null }],
  additionalInfo: [{ name: 'Nota "especial" <&>', value: "=cmd|' /C calc'!A0  日本語  ]]>" }],
});

const popularBusiness = example(
  'popular-business',
  104,
  {
    ...CONTENT,
    lines: [{ ...LINE, taxRateCode: '0' }],
    taxes: [noIva('0', '10.00')],
    totalTax: '0.00',
    total: '10.00',
  },
  {
    ...ISSUER,
    ruc: '1710034065001',
    legalName: 'PERSONA FICTICIA',
    tradeName: null,
    keepsAccounts: false,
    rimpe: 'popular_business',
  },
);

const rounding = example('rounding', 105, {
  ...CONTENT,
  subtotal: '0.30',
  totalTax: '0.05',
  total: '0.35',
  lines: [1, 2, 3].map((lineNumber) => ({ ...LINE, lineNumber, unitPrice: '0.100000', subtotal: '0.10' })),
  taxes: [iva15('0.30', '0.05')],
});

const exported = example('export', 106, {
  ...CONTENT,
  subtotal: '1000.00',
  totalTax: '0.00',
  total: '1180.50',
  buyerIdType: '08',
  buyerId: 'US-99.1234',
  buyerName: 'FICTITIOUS FRUIT IMPORTS LLC',
  buyerAddress: '1 Example Pier, Miami',
  lines: [
    {
      ...LINE,
      description: 'Banano, caja de 18,14 kg',
      mainCode: 'BAN-18',
      quantity: '100.000000',
      subtotal: '1000.00',
      taxRateCode: '0',
    },
  ],
  taxes: [noIva('0', '1000.00')],
  payments: [{ lineNumber: 1, paymentMethodCode: '20', total: '1180.50', term: 60, timeUnit: 'dias' }],
  foreignTrade: {
    incoterm: 'CIF',
    incotermPlace: 'Miami',
    originCountry: '593',
    loadingPort: 'Guayaquil',
    destinationPort: 'Miami',
    destinationCountry: '110',
    acquisitionCountry: '593',
    incotermSubtotal: 'FOB',
    freight: '120.00',
    insurance: '35.50',
    customsCharges: '25.00',
    otherCharges: null,
  },
});

const reimbursement = example('reimbursement', 107, {
  ...CONTENT,
  ...EXAMPLE_COMPANY,
  subtotal: '23.00',
  totalTax: '0.00',
  total: '23.00',
  lines: [{ ...LINE, description: 'Reembolso de gastos', unitPrice: '23.000000', subtotal: '23.00', taxRateCode: '6' }],
  taxes: [noIva('6', '23.00')],
  reimbursements: [
    EXAMPLE_REIMBURSEMENT,
    {
      ...EXAMPLE_REIMBURSEMENT,
      supplierIdType: '05',
      supplierId: '1710034065',
      supplierCountry: null,
      supplierType: '01',
      documentType: '02',
      documentNumber: '001-001-000000012',
      authorizationNumber: '1234567890',
      taxes: [noIva('0', '4.00'), noIva('6', '1.00')],
    },
  ],
});

const thirdParties = example('third-party-charges', 108, {
  ...CONTENT,
  ...EXAMPLE_COMPANY,
  total: '19.05',
  lines: [LINE],
  taxes: [iva15('10.00', '1.50')],
  payments: [{ lineNumber: 1, paymentMethodCode: '20', total: '19.05', term: null, timeUnit: null }],
  thirdPartyCharges: [
    { concept: 'Contribución bomberos', total: '5.30' },
    { concept: 'Tasa de recolección de basura', total: '2.25' },
  ],
});

const substituteGuide = example('substitute-guide', 109, {
  ...CONTENT,
  ...EXAMPLE_COMPANY,
  lines: [LINE],
  taxes: [iva15('10.00', '1.50')],
  payments: [{ lineNumber: 1, paymentMethodCode: '20', total: '11.50', term: null, timeUnit: null }],
  substituteGuide: {
    originAddress: 'Av. Ficticia N1-23, Quito',
    destinationAddress: TRICKY_TEXT,
    startDate: '2026-09-15',
    endDate: '2026-09-16',
    carrier: { idType: '05', id: '1710034065', name: 'TRANSPORTISTA FICTICIO' },
    plate: 'PBA1234',
    destinations: [
      { reason: 'Venta', customsDocument: '0192026001', establishment: '001', route: 'Quito - Ambato' },
      { reason: 'Consignación', customsDocument: null, establishment: null, route: null },
    ],
  },
});

export const INVOICE_EXAMPLES: readonly DocumentExample[] = [
  finalConsumer,
  full,
  severalTaxes,
  trickyText,
  popularBusiness,
  rounding,
  exported,
  reimbursement,
  thirdParties,
  substituteGuide,
];
