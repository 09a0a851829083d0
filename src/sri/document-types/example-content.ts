import { buildAccessKey } from '../access-key.js';
import { type DocumentContent, type DocumentLine, type DocumentTax, type IssuerSnapshot, type Reimbursement, PLAIN_CONTENT } from './content.js';
import type { DocumentExample } from './document-type.js';

/** What the examples of all types are made of: fictional taxpayers, figures that foot. */
export const EXAMPLE_ISSUER: IssuerSnapshot = {
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

/** An issuer with every regime that can stand beside others. */
export const FULL_EXAMPLE_ISSUER: IssuerSnapshot = {
  ...EXAMPLE_ISSUER,
  establishmentAddress: 'Av. Ficticia N1-23, Quito',
  specialTaxpayer: '1234',
  withholdingAgent: '1',
  largeTaxpayer: 'NAC-GCFOIOC21-00000001',
};

export const EXAMPLE_CONTENT: DocumentContent = {
  documentType: '01',
  issueDate: '2026-09-15',
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

export const EXAMPLE_LINE: DocumentLine = {
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

/** A document over nothing to a named buyer, and its line: what guides and withholdings start from. */
export const UNPRICED_CONTENT: DocumentContent = {
  ...EXAMPLE_CONTENT,
  subtotal: '0.00',
  totalTax: '0.00',
  total: '0.00',
  buyerIdType: '04',
  buyerId: '0990012342001',
  buyerName: 'DISTRIBUIDORA FICTICIA CÍA. LTDA.',
  buyerEmail: 'bodega@example.com',
};
export const UNPRICED_LINE: DocumentLine = {
  ...EXAMPLE_LINE,
  unitPrice: '0.000000',
  subtotal: '0.00',
  taxRateCode: '0',
};

/** A person and a company to sell to or buy from. */
export const EXAMPLE_PERSON = { buyerIdType: '05', buyerId: '1710034065', buyerName: 'CLIENTE FICTICIO' } as const;
export const EXAMPLE_COMPANY = {
  buyerIdType: '04',
  buyerId: '1790012344001',
  buyerName: 'COMPRADORA FICTICIA CÍA. LTDA.',
} as const;

export const iva15 = (taxableBase: string, taxAmount: string): DocumentTax => ({
  taxCode: '2',
  taxRateCode: '4',
  taxableBase,
  rate: '0.1500',
  taxAmount,
  tariff: null,
});

export const noIva = (taxRateCode: '0' | '6' | '7', taxableBase: string): DocumentTax => ({
  ...iva15(taxableBase, '0.00'),
  taxRateCode,
  rate: '0.0000',
});

/** A receipt paid on behalf of another: 20.00 plus 15 %. */
export const EXAMPLE_REIMBURSEMENT: Reimbursement = {
  supplierIdType: '04',
  supplierId: '0990012342001',
  supplierCountry: '593',
  supplierType: '02',
  documentType: '01',
  documentNumber: '001-001-000000456',
  issueDate: '2026-09-10',
  authorizationNumber: buildAccessKey({
    issueDate: '2026-09-10',
    documentType: '01',
    ruc: '0990012342001',
    environment: '2',
    establishment: '001',
    emissionPoint: '001',
    sequential: 456,
    numericCode: '87654321',
  }),
  taxes: [iva15('20.00', '3.00')],
};

/** Text that every layer between request and XML is tempted to change. */
export const TRICKY_TEXT = 'Ñandú & Cía <"€ 😀"> \'O\u2019Brien\' $& $1 {{7*7}} ]]> <!-- x --> &amp; &#x41;';

/** An example with the access key that its content asks for. */
export function exampleOf(
  name: string,
  sequential: number,
  content: DocumentContent,
  issuer: IssuerSnapshot = EXAMPLE_ISSUER,
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
