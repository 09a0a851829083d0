import { toSriDate } from '../../../shared/guayaquil.js';
import { element, group, optional, withAttributes } from '../../xml/canonical.js';
import type { DocumentContent, DocumentLine, IssuerSnapshot } from '../content.js';
import type { Numbering } from '../document-type.js';
import { additionalDetails, additionalInfo, yesNo } from '../parts/additional-info.js';
import { TAX_INFORMATION_POINTERS, taxInformation } from '../parts/tax-information.js';
import { type Consignee, consigneesOf } from './consignees.js';

export const ROOT = 'guiaRemision';
/** Quantities with six decimals. */
export const VERSION = '1.1.0';

/** The `guiaRemision` element, canonical. It has no issue date: the start of the trip is the key's day. */
export function buildDeliveryGuide(content: DocumentContent, issuer: IssuerSnapshot, numbering: Numbering): string {
  return withAttributes(
    ROOT,
    { id: 'comprobante', version: VERSION },
    taxInformation(content, issuer, numbering) +
      guideInformation(content, issuer) +
      group('destinatarios', ...consigneesOf(content).map(consignee)) +
      additionalInfo(content, issuer),
  );
}

function guideInformation(content: DocumentContent, issuer: IssuerSnapshot): string {
  const { transport } = content;
  return group(
    'infoGuiaRemision',
    optional('dirEstablecimiento', issuer.establishmentAddress),
    element('dirPartida', transport?.originAddress ?? ''),
    element('razonSocialTransportista', transport?.carrier.name ?? ''),
    element('tipoIdentificacionTransportista', transport?.carrier.idType ?? ''),
    element('rucTransportista', transport?.carrier.id ?? ''),
    yesNo('obligadoContabilidad', issuer.keepsAccounts),
    optional('contribuyenteEspecial', issuer.specialTaxpayer),
    element('fechaIniTransporte', toSriDate(transport?.startDate ?? content.issueDate)),
    element('fechaFinTransporte', toSriDate(transport?.endDate ?? content.issueDate)),
    element('placa', transport?.plate ?? ''),
  );
}

function consignee(entry: Consignee): string {
  const support = entry.supportingDocument;
  return group(
    'destinatario',
    element('identificacionDestinatario', entry.id),
    element('razonSocialDestinatario', entry.name),
    element('dirDestinatario', entry.address),
    element('motivoTraslado', entry.reason),
    optional('docAduaneroUnico', entry.customsDocument),
    optional('codEstabDestino', entry.establishment),
    optional('ruta', entry.route),
    optional('codDocSustento', support?.documentType ?? null),
    optional('numDocSustento', support?.number ?? null),
    optional('numAutDocSustento', support?.authorizationNumber ?? null),
    optional('fechaEmisionDocSustento', support === null ? null : toSriDate(support.issueDate)),
    group('detalles', ...entry.lines.map(line)),
  );
}

function line(entry: DocumentLine): string {
  return group(
    'detalle',
    optional('codigoInterno', entry.mainCode),
    optional('codigoAdicional', entry.auxCode),
    element('descripcion', entry.description),
    element('cantidad', entry.quantity),
    additionalDetails(entry.additionalDetails),
  );
}

const TRIP_POINTERS: Readonly<Record<string, string>> = {
  ...TAX_INFORMATION_POINTERS,
  infoGuiaRemision: '/transport',
  'infoGuiaRemision/dirEstablecimiento': '/establishment_id',
  'infoGuiaRemision/dirPartida': '/transport/origin_address',
  'infoGuiaRemision/razonSocialTransportista': '/transport/carrier/name',
  'infoGuiaRemision/tipoIdentificacionTransportista': '/transport/carrier/id_type',
  'infoGuiaRemision/rucTransportista': '/transport/carrier/id',
  'infoGuiaRemision/obligadoContabilidad': '/issuer_id',
  'infoGuiaRemision/contribuyenteEspecial': '/issuer_id',
  'infoGuiaRemision/fechaIniTransporte': '/transport/start_date',
  'infoGuiaRemision/fechaFinTransporte': '/transport/end_date',
  'infoGuiaRemision/placa': '/transport/plate',
  infoAdicional: '/additional_info',
  'infoAdicional/campoAdicional': '/additional_info/{campoAdicional}',
};

