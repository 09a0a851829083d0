import { dec, money, sum } from '../../../shared/decimal.js';
import { toSriDate } from '../../../shared/guayaquil.js';
import { element, group, optional, optionalGroup } from '../../xml/canonical.js';
import type { Reimbursement, SupportingDocument, SupportingTax, WithheldTax, Withholding } from '../document.js';
import { yesNo } from '../parts/additional-info.js';
import { tariffOf } from '../rules/tax-entry.js';
import { ABROAD } from './payment-place.js';

const GENERAL_REGIME = '01';

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
    reimbursementTotals(document.reimbursements),
    element('totalSinImpuestos', document.subtotal),
    element('importeTotal', document.total),
    group('impuestosDocSustento', ...document.taxes.map(supportingTax)),
    group('retenciones', ...document.withholdings.map(withheldTax)),
    optionalGroup('reembolsos', ...document.reimbursements.map(reimbursement)),
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
 * withholding under the law when something is withheld; any regime but the general
 * one is a preferential one.
 */
function paymentAbroad({ regimeType, country, treaty, withholdings }: SupportingDocument): string {
  const withheld = withholdings.some(({ amount }) => !dec(amount).isZero());
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

function reimbursementTotals(reimbursements: readonly Reimbursement[]): string {
  if (reimbursements.length === 0) return '';
  const taxes = reimbursements.flatMap((document) => document.taxes);
  const base = sum(taxes.map((tax) => tax.taxableBase));
  const amount = sum(taxes.map((tax) => tax.taxAmount));
  return (
    element('totalComprobantesReembolso', money(base.plus(amount))) +
    element('totalBaseImponibleReembolso', money(base)) +
    element('totalImpuestoReembolso', money(amount))
  );
}

/** Unlike in invoices: a capital A in the authorization's name, and tariffs without decimals. */
function reimbursement(entry: Reimbursement): string {
  const [establishment = '', emissionPoint = '', sequential = ''] = entry.documentNumber.split('-');
  return group(
    'reembolsoDetalle',
    element('tipoIdentificacionProveedorReembolso', entry.supplierIdType),
    element('identificacionProveedorReembolso', entry.supplierId),
    optional('codPaisPagoProveedorReembolso', entry.supplierCountry),
    element('tipoProveedorReembolso', entry.supplierType),
    element('codDocReembolso', entry.documentType),
    element('estabDocReembolso', establishment),
    element('ptoEmiDocReembolso', emissionPoint),
    element('secuencialDocReembolso', sequential),
    element('fechaEmisionDocReembolso', toSriDate(entry.issueDate)),
    element('numeroAutorizacionDocReemb', entry.authorizationNumber),
    group(
      'detalleImpuestos',
      ...entry.taxes.map((tax) =>
        group(
          'detalleImpuesto',
          element('codigo', tax.taxCode),
          element('codigoPorcentaje', tax.taxRateCode),
          element('tarifa', dec(tariffOf(tax)).toFixed()),
          element('baseImponibleReembolso', tax.taxableBase),
          element('impuestoReembolso', tax.taxAmount),
        ),
      ),
    ),
  );
}
