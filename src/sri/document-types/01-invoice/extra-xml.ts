import { toSriDate } from '../../../shared/guayaquil.js';
import { element, group, optional, optionalGroup } from '../../xml/canonical.js';
import type { ForeignTrade, SubstituteGuide, ThirdPartyCharge } from '../content.js';

/** Elements of invoices that export, collect for third parties or stand in for a delivery guide. */

const EXPORTER = 'EXPORTADOR';

/** The terms of an export, in the header before the buyer (annex 4). */
export function foreignTradeTerms(trade: ForeignTrade | null): string {
  if (trade === null) return '';
  return (
    element('comercioExterior', EXPORTER) +
    element('incoTermFactura', trade.incoterm) +
    element('lugarIncoTerm', trade.incotermPlace) +
    element('paisOrigen', trade.originCountry) +
    element('puertoEmbarque', trade.loadingPort) +
    element('puertoDestino', trade.destinationPort) +
    optional('paisDestino', trade.destinationCountry) +
    optional('paisAdquisicion', trade.acquisitionCountry)
  );
}

/** The charges of an export; one that is absent is zero. */
export function foreignTradeCharges(trade: ForeignTrade | null): string {
  if (trade === null) return '';
  return (
    element('fleteInternacional', trade.freight ?? '0.00') +
    element('seguroInternacional', trade.insurance ?? '0.00') +
    element('gastosAduaneros', trade.customsCharges ?? '0.00') +
    element('gastosTransporteOtros', trade.otherCharges ?? '0.00')
  );
}

/** `infoSustitutivaGuiaRemision` (2.x). */
export function substituteGuide(guide: SubstituteGuide | null): string {
  if (guide === null) return '';
  return group(
    'infoSustitutivaGuiaRemision',
    element('dirPartida', guide.originAddress),
    element('dirDestinatario', guide.destinationAddress),
    element('fechaIniTransporte', toSriDate(guide.startDate)),
    element('fechaFinTransporte', toSriDate(guide.endDate)),
    element('razonSocialTransportista', guide.carrier.name),
    element('tipoIdentificacionTransportista', guide.carrier.idType),
    element('rucTransportista', guide.carrier.id),
    element('placa', guide.plate),
    group(
      'destinos',
      ...guide.destinations.map((destination) =>
        group(
          'destino',
          element('motivoTraslado', destination.reason),
          optional('docAduaneroUnico', destination.customsDocument),
          optional('codEstabDestino', destination.establishment),
          optional('ruta', destination.route),
        ),
      ),
    ),
  );
}

/** `otrosRubrosTerceros` (2.x). */
export function thirdPartyCharges(charges: readonly ThirdPartyCharge[]): string {
  return optionalGroup(
    'otrosRubrosTerceros',
    ...charges.map((charge) => group('rubro', element('concepto', charge.concept), element('total', charge.total))),
  );
}

const GUIDE = 'infoSustitutivaGuiaRemision';
const DESTINATION = `${GUIDE}/destinos/destino`;
const CHARGE = 'otrosRubrosTerceros/rubro';

/** Where these elements come from in a request. */
export const EXTRA_POINTERS: Readonly<Record<string, string>> = {
  'infoFactura/comercioExterior': '/foreign_trade',
  'infoFactura/incoTermFactura': '/foreign_trade/incoterm',
  'infoFactura/lugarIncoTerm': '/foreign_trade/incoterm_place',
  'infoFactura/paisOrigen': '/foreign_trade/origin_country',
  'infoFactura/puertoEmbarque': '/foreign_trade/loading_port',
  'infoFactura/puertoDestino': '/foreign_trade/destination_port',
  'infoFactura/paisDestino': '/foreign_trade/destination_country',
  'infoFactura/paisAdquisicion': '/foreign_trade/acquisition_country',
  'infoFactura/incoTermTotalSinImpuestos': '/foreign_trade/incoterm_subtotal',
  'infoFactura/fleteInternacional': '/foreign_trade/freight',
  'infoFactura/seguroInternacional': '/foreign_trade/insurance',
  'infoFactura/gastosAduaneros': '/foreign_trade/customs_charges',
  'infoFactura/gastosTransporteOtros': '/foreign_trade/other_charges',
  'infoFactura/totalComprobantesReembolso': '/reimbursements',
  'infoFactura/totalBaseImponibleReembolso': '/reimbursements',
  'infoFactura/totalImpuestoReembolso': '/reimbursements',
  [GUIDE]: '/substitute_guide',
  [`${GUIDE}/dirPartida`]: '/substitute_guide/origin_address',
  [`${GUIDE}/dirDestinatario`]: '/substitute_guide/destination_address',
  [`${GUIDE}/fechaIniTransporte`]: '/substitute_guide/start_date',
  [`${GUIDE}/fechaFinTransporte`]: '/substitute_guide/end_date',
  [`${GUIDE}/razonSocialTransportista`]: '/substitute_guide/carrier/name',
  [`${GUIDE}/tipoIdentificacionTransportista`]: '/substitute_guide/carrier/id_type',
  [`${GUIDE}/rucTransportista`]: '/substitute_guide/carrier/id',
  [`${GUIDE}/placa`]: '/substitute_guide/plate',
  [`${GUIDE}/destinos`]: '/substitute_guide/destinations',
  [DESTINATION]: '/substitute_guide/destinations/{destino}',
  [`${DESTINATION}/motivoTraslado`]: '/substitute_guide/destinations/{destino}/reason',
  [`${DESTINATION}/docAduaneroUnico`]: '/substitute_guide/destinations/{destino}/customs_document',
  [`${DESTINATION}/codEstabDestino`]: '/substitute_guide/destinations/{destino}/establishment',
  [`${DESTINATION}/ruta`]: '/substitute_guide/destinations/{destino}/route',
  otrosRubrosTerceros: '/third_party_charges',
  [CHARGE]: '/third_party_charges/{rubro}',
  [`${CHARGE}/concepto`]: '/third_party_charges/{rubro}/concept',
  [`${CHARGE}/total`]: '/third_party_charges/{rubro}/total',
};
