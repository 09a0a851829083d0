import { element, group, optional } from '../../xml/canonical.js';
import type { DocumentContent, IssuerSnapshot } from '../content.js';
import type { Numbering } from '../document-type.js';

/** Off-line issuing knows only the normal emission type. */
const NORMAL_EMISSION = '1';

/** What XML and print say of the regime; null: nothing. */
export const RIMPE_LEGEND: Readonly<Record<IssuerSnapshot['rimpe'], string | null>> = {
  none: null,
  entrepreneur: 'CONTRIBUYENTE RÉGIMEN RIMPE',
  popular_business: 'CONTRIBUYENTE NEGOCIO POPULAR - RÉGIMEN RIMPE',
};

/** `infoTributaria`, the same block in all six document types. */
export function taxInformation(content: DocumentContent, issuer: IssuerSnapshot, numbering: Numbering): string {
  return group(
    'infoTributaria',
    element('ambiente', issuer.environment),
    element('tipoEmision', NORMAL_EMISSION),
    element('razonSocial', issuer.legalName),
    optional('nombreComercial', issuer.tradeName),
    element('ruc', issuer.ruc),
    element('claveAcceso', numbering.accessKey),
    element('codDoc', content.documentType),
    element('estab', issuer.establishmentCode),
    element('ptoEmi', issuer.emissionPointCode),
    element('secuencial', String(numbering.sequential).padStart(9, '0')),
    element('dirMatriz', issuer.headOfficeAddress),
    optional('agenteRetencion', issuer.withholdingAgent),
    optional('contribuyenteRimpe', RIMPE_LEGEND[issuer.rimpe]),
  );
}

/** Where the elements of `infoTributaria` come from in a request. */
export const TAX_INFORMATION_POINTERS: Readonly<Record<string, string>> = {
  infoTributaria: '/issuer_id',
  'infoTributaria/codDoc': '/document_type',
  'infoTributaria/estab': '/establishment_id',
  'infoTributaria/ptoEmi': '/emission_point_id',
};