const CONSIGNEE = 'destinatarios/destinatario';

/** Where the elements come from in a request whose buyer is the only consignee. */
export const BUYER_POINTERS: Readonly<Record<string, string>> = {
  ...TRIP_POINTERS,
  [`${CONSIGNEE}/identificacionDestinatario`]: '/buyer_id',
  [`${CONSIGNEE}/razonSocialDestinatario`]: '/buyer_name',
  [`${CONSIGNEE}/dirDestinatario`]: '/buyer_address',
  [`${CONSIGNEE}/motivoTraslado`]: '/reason',
  [`${CONSIGNEE}/docAduaneroUnico`]: '/transport/customs_document',
  [`${CONSIGNEE}/codEstabDestino`]: '/transport/destination_establishment',
  [`${CONSIGNEE}/ruta`]: '/transport/route',
  [`${CONSIGNEE}/codDocSustento`]: '/modified_document_type',
  [`${CONSIGNEE}/numDocSustento`]: '/modified_document_number',
  [`${CONSIGNEE}/fechaEmisionDocSustento`]: '/modified_document_issue_date',
  [`${CONSIGNEE}/detalles`]: '/lines',
  [`${CONSIGNEE}/detalles/detalle`]: '/lines/{detalle}',
  [`${CONSIGNEE}/detalles/detalle/codigoInterno`]: '/lines/{detalle}/main_code',
  [`${CONSIGNEE}/detalles/detalle/codigoAdicional`]: '/lines/{detalle}/aux_code',
  [`${CONSIGNEE}/detalles/detalle/descripcion`]: '/lines/{detalle}/description',
  [`${CONSIGNEE}/detalles/detalle/cantidad`]: '/lines/{detalle}/quantity',
  [`${CONSIGNEE}/detalles/detalle/detallesAdicionales`]: '/lines/{detalle}/additional_details',
  [`${CONSIGNEE}/detalles/detalle/detallesAdicionales/detAdicional`]:
    '/lines/{detalle}/additional_details/{detAdicional}',
};

const DESTINATION = '/transport/destinations/{destinatario}';

/** Where they come from in a request that lists its destinations. */
export const DESTINATION_POINTERS: Readonly<Record<string, string>> = {
  ...TRIP_POINTERS,
  destinatarios: '/transport/destinations',
  [CONSIGNEE]: DESTINATION,
  [`${CONSIGNEE}/identificacionDestinatario`]: `${DESTINATION}/id`,
  [`${CONSIGNEE}/razonSocialDestinatario`]: `${DESTINATION}/name`,
  [`${CONSIGNEE}/dirDestinatario`]: `${DESTINATION}/address`,
  [`${CONSIGNEE}/motivoTraslado`]: `${DESTINATION}/reason`,
  [`${CONSIGNEE}/docAduaneroUnico`]: `${DESTINATION}/customs_document`,
  [`${CONSIGNEE}/codEstabDestino`]: `${DESTINATION}/establishment`,
  [`${CONSIGNEE}/ruta`]: `${DESTINATION}/route`,
  [`${CONSIGNEE}/codDocSustento`]: `${DESTINATION}/supporting_document/document_type`,
  [`${CONSIGNEE}/numDocSustento`]: `${DESTINATION}/supporting_document/number`,
  [`${CONSIGNEE}/numAutDocSustento`]: `${DESTINATION}/supporting_document/authorization_number`,
  [`${CONSIGNEE}/fechaEmisionDocSustento`]: `${DESTINATION}/supporting_document/issue_date`,
  // Lines stand in the XML by consignee: their text rules name the line itself.
  [`${CONSIGNEE}/detalles`]: `${DESTINATION}/line_numbers`,
  [`${CONSIGNEE}/detalles/detalle`]: `${DESTINATION}/line_numbers/{detalle}`,
};
