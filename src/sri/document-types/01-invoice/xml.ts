import { dec, money } from '../../../shared/decimal.js';
import { toSriDate } from '../../../shared/guayaquil.js';
import { element, group, optional, withAttributes } from '../../xml/canonical.js';
import type { DocumentContent, IssuerSnapshot, Numbering } from '../document.js';
import { additionalInfo, yesNo } from '../parts/additional-info.js';
import { GOODS_POINTERS, lines, payments, totalTaxes } from '../parts/goods.js';
import { TAX_INFORMATION_POINTERS, taxInformation } from '../parts/tax-information.js';

export const ROOT = 'factura';
/** Quantities and prices with six decimals; 2.x is only for third-party charges and guide replacement. */
export const VERSION = '1.1.0';

const CURRENCY = 'DOLAR';

/** The `factura` element, canonical. Element order: ficha técnica, annex 3. */
export function buildInvoice(content: DocumentContent, issuer: IssuerSnapshot, numbering: Numbering): string {
  return withAttributes(
    ROOT,
    { id: 'comprobante', version: VERSION },
    taxInformation(content, issuer, numbering) +
      invoiceInformation(content, issuer) +
      lines(content) +
      additionalInfo(content, issuer),
  );
}

function invoiceInformation(content: DocumentContent, issuer: IssuerSnapshot): string {
  return group(
    'infoFactura',
    element('fechaEmision', toSriDate(content.issueDate)),
    optional('dirEstablecimiento', issuer.establishmentAddress),
    optional('contribuyenteEspecial', issuer.specialTaxpayer),
    yesNo('obligadoContabilidad', issuer.keepsAccounts),
    element('tipoIdentificacionComprador', content.buyerIdType ?? ''),
    optional('guiaRemision', content.deliveryGuideNumber),
    element('razonSocialComprador', content.buyerName ?? ''),
    element('identificacionComprador', content.buyerId ?? ''),
    optional('direccionComprador', content.buyerAddress),
    element('totalSinImpuestos', money(dec(content.subtotal).minus(content.totalDiscount))),
    element('totalDescuento', content.totalDiscount),
    totalTaxes(content),
    element('propina', content.tip ?? '0.00'),
    element('importeTotal', content.total),
    element('moneda', CURRENCY),
    optional('placa', content.vehiclePlate),
    payments(content.payments),
  );
}

/** Where the elements of the invoice come from in a request. */
export const INVOICE_POINTERS: Readonly<Record<string, string>> = {
  ...TAX_INFORMATION_POINTERS,
  ...GOODS_POINTERS,
  'infoFactura/fechaEmision': '/issue_date',
  'infoFactura/dirEstablecimiento': '/establishment_id',
  'infoFactura/contribuyenteEspecial': '/issuer_id',
  'infoFactura/obligadoContabilidad': '/issuer_id',
  'infoFactura/tipoIdentificacionComprador': '/buyer_id_type',
  'infoFactura/guiaRemision': '/delivery_guide_number',
  'infoFactura/razonSocialComprador': '/buyer_name',
  'infoFactura/identificacionComprador': '/buyer_id',
  'infoFactura/direccionComprador': '/buyer_address',
  'infoFactura/totalSinImpuestos': '/subtotal',
  'infoFactura/totalDescuento': '/total_discount',
  'infoFactura/totalConImpuestos': '/taxes',
  'infoFactura/totalConImpuestos/totalImpuesto': '/taxes/{totalImpuesto}',
  'infoFactura/propina': '/tip',
  'infoFactura/importeTotal': '/total',
  'infoFactura/placa': '/vehicle_plate',
  'infoFactura/pagos': '/payments',
  'infoFactura/pagos/pago': '/payments/{pago}',
  'infoFactura/pagos/pago/formaPago': '/payments/{pago}/payment_method_code',
  'infoFactura/pagos/pago/total': '/payments/{pago}/total',
  'infoFactura/pagos/pago/plazo': '/payments/{pago}/term',
  'infoFactura/pagos/pago/unidadTiempo': '/payments/{pago}/time_unit',
};
