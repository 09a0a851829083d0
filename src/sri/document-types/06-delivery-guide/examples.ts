import { buildAccessKey } from '../../access-key.js';
import type { Destination, DocumentContent, Transport } from '../content.js';
import type { DocumentExample } from '../document-type.js';
import { EXAMPLE_ISSUER, exampleOf, UNPRICED_CONTENT, UNPRICED_LINE } from '../example-content.js';

const TRANSPORT: Transport = {
  originAddress: 'Bodega Imaginaria, Av. Ficticia N1-23, Quito',
  carrier: { idType: '04', id: '1710034065001', name: 'TRANSPORTES FICTICIOS' },
  startDate: '2026-09-15',
  endDate: '2026-09-16',
  plate: 'PBA1234',
  route: null,
  destinationEstablishment: null,
  customsDocument: null,
  destinations: [],
};

const CONTENT: DocumentContent = {
  ...UNPRICED_CONTENT,
  documentType: '06',
  buyerAddress: 'Calle Inventada 456, Guayaquil',
  reason: 'Venta',
  lines: [{ ...UNPRICED_LINE, mainCode: 'PROD-001' }],
  taxes: [{ taxCode: '2', taxRateCode: '0', taxableBase: '0.00', rate: '0.0000', taxAmount: '0.00', tariff: null }],
  transport: TRANSPORT,
};

const oneConsignee = exampleOf('one-consignee', 201, CONTENT);

const full = exampleOf(
  'full',
  202,
  {
    ...CONTENT,
    modifiedDocumentType: '01',
    modifiedDocumentNumber: '001-002-000000101',
    modifiedDocumentIssueDate: '2026-09-15',
    lines: [
      {
        ...UNPRICED_LINE,
        description: 'Producto frágil',
        mainCode: 'PROD-001',
        auxCode: 'AUX-1',
        quantity: '2.500000',
        additionalDetails: [
          { name: 'Lote', value: 'L-17' },
          { name: 'Bultos', value: '3' },
          { name: 'Peso', value: '12 kg' },
        ],
      },
      { ...UNPRICED_LINE, lineNumber: 2, description: 'Producto a granel', quantity: '0.333333' },
    ],
    transport: {
      ...TRANSPORT,
      carrier: { idType: 'CEDULA', id: '1710034065', name: 'CHOFER FICTICIO' },
      route: 'Quito, Santo Domingo, Guayaquil',
      destinationEstablishment: '003',
      customsDocument: '028-2026-40-00012345',
    },
    additionalInfo: [{ name: 'Pedido', value: 'P-2026-8' }],
  },
  {
    ...EXAMPLE_ISSUER,
    establishmentAddress: 'Av. Ficticia N1-23, Quito',
    specialTaxpayer: '1234567890123',
    withholdingAgent: '1',
  },
);

const INVOICE_KEY = buildAccessKey({
  issueDate: '2026-09-14',
  documentType: '01',
  ruc: EXAMPLE_ISSUER.ruc,
  environment: '1',
  establishment: '001',
  emissionPoint: '002',
  sequential: 102,
  numericCode: '12345678',
});

const DESTINATION: Destination = {
  id: '1710034065',
  name: 'CLIENTE FICTICIO',
  address: 'Calle Inventada 456, Ambato',
  reason: 'Venta',
  route: null,
  establishment: null,
  customsDocument: null,
  supportingDocument: null,
  lineNumbers: [1, 3],
};

const severalConsignees = exampleOf('several-consignees', 203, {
  ...CONTENT,
  lines: [1, 2, 3].map((lineNumber) => ({ ...UNPRICED_LINE, lineNumber, description: `Producto ${lineNumber}` })),
  transport: {
    ...TRANSPORT,
    route: 'Quito, Ambato, Riobamba',
    destinations: [
      {
        ...DESTINATION,
        supportingDocument: {
          documentType: '01',
          number: '001-002-000000102',
          authorizationNumber: INVOICE_KEY,
          issueDate: '2026-09-14',
        },
      },
      {
        ...DESTINATION,
        id: '0990012342001',
        name: 'DISTRIBUIDORA FICTICIA CÍA. LTDA.',
        address: 'Av. Inventada 7, Riobamba',
        reason: 'Consignación',
        route: 'Quito, Riobamba',
        establishment: '002',
        customsDocument: 'DAU-1',
        lineNumbers: [2],
      },
    ],
  },
});

const trickyText = exampleOf('tricky-text', 204, {
  ...CONTENT,
  buyerIdType: '06',
  buyerId: 'AB-123456',
  buyerName: 'Ñandú & Cía <"€ 😀">  S.A.',
  buyerAddress: 'Av. 10 de Agosto #1-23 $& $1 `x` {{7*7}} ]]> <!-- x --> &amp;',
  reason: 'Traslado "especial" <&>',
  lines: [
    { ...UNPRICED_LINE, mainCode: '<&">', description: `${'Descripción larga '.repeat(16)}fin de 300`.slice(0, 300) },
  ],
  transport: { ...TRANSPORT, originAddress: "Bodega 'O\u2019Brien' ]]> 日本語", plate: 'PBA-1234' },
  additionalInfo: [{ name: 'Nota "especial" <&>', value: "=cmd|' /C calc'!A0" }],
});

export const DELIVERY_GUIDE_EXAMPLES: readonly DocumentExample[] = [oneConsignee, full, severalConsignees, trickyText];
