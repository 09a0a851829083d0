import { buildAccessKey } from '../access-key.js';
import {
  type DocumentContent,
  type DocumentExample,
  type DocumentLine,
  type IssuerSnapshot,
  PLAIN_CONTENT,
} from './document.js';

/** What the examples of several types start from: fictional taxpayers and a plain document. */
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

/** A document over nothing to a named buyer; examples override what they show. */
export const EXAMPLE_CONTENT: Omit<DocumentContent, 'documentType'> = {
  issueDate: '2026-09-15',
  subtotal: '0.00',
  totalDiscount: '0.00',
  totalTax: '0.00',
  total: '0.00',
  buyerIdType: '04',
  buyerId: '0990012342001',
  buyerName: 'DISTRIBUIDORA FICTICIA CÍA. LTDA.',
  buyerEmail: 'bodega@example.com',
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
  unitPrice: '0.000000',
  discount: '0.00',
  subtotal: '0.00',
  taxCode: '2',
  taxRateCode: '0',
  taxes: null,
  additionalDetails: [],
};

/** An example with the access key that belongs to it. */
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
