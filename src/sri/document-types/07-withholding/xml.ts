import { toSriDate } from '../../../shared/guayaquil.js';
import { percentOf } from '../../money.js';
import { element, group, optional, withAttributes } from '../../xml/canonical.js';
import type { DocumentContent, IssuerSnapshot } from '../content.js';
import type { Numbering } from '../document-type.js';
import { additionalInfo, yesNo } from '../parts/additional-info.js';
import { TAX_INFORMATION_POINTERS, taxInformation } from '../parts/tax-information.js';
import { fiscalPeriodOf, specialTaxpayerOf } from './rules.js';
import { supportingDocuments } from './supporting-document-xml.js';

export const ROOT = 'comprobanteRetencion';
/** The short form, made of the specification's fields alone. */
export const SHORT_VERSION = '1.0.0';
/** Per supporting document, as the ATS wants it: compulsory for withholding agents. */
export const FULL_VERSION = '2.0.0';

/** The `comprobanteRetencion` element, canonical, in the version that the content asks for. */
export function buildWithholding(content: DocumentContent, issuer: IssuerSnapshot, numbering: Numbering): string {
  const { withholding } = content;
  return withAttributes(
    ROOT,
    { id: 'comprobante', version: withholding === null ? SHORT_VERSION : FULL_VERSION },
    taxInformation(content, issuer, numbering) +
      withholdingInformation(content, issuer) +
      (withholding === null ? taxes(content) : supportingDocuments(withholding)) +
      additionalInfo(content, issuer),
  );
}

function withholdingInformation(content: DocumentContent, issuer: IssuerSnapshot): string {
  const { withholding } = content;
  return group(
    'infoCompRetencion',
    element('fechaEmision', toSriDate(content.issueDate)),
    optional('dirEstablecimiento', issuer.establishmentAddress),
    optional('contribuyenteEspecial', specialTaxpayerOf(issuer, withholding)),
    yesNo('obligadoContabilidad', issuer.keepsAccounts),
    element('tipoIdentificacionSujetoRetenido', content.buyerIdType ?? ''),
    optional('tipoSujetoRetenido', withholding?.subjectType ?? null),
    withholding === null ? '' : yesNo('parteRel', withholding.relatedParty),
    element('razonSocialSujetoRetenido', content.buyerName ?? ''),
    element('identificacionSujetoRetenido', content.buyerId ?? ''),
    element('periodoFiscal', withholding?.fiscalPeriod ?? fiscalPeriodOf(content.issueDate)),
  );
}

/** `impuestos` of the short form: what is withheld, each with the one supporting document. */
function taxes(content: DocumentContent): string {
  const { modifiedDocumentNumber: number, modifiedDocumentIssueDate: day } = content;
  return group(
    'impuestos',
    ...content.taxes.map((tax) =>
      group(
        'impuesto',
        element('codigo', tax.taxCode),
        element('codigoRetencion', tax.taxRateCode),
        element('baseImponible', tax.taxableBase),
        element('porcentajeRetener', percentOf(tax.rate)),
        element('valorRetenido', tax.taxAmount),
        optional('codDocSustento', content.modifiedDocumentType),
        optional('numDocSustento', number?.replaceAll('-', '') ?? null),
        optional('fechaEmisionDocSustento', day === null ? null : toSriDate(day)),
      ),
    ),
  );
}

const HEADER_POINTERS: Readonly<Record<string, string>> = {
  ...TAX_INFORMATION_POINTERS,
  'infoCompRetencion/fechaEmision': '/issue_date',
  'infoCompRetencion/dirEstablecimiento': '/establishment_id',
  'infoCompRetencion/contribuyenteEspecial': '/issuer_id',
  'infoCompRetencion/obligadoContabilidad': '/issuer_id',
  'infoCompRetencion/tipoIdentificacionSujetoRetenido': '/buyer_id_type',
  'infoCompRetencion/tipoSujetoRetenido': '/withholding/subject_type',
  'infoCompRetencion/parteRel': '/withholding/related_party',
  'infoCompRetencion/razonSocialSujetoRetenido': '/buyer_name',
  'infoCompRetencion/identificacionSujetoRetenido': '/buyer_id',
  'infoCompRetencion/periodoFiscal': '/withholding/fiscal_period',
  infoAdicional: '/additional_info',
  'infoAdicional/campoAdicional': '/additional_info/{campoAdicional}',
};

const TAX = 'impuestos/impuesto';
const DOCUMENT = 'docsSustento/docSustento';
const AT = '/withholding/supporting_documents/{docSustento}';
const WITHHELD = `${DOCUMENT}/retenciones/retencion`;
const WITHHELD_AT = `${AT}/withholdings/{retencion}`;
const OWN_TAX = `${DOCUMENT}/impuestosDocSustento/impuestoDocSustento`;
const OWN_TAX_AT = `${AT}/taxes/{impuestoDocSustento}`;
const REIMBURSED = `${DOCUMENT}/reembolsos/reembolsoDetalle`;
const REIMBURSED_AT = `${AT}/reimbursements/{reembolsoDetalle}`;

