import { element, escapeText, group, optional } from '../../xml/canonical.js';
import type { DocumentContent, DocumentLine, DocumentPayment, DocumentTax } from '../content.js';
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
  let written = '<detalles>';
  for (const entry of content.lines) written += line(entry);
  return `${written}</detalles>`;
}

/**
 * Written as templates, not element by element: lines are nearly all of a large document, and each piece of text costs more, when
 * it is appended and when all is put in one place to be encoded, than its characters do. So constant parts are as long as they
 * can be. A text that parsed as a decimal is digits and a point: there are no characters to escape.
 */
function line(entry: DocumentLine): string {
  let taxes = '';
  for (const tax of entry.taxes ?? []) taxes += taxEntry(tax);
  const { mainCode, auxCode, unitOfMeasure } = entry;
  const mainPart = isEmpty(mainCode) ? '<detalle>' : `<detalle><codigoPrincipal>${escapeText(mainCode)}</codigoPrincipal>`;
  const toDescription = isEmpty(auxCode) ? '<descripcion>' : `<codigoAuxiliar>${escapeText(auxCode)}</codigoAuxiliar><descripcion>`;
  const toQuantity = isEmpty(unitOfMeasure) ? '</descripcion><cantidad>' : `</descripcion><unidadMedida>${escapeText(unitOfMeasure)}</unidadMedida><cantidad>`;
  const details = additionalDetails(entry.additionalDetails);
  const toTaxes = details === '' ? '</precioTotalSinImpuesto><impuestos>' : `</precioTotalSinImpuesto>${details}<impuestos>`;
  return (
    `${mainPart}${toDescription}${escapeText(entry.description)}${toQuantity}` +
    `${entry.quantity}</cantidad><precioUnitario>${entry.unitPrice}</precioUnitario><descuento>` +
    `${entry.discount}</descuento><precioTotalSinImpuesto>${entry.subtotal}${toTaxes}${taxes}</impuestos></detalle>`
  );
}

const isEmpty = (text: string | null): text is null | '' => text === null || text === '';

type TaxEntryHead = Pick<DocumentTax, 'taxCode' | 'taxRateCode' | 'rate' | 'tariff'>;

/** Openings of tax entries, up to their base: the lines of a document, and of the next, have few different ones. */
const openings: (TaxEntryHead & { readonly opening: string })[] = [];
const MOST_OPENINGS = 16;

function openingOf({ taxCode, taxRateCode, rate, tariff }: TaxEntryHead): string {
  for (const known of openings) {
    if (known.taxRateCode === taxRateCode && known.rate === rate && known.taxCode === taxCode && known.tariff === tariff) return known.opening;
  }
  // Joined it is one piece of text; a template would be put together anew with each line that holds it.
  const opening = [
    '<impuesto><codigo>', escapeText(taxCode), '</codigo><codigoPorcentaje>', escapeText(taxRateCode),
    '</codigoPorcentaje><tarifa>', tariffOf({ rate, tariff }), '</tarifa><baseImponible>',
  ].join('');
  if (openings.length === MOST_OPENINGS) openings.length = 0;
  openings.push({ taxCode, taxRateCode, rate, tariff, opening });
  return opening;
}

/** `impuesto`: one tax of a line, or of the header of a debit note. */
export function taxEntry(tax: DocumentTax): string {
  return `${openingOf(tax)}${tax.taxableBase}</baseImponible><valor>${tax.taxAmount}</valor></impuesto>`;
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
  // A missing group: the line gives its taxes in one of two fields.
  'detalles/detalle/impuestos': '/lines/{detalle}',
  'detalles/detalle/impuestos/impuesto': '/lines/{detalle}/taxes/{impuesto}',
  infoAdicional: '/additional_info',
  'infoAdicional/campoAdicional': '/additional_info/{campoAdicional}',
};
