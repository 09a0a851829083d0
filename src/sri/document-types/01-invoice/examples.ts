import { buildAccessKey } from '../../access-key.js';
import { type DocumentContent, type DocumentExample, type DocumentLine, type DocumentTax, type IssuerSnapshot, PLAIN_CONTENT } from '../document.js';

/** Fictional taxpayers; the figures foot. */
const ISSUER: IssuerSnapshot = {
  ruc: '1790012344001',
  legalName: 'EMPRESA DE PRUEBA S.A.',
  tradeName: 'Empresa de Prueba',
  headOfficeAddress: 'Av. Ficticia N1-23 y Calle Imaginaria, Quito',
  keepsAccounts: true,
  specialTaxpayer: null,
  withholdingAgent: null,
  largeTaxpayer: null,
  rimpe: 'none',
  defaultPaymentMethod: '01',
  establishmentCode: '001',
  establishmentAddress: null,
  emissionPointCode: '002',
  providerRuc: '0990012348001',
  environment: '1',
};

const ISSUE_DATE = '2026-09-15';

const CONTENT: DocumentContent = {
  documentType: '01',
  issueDate: ISSUE_DATE,
  subtotal: '10.00',
  totalDiscount: '0.00',
  totalTax: '1.50',
  total: '11.50',
  buyerIdType: null,
  buyerId: null,
  buyerName: null,
  buyerEmail: null,
  buyerAddress: null,
  modifiedDocumentId: null,
  modifiedDocumentType: null,
  modifiedDocumentNumber: null,
  modifiedDocumentIssueDate: null,
  reason: null,
  lines: [],
  taxes: [],
  payments: [],
  numericCode: '12345678',
  additionalInfo: [],
  ...PLAIN_CONTENT,
};

const LINE: DocumentLine = {
  lineNumber: 1,
  description: 'Producto de ejemplo',
  mainCode: null,
  auxCode: null,
  unitOfMeasure: null,
  quantity: '1.000000',
  unitPrice: '10.000000',
  discount: '0.00',
  subtotal: '10.00',
  taxCode: '2',
  taxRateCode: '4',
  taxes: null,
  additionalDetails: [],
};

const IVA_15 = (taxableBase: string, taxAmount: string): DocumentTax => ({
  taxCode: '2',
  taxRateCode: '4',
  taxableBase,
  rate: '0.1500',
  taxAmount,
  tariff: null,
});

const noIva = (taxRateCode: '0' | '6' | '7', taxableBase: string): DocumentTax => ({
  ...IVA_15(taxableBase, '0.00'),
  taxRateCode,
  rate: '0.0000',
});

function example(
  name: string,
  sequential: number,
  content: DocumentContent,
  issuer: IssuerSnapshot = ISSUER,
): DocumentExample {
  const accessKey = buildAccessKey({
    issueDate: content.issueDate,
    documentType: content.documentType,
    ruc: issuer.ruc,
    environment: issuer.environment,
    establishment: issuer.establishmentCode,
    emissionPoint: issuer.emissionPointCode,
    sequential,
    numericCode: content.numericCode,
  });
  return { name, content, issuer, numbering: { sequential, accessKey } };
}

const finalConsumer = example('final-consumer', 1, { ...CONTENT, lines: [LINE], taxes: [IVA_15('10.00', '1.50')] });

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
    taxes: [IVA_15('20.00', '3.00'), noIva('0', '5.00')],
    payments: [
      { lineNumber: 1, paymentMethodCode: '20', total: '20.00', term: 30, timeUnit: 'dias' },
      { lineNumber: 2, paymentMethodCode: '01', total: '10.00', term: null, timeUnit: null },
    ],
    additionalInfo: [{ name: 'Contrato', value: 'C-2026-17' }],
  },
  {
    ...ISSUER,
    establishmentAddress: 'Av. Ficticia N1-23, Quito',
    specialTaxpayer: '1234',
    withholdingAgent: '1',
    largeTaxpayer: 'NAC-GCFOIOC21-00000001',
  },
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
        IVA_15('120.00', '18.00'),
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
        IVA_15('3.00', '0.45'),
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
        IVA_15('0.80', '0.12'),
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
    IVA_15('123.80', '18.57'),
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
  taxes: [IVA_15('10.00', '1.50')],
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
  taxes: [IVA_15('0.30', '0.05')],
});

export const INVOICE_EXAMPLES: readonly DocumentExample[] = [
  finalConsumer,
  full,
  severalTaxes,
  trickyText,
  popularBusiness,
  rounding,
];
