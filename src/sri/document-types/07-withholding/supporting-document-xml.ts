import { dec } from '../../../shared/decimal.js';
import { toSriDate } from '../../../shared/guayaquil.js';
import { WITHHELD_TAX } from '../../tables/withholding.js';
import { element, group, optional } from '../../xml/canonical.js';
import type { DocumentTax, SupportingDocument, SupportingTax, WithheldTax, Withholding } from '../content.js';
import { yesNo } from '../parts/additional-info.js';
import { reimbursementsIn, reimbursementSums } from '../parts/reimbursements.js';
import { tariffOf } from '../rules/tax-entry.js';
import { ABROAD } from './payment-place.js';

const GENERAL_REGIME = '01';

/** Unlike in invoices: a capital A in the authorization's name, and tariffs without decimals. */
const REIMBURSEMENT_FORM = {
  authorization: 'numeroAutorizacionDocReemb',
  tariff: (tax: DocumentTax): string => dec(tariffOf(tax)).toFixed(),
};

/** `docsSustento` of the full form. Element order: schema 2.0.0. */
export function supportingDocuments({ supportingDocuments: documents }: Withholding): string {
  return group('docsSustento', ...documents.map(supportingDocument));
}

function supportingDocument(document: SupportingDocument): string {
  return group(
    'docSustento',
    element('codSustento', document.sustentoCode),
    element('codDocSustento', document.documentType),
    // Bare here, hyphenated in every other document.
    element('numDocSustento', document.number.replaceAll('-', '')),
    element('fechaEmisionDocSustento', toSriDate(document.issueDate)),
    optional('fechaRegistroContable', document.accountingDate === null ? null : toSriDate(document.accountingDate)),
    optional('numAutDocSustento', document.authorizationNumber),
    element('pagoLocExt', document.paymentLocation),
    document.paymentLocation === ABROAD ? paymentAbroad(document) : '',
    reimbursementSums(document.reimbursements),
    element('totalSinImpuestos', document.subtotal),
    element('importeTotal', document.total),
    group('impuestosDocSustento', ...document.taxes.map(supportingTax)),
    group('retenciones', ...document.withholdings.map(withheldTax)),
    reimbursementsIn(REIMBURSEMENT_FORM, document.reimbursements),
    group(
      'pagos',
      ...document.payments.map((payment) =>
        group('pago', element('formaPago', payment.paymentMethodCode), element('total', payment.total)),
      ),
    ),
  );
}

/**
 * Regime, country and treaty as given. Without a treaty the payment is subject to
 * withholding under the law when income tax is withheld of it; any regime but the general
 * one is a preferential one.
 */
function paymentAbroad({ regimeType, country, treaty, withholdings }: SupportingDocument): string {
  const withheld = withholdings.some(({ taxCode, amount }) => taxCode === WITHHELD_TAX.income && !dec(amount).isZero());
  return (
    optional('tipoRegi', regimeType) +
    optional('paisEfecPago', country) +
    (treaty === null ? '' : yesNo('aplicConvDobTrib', treaty)) +
    (treaty === false ? yesNo('pagExtSujRetNorLeg', withheld) : '') +
    yesNo('pagoRegFis', regimeType !== GENERAL_REGIME)
  );
}

function supportingTax(tax: SupportingTax): string {
  return group(
    'impuestoDocSustento',
    element('codImpuestoDocSustento', tax.taxCode),
    element('codigoPorcentaje', tax.taxRateCode),
    element('baseImponible', tax.taxableBase),
    element('tarifa', tax.tariff),
    element('valorImpuesto', tax.taxAmount),
  );
}

function withheldTax({ dividend, bananaBoxes, ...entry }: WithheldTax): string {
  return group(
    'retencion',
    element('codigo', entry.taxCode),
    element('codigoRetencion', entry.withholdingCode),
    element('baseImponible', entry.taxableBase),
    element('porcentajeRetener', entry.rate),
    element('valorRetenido', entry.amount),
    dividend === null
      ? ''
      : group(
          'dividendos',
          element('fechaPagoDiv', toSriDate(dividend.paymentDate)),
          element('imRentaSoc', dividend.incomeTaxPaid),
          element('ejerFisUtDiv', dividend.fiscalYear),
        ),
    bananaBoxes === null
      ? ''
      : group(
          'compraCajBanano',
          element('numCajBan', String(bananaBoxes.boxes)),
          element('precCajBan', bananaBoxes.pricePerBox),
        ),
  );
}
