import { dec, money, sum } from '../../../src/shared/decimal.js';
import type { DocumentContent, DocumentTax, SupportingDocument, Withholding } from '../../../src/sri/document-types/content.js';
import { child, children, type Element, textAt } from '../../../src/simulator/brain/xml/element.js';
import { dayOf, dayOrNull, hyphenated, line, need } from './sample-fields.js';

/** What a withholding certificate has beyond the common fields, of either version. */
export function withholdingOf(root: Element, info: Element): Partial<DocumentContent> {
  return child(root, 'docsSustento') === null ? shortWithholding(root) : fullWithholding(root, info);
}

/** Totals and the line of a withholding are not in its XML: one line over what the income bases add up to. */
function withheldFields(taxes: readonly DocumentTax[]): Partial<DocumentContent> {
  const total = money(sum(taxes.map(({ taxAmount }) => taxAmount)));
  const net = money(sum(taxes.filter(({ taxCode }) => taxCode === '1').map(({ taxableBase }) => taxableBase)));
  const lines = [line(0, { description: 'Compra', unitPrice: net, subtotal: net })];
  return { taxes, lines, subtotal: net, totalDiscount: '0.00', totalTax: total, total };
}

const withheldTax = (entry: Element): DocumentTax => ({
  taxCode: need(entry, 'codigo'),
  taxRateCode: need(entry, 'codigoRetencion'),
  taxableBase: need(entry, 'baseImponible'),
  rate: dec(need(entry, 'porcentajeRetener')).div(100).toFixed(4),
  taxAmount: need(entry, 'valorRetenido'),
  tariff: null,
});

function shortWithholding(root: Element): Partial<DocumentContent> {
  const entries = children(child(root, 'impuestos'), 'impuesto');
  const [first = null] = entries;
  return {
    ...withheldFields(entries.map(withheldTax)),
    modifiedDocumentType: textAt(first, 'codDocSustento'),
    modifiedDocumentNumber: hyphenated(need(first, 'numDocSustento')),
    modifiedDocumentIssueDate: dayOrNull(textAt(first, 'fechaEmisionDocSustento')),
  };
}

function fullWithholding(root: Element, info: Element): Partial<DocumentContent> {
  const supportingDocuments = children(child(root, 'docsSustento'), 'docSustento').map(supportingDocument);
  const entries = children(child(root, 'docsSustento'), 'docSustento').flatMap((document) =>
    children(child(document, 'retenciones'), 'retencion'),
  );
  const withholding: Withholding = {
    fiscalPeriod: need(info, 'periodoFiscal'),
    relatedParty: textAt(info, 'parteRel') === 'SI',
    subjectType: textAt(info, 'tipoSujetoRetenido'),
    supportingDocuments,
  };
  return { ...withheldFields(entries.map(withheldTax)), withholding };
}

function supportingDocument(document: Element): SupportingDocument {
  return {
    sustentoCode: need(document, 'codSustento'),
    documentType: need(document, 'codDocSustento'),
    number: hyphenated(need(document, 'numDocSustento')),
    issueDate: dayOf(need(document, 'fechaEmisionDocSustento')),
    accountingDate: dayOrNull(textAt(document, 'fechaRegistroContable')),
    authorizationNumber: textAt(document, 'numAutDocSustento'),
    paymentLocation: need(document, 'pagoLocExt'),
    regimeType: textAt(document, 'tipoRegi'),
    country: textAt(document, 'paisEfecPago'),
    treaty: textAt(document, 'aplicConvDobTrib') === null ? null : textAt(document, 'aplicConvDobTrib') === 'SI',
    subtotal: need(document, 'totalSinImpuestos'),
    total: need(document, 'importeTotal'),
    taxes: children(child(document, 'impuestosDocSustento'), 'impuestoDocSustento').map((tax) => ({
      taxCode: need(tax, 'codImpuestoDocSustento'),
      taxRateCode: need(tax, 'codigoPorcentaje'),
      taxableBase: need(tax, 'baseImponible'),
      tariff: need(tax, 'tarifa'),
      taxAmount: need(tax, 'valorImpuesto'),
    })),
    withholdings: children(child(document, 'retenciones'), 'retencion').map((entry) => ({
      taxCode: need(entry, 'codigo'),
      withholdingCode: need(entry, 'codigoRetencion'),
      taxableBase: need(entry, 'baseImponible'),
      rate: need(entry, 'porcentajeRetener'),
      amount: need(entry, 'valorRetenido'),
      dividend: null,
      bananaBoxes: null,
    })),
    payments: children(child(document, 'pagos'), 'pago').map((payment) => ({
      paymentMethodCode: need(payment, 'formaPago'),
      total: need(payment, 'total'),
    })),
    reimbursements: [],
  };
}