/** Where the elements of both forms come from in a request. */
export const WITHHOLDING_POINTERS: Readonly<Record<string, string>> = {
  ...HEADER_POINTERS,
  impuestos: '/taxes',
  [TAX]: '/taxes/{impuesto}',
  [`${TAX}/codigo`]: '/taxes/{impuesto}/tax_code',
  [`${TAX}/codigoRetencion`]: '/taxes/{impuesto}/tax_rate_code',
  [`${TAX}/baseImponible`]: '/taxes/{impuesto}/taxable_base',
  [`${TAX}/porcentajeRetener`]: '/taxes/{impuesto}/rate',
  [`${TAX}/valorRetenido`]: '/taxes/{impuesto}/tax_amount',
  [`${TAX}/codDocSustento`]: '/modified_document_type',
  [`${TAX}/numDocSustento`]: '/modified_document_number',
  [`${TAX}/fechaEmisionDocSustento`]: '/modified_document_issue_date',
  docsSustento: '/withholding/supporting_documents',
  [DOCUMENT]: AT,
  [`${DOCUMENT}/codSustento`]: `${AT}/sustento_code`,
  [`${DOCUMENT}/codDocSustento`]: `${AT}/document_type`,
  [`${DOCUMENT}/numDocSustento`]: `${AT}/number`,
  [`${DOCUMENT}/fechaEmisionDocSustento`]: `${AT}/issue_date`,
  [`${DOCUMENT}/fechaRegistroContable`]: `${AT}/accounting_date`,
  [`${DOCUMENT}/numAutDocSustento`]: `${AT}/authorization_number`,
  [`${DOCUMENT}/pagoLocExt`]: `${AT}/payment_location`,
  [`${DOCUMENT}/tipoRegi`]: `${AT}/regime_type`,
  [`${DOCUMENT}/paisEfecPago`]: `${AT}/country`,
  [`${DOCUMENT}/aplicConvDobTrib`]: `${AT}/treaty`,
  [`${DOCUMENT}/totalComprobantesReembolso`]: `${AT}/reimbursements`,
  [`${DOCUMENT}/totalBaseImponibleReembolso`]: `${AT}/reimbursements`,
  [`${DOCUMENT}/totalImpuestoReembolso`]: `${AT}/reimbursements`,
  [`${DOCUMENT}/totalSinImpuestos`]: `${AT}/subtotal`,
  [`${DOCUMENT}/importeTotal`]: `${AT}/total`,
  [`${DOCUMENT}/impuestosDocSustento`]: `${AT}/taxes`,
  [OWN_TAX]: OWN_TAX_AT,
  [`${OWN_TAX}/codImpuestoDocSustento`]: `${OWN_TAX_AT}/tax_code`,
  [`${OWN_TAX}/codigoPorcentaje`]: `${OWN_TAX_AT}/tax_rate_code`,
  [`${OWN_TAX}/baseImponible`]: `${OWN_TAX_AT}/taxable_base`,
  [`${OWN_TAX}/tarifa`]: `${OWN_TAX_AT}/tariff`,
  [`${OWN_TAX}/valorImpuesto`]: `${OWN_TAX_AT}/tax_amount`,
  [`${DOCUMENT}/retenciones`]: `${AT}/withholdings`,
  [WITHHELD]: WITHHELD_AT,
  [`${WITHHELD}/codigo`]: `${WITHHELD_AT}/tax_code`,
  [`${WITHHELD}/codigoRetencion`]: `${WITHHELD_AT}/withholding_code`,
  [`${WITHHELD}/baseImponible`]: `${WITHHELD_AT}/taxable_base`,
  [`${WITHHELD}/porcentajeRetener`]: `${WITHHELD_AT}/rate`,
  [`${WITHHELD}/valorRetenido`]: `${WITHHELD_AT}/amount`,
  [`${WITHHELD}/dividendos`]: `${WITHHELD_AT}/dividend`,
  [`${WITHHELD}/dividendos/imRentaSoc`]: `${WITHHELD_AT}/dividend/income_tax_paid`,
  [`${WITHHELD}/dividendos/ejerFisUtDiv`]: `${WITHHELD_AT}/dividend/fiscal_year`,
  [`${WITHHELD}/compraCajBanano`]: `${WITHHELD_AT}/banana_boxes`,
  [`${WITHHELD}/compraCajBanano/numCajBan`]: `${WITHHELD_AT}/banana_boxes/boxes`,
  [`${WITHHELD}/compraCajBanano/precCajBan`]: `${WITHHELD_AT}/banana_boxes/price_per_box`,
  [`${DOCUMENT}/reembolsos`]: `${AT}/reimbursements`,
  [REIMBURSED]: REIMBURSED_AT,
  [`${REIMBURSED}/identificacionProveedorReembolso`]: `${REIMBURSED_AT}/supplier_id`,
  [`${REIMBURSED}/codDocReembolso`]: `${REIMBURSED_AT}/document_type`,
  [`${REIMBURSED}/numeroAutorizacionDocReemb`]: `${REIMBURSED_AT}/authorization_number`,
  [`${REIMBURSED}/detalleImpuestos`]: `${REIMBURSED_AT}/taxes`,
  [`${REIMBURSED}/detalleImpuestos/detalleImpuesto`]: `${REIMBURSED_AT}/taxes/{detalleImpuesto}`,
  [`${DOCUMENT}/pagos`]: `${AT}/payments`,
  [`${DOCUMENT}/pagos/pago`]: `${AT}/payments/{pago}`,
};
