import { element, group, optional } from '../../xml/canonical.js';
import type { DocumentContent, DocumentLine, DocumentPayment, DocumentTax } from '../document.js';
import { tariffOf } from '../rules/tax-entry.js';
import { additionalDetails } from './additional-info.js';

/** `totalConImpuestos`: one entry per tax and rate. */
export function totalTaxes(content: DocumentContent): string {
  return group(
    'totalConImpuestos',
    ...content.taxes.map((tax) =>
      group(
        'totalImpuesto',
        element('codigo', tax.taxCode),
        element('codigoPorcentaje', tax.taxRateCode),
        element('baseImponible', tax.taxableBase),
        element('tarifa', tariffOf(tax)),
        element('valor', tax.taxAmount),
      ),
    ),
  );
}

/** `pagos`. */
export function payments(entries: readonly DocumentPayment[]): string {
  return group(
    'pagos',
    ...entries.map((payment) =>
      group(
        'pago',
        element('formaPago', payment.paymentMethodCode),
        element('total', payment.total),
        optional('plazo', payment.term === null ? null : String(payment.term)),
        optional('unidadTiempo', payment.timeUnit),
      ),
    ),
  );
}

/** `detalles`: the lines with their own taxes. */
export function lines(content: DocumentContent): string {
  return group('detalles', ...content.lines.map(line));
}

function line(entry: DocumentLine): string {
  return group(
    'detalle',
    optional('codigoPrincipal', entry.mainCode),
    optional('codigoAuxiliar', entry.auxCode),
    element('descripcion', entry.description),
    optional('unidadMedida', entry.unitOfMeasure),
    element('cantidad', entry.quantity),
    element('precioUnitario', entry.unitPrice),
    element('descuento', entry.discount),
    element('precioTotalSinImpuesto', entry.subtotal),
    additionalDetails(entry.additionalDetails),
    group('impuestos', ...(entry.taxes ?? []).map(lineTax)),
  );
}

function lineTax(tax: DocumentTax): string {
  return group(
    'impuesto',
    element('codigo', tax.taxCode),
    element('codigoPorcentaje', tax.taxRateCode),
    element('tarifa', tariffOf(tax)),
    element('baseImponible', tax.taxableBase),
    element('valor', tax.taxAmount),
  );
}

/** Where the elements of `pagos` come from, below the information block of a type (`infoFactura`). */
export const paymentPointers = (block: string): Readonly<Record<string, string>> => ({
  [`${block}/pagos`]: '/payments',
  [`${block}/pagos/pago`]: '/payments/{pago}',
  [`${block}/pagos/pago/formaPago`]: '/payments/{pago}/payment_method_code',
  [`${block}/pagos/pago/total`]: '/payments/{pago}/total',
  [`${block}/pagos/pago/plazo`]: '/payments/{pago}/term',
  [`${block}/pagos/pago/unidadTiempo`]: '/payments/{pago}/time_unit',
});

/** Where the elements of lines, taxes and payments come from in a request. */
export const GOODS_POINTERS: Readonly<Record<string, string>> = {
  detalles: '/lines',
  'detalles/detalle': '/lines/{detalle}',
  'detalles/detalle/codigoPrincipal': '/lines/{detalle}/main_code',
  'detalles/detalle/codigoAuxiliar': '/lines/{detalle}/aux_code',
  'detalles/detalle/descripcion': '/lines/{detalle}/description',
  'detalles/detalle/unidadMedida': '/lines/{detalle}/unit_of_measure',
  'detalles/detalle/cantidad': '/lines/{detalle}/quantity',
  'detalles/detalle/precioUnitario': '/lines/{detalle}/unit_price',
  'detalles/detalle/descuento': '/lines/{detalle}/discount',
  'detalles/detalle/precioTotalSinImpuesto': '/lines/{detalle}/subtotal',
  'detalles/detalle/detallesAdicionales': '/lines/{detalle}/additional_details',
  'detalles/detalle/detallesAdicionales/detAdicional': '/lines/{detalle}/additional_details/{detAdicional}',
  // A missing group: the line tells its taxes in one of two fields.
  'detalles/detalle/impuestos': '/lines/{detalle}',
  'detalles/detalle/impuestos/impuesto': '/lines/{detalle}/taxes/{impuesto}',
  infoAdicional: '/additional_info',
  'infoAdicional/campoAdicional': '/additional_info/{campoAdicional}',
};
