import { dec, money } from '../../../shared/decimal.js';
import { toSriDate } from '../../../shared/guayaquil.js';
import { element, group, optional, withAttributes } from '../../xml/canonical.js';
import type { DocumentContent, IssuerSnapshot } from '../content.js';
import type { Numbering } from '../document-type.js';
import { additionalInfo, yesNo } from '../parts/additional-info.js';
import { GOODS_POINTERS, lines, payments, paymentPointers, totalTaxes } from '../parts/goods.js';
import { REIMBURSEMENT_POINTERS, reimbursements, reimbursementTotals } from '../parts/reimbursements.js';
import { TAX_INFORMATION_POINTERS, taxInformation } from '../parts/tax-information.js';

export const ROOT = 'liquidacionCompra';
/** Quantities and prices with six decimals. */
export const VERSION = '1.1.0';

const CURRENCY = 'DOLAR';

/** The `liquidacionCompra` element, canonical: a buyer documents a purchase from someone who cannot invoice. */
export function buildPurchaseSettlement(
  content: DocumentContent,
  issuer: IssuerSnapshot,
  numbering: Numbering,
): string {
  return withAttributes(
    ROOT,
    { id: 'comprobante', version: VERSION },
    taxInformation(content, issuer, numbering) +
      information(content, issuer) +
      lines(content) +
      reimbursements(content.reimbursements) +
      additionalInfo(content, issuer),
  );
}

function information(content: DocumentContent, issuer: IssuerSnapshot): string {
  return group(
    'infoLiquidacionCompra',
    element('fechaEmision', toSriDate(content.issueDate)),
    optional('dirEstablecimiento', issuer.establishmentAddress),
    optional('contribuyenteEspecial', issuer.specialTaxpayer),
    yesNo('obligadoContabilidad', issuer.keepsAccounts),
    element('tipoIdentificacionProveedor', content.buyerIdType ?? ''),
    element('razonSocialProveedor', content.buyerName ?? ''),
    element('identificacionProveedor', content.buyerId ?? ''),
    optional('direccionProveedor', content.buyerAddress),
    element('totalSinImpuestos', money(dec(content.subtotal).minus(dec(content.totalDiscount)))),
    element('totalDescuento', content.totalDiscount),
    reimbursementTotals(content.reimbursements),
    totalTaxes(content),
    element('importeTotal', content.total),
    element('moneda', CURRENCY),
    payments(content.payments),
  );
}

/** Where the elements of the settlement come from in a request; the buyer's fields hold the supplier. */
export const PURCHASE_SETTLEMENT_POINTERS: Readonly<Record<string, string>> = {
  ...TAX_INFORMATION_POINTERS,
  ...GOODS_POINTERS,
  ...paymentPointers('infoLiquidacionCompra'),
  ...REIMBURSEMENT_POINTERS,
  'infoLiquidacionCompra/fechaEmision': '/issue_date',
  'infoLiquidacionCompra/dirEstablecimiento': '/establishment_id',
  'infoLiquidacionCompra/contribuyenteEspecial': '/issuer_id',
  'infoLiquidacionCompra/obligadoContabilidad': '/issuer_id',
  'infoLiquidacionCompra/tipoIdentificacionProveedor': '/buyer_id_type',
  'infoLiquidacionCompra/razonSocialProveedor': '/buyer_name',
  'infoLiquidacionCompra/identificacionProveedor': '/buyer_id',
  'infoLiquidacionCompra/direccionProveedor': '/buyer_address',
  'infoLiquidacionCompra/totalSinImpuestos': '/subtotal',
  'infoLiquidacionCompra/totalDescuento': '/total_discount',
  'infoLiquidacionCompra/totalComprobantesReembolso': '/reimbursements',
  'infoLiquidacionCompra/totalBaseImponibleReembolso': '/reimbursements',
  'infoLiquidacionCompra/totalImpuestoReembolso': '/reimbursements',
  'infoLiquidacionCompra/totalConImpuestos': '/taxes',
  'infoLiquidacionCompra/totalConImpuestos/totalImpuesto': '/taxes/{totalImpuesto}',
  'infoLiquidacionCompra/importeTotal': '/total',
};
