import { element, group, optional, withAttributes } from '../../xml/canonical.js';
import type { DocumentContent, DocumentLine, IssuerSnapshot } from '../content.js';
import type { Numbering } from '../document-type.js';
import { additionalDetails, additionalInfo } from '../parts/additional-info.js';
import { taxEntry } from '../parts/goods.js';
import { noteInformation, noteInformationPointers } from '../parts/modified-document.js';
import { TAX_INFORMATION_POINTERS, taxInformation } from '../parts/tax-information.js';

export const ROOT = 'notaCredito';
/** Quantities and prices with six decimals. */
export const VERSION = '1.1.0';

const CURRENCY = 'DOLAR';

/** The `notaCredito` element, canonical. Differs from an invoice in order and names; it has no payments. */
export function buildCreditNote(content: DocumentContent, issuer: IssuerSnapshot, numbering: Numbering): string {
  return withAttributes(
    ROOT,
    { id: 'comprobante', version: VERSION },
    taxInformation(content, issuer, numbering) +
      information(content, issuer) +
      group('detalles', ...content.lines.map(line)) +
      additionalInfo(content, issuer),
  );
}

function information(content: DocumentContent, issuer: IssuerSnapshot): string {
  return group(
    'infoNotaCredito',
    noteInformation(content, issuer),
    element('valorModificacion', content.total),
    element('moneda', CURRENCY),
    totalTaxes(content),
    element('motivo', content.reason ?? ''),
  );
}

/** As in an invoice, but without `tarifa`, which this schema does not know here. */
function totalTaxes(content: DocumentContent): string {
  return group(
    'totalConImpuestos',
    ...content.taxes.map((tax) =>
      group(
        'totalImpuesto',
        element('codigo', tax.taxCode),
        element('codigoPorcentaje', tax.taxRateCode),
        element('baseImponible', tax.taxableBase),
        element('valor', tax.taxAmount),
      ),
    ),
  );
}

function line(entry: DocumentLine): string {
  return group(
    'detalle',
    optional('codigoInterno', entry.mainCode),
    optional('codigoAdicional', entry.auxCode),
    element('descripcion', entry.description),
    element('cantidad', entry.quantity),
    element('precioUnitario', entry.unitPrice),
    element('descuento', entry.discount),
    element('precioTotalSinImpuesto', entry.subtotal),
    additionalDetails(entry.additionalDetails),
    group('impuestos', ...(entry.taxes ?? []).map(taxEntry)),
  );
}

/** Where the elements of the credit note come from in a request. */
export const CREDIT_NOTE_POINTERS: Readonly<Record<string, string>> = {
  ...TAX_INFORMATION_POINTERS,
  ...noteInformationPointers('infoNotaCredito'),
  'infoNotaCredito/valorModificacion': '/total',
  'infoNotaCredito/totalConImpuestos': '/taxes',
  'infoNotaCredito/totalConImpuestos/totalImpuesto': '/taxes/{totalImpuesto}',
  'infoNotaCredito/motivo': '/reason',
  detalles: '/lines',
  'detalles/detalle': '/lines/{detalle}',
  'detalles/detalle/codigoInterno': '/lines/{detalle}/main_code',
  'detalles/detalle/codigoAdicional': '/lines/{detalle}/aux_code',
  'detalles/detalle/descripcion': '/lines/{detalle}/description',
  'detalles/detalle/cantidad': '/lines/{detalle}/quantity',
  'detalles/detalle/precioUnitario': '/lines/{detalle}/unit_price',
  'detalles/detalle/descuento': '/lines/{detalle}/discount',
  'detalles/detalle/precioTotalSinImpuesto': '/lines/{detalle}/subtotal',
  'detalles/detalle/detallesAdicionales': '/lines/{detalle}/additional_details',
  'detalles/detalle/detallesAdicionales/detAdicional': '/lines/{detalle}/additional_details/{detAdicional}',
  'detalles/detalle/impuestos/impuesto': '/lines/{detalle}/taxes/{impuesto}',
  infoAdicional: '/additional_info',
  'infoAdicional/campoAdicional': '/additional_info/{campoAdicional}',
};
