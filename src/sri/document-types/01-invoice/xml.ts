import { dec, money } from '../../../shared/decimal.js';
import { toSriDate } from '../../../shared/guayaquil.js';
import { element, group, optional, withAttributes } from '../../xml/canonical.js';
import type { DocumentContent, IssuerSnapshot } from '../content.js';
import type { Numbering } from '../document-type.js';
import { additionalInfo, yesNo } from '../parts/additional-info.js';
import { GOODS_POINTERS, lines, payments, paymentPointers, totalTaxes } from '../parts/goods.js';
import { REIMBURSEMENT_POINTERS, reimbursements, reimbursementTotals } from '../parts/reimbursements.js';
import { TAX_INFORMATION_POINTERS, taxInformation } from '../parts/tax-information.js';
import {
  EXTRA_POINTERS,
  foreignTradeCharges,
  foreignTradeTerms,
  substituteGuide,
  thirdPartyCharges,
} from './extra-xml.js';

export const ROOT = 'factura';
/** Both have six decimals in quantities and prices; 2.1.0 is only for what 1.1.0 has no place for. */
const PLAIN_VERSION = '1.1.0';
export const EXTENDED_VERSION = '2.1.0';

/** The ficha wants 1.x wherever charges of third parties and guide replacement do not ask for 2.x. */
export function versionOf(content: DocumentContent): string {
  const extended = content.thirdPartyCharges.length > 0 || content.substituteGuide !== null;
  return extended ? EXTENDED_VERSION : PLAIN_VERSION;
}

const CURRENCY = 'DOLAR';

/** The `factura` element, canonical. Element order: ficha técnica, annex 3. */
export function buildInvoice(content: DocumentContent, issuer: IssuerSnapshot, numbering: Numbering): string {
  return withAttributes(
    ROOT,
    { id: 'comprobante', version: versionOf(content) },
    taxInformation(content, issuer, numbering) +
      invoiceInformation(content, issuer) +
      lines(content) +
      reimbursements(content.reimbursements) +
      substituteGuide(content.substituteGuide) +
      thirdPartyCharges(content.thirdPartyCharges) +
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
    foreignTradeTerms(content.foreignTrade),
    element('tipoIdentificacionComprador', content.buyerIdType ?? ''),
    optional('guiaRemision', content.deliveryGuideNumber),
    element('razonSocialComprador', content.buyerName ?? ''),
    element('identificacionComprador', content.buyerId ?? ''),
    optional('direccionComprador', content.buyerAddress),
    element('totalSinImpuestos', money(dec(content.subtotal).minus(dec(content.totalDiscount)))),
    optional('incoTermTotalSinImpuestos', content.foreignTrade?.incotermSubtotal ?? null),
    element('totalDescuento', content.totalDiscount),
    reimbursementTotals(content.reimbursements),
    totalTaxes(content),
    element('propina', content.tip ?? '0.00'),
    foreignTradeCharges(content.foreignTrade),
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
  ...paymentPointers('infoFactura'),
  ...REIMBURSEMENT_POINTERS,
  ...EXTRA_POINTERS,
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
};
