import { dec, money } from '../../../shared/decimal.js';
import { toSriDate } from '../../../shared/guayaquil.js';
import { element, optional } from '../../xml/canonical.js';
import type { DocumentContent, IssuerSnapshot } from '../content.js';
import { yesNo } from './additional-info.js';

/** How the information block of a credit and of a debit note begins: day, buyer, issuer, what it modifies, amount without taxes. */
export function noteInformation(content: DocumentContent, issuer: IssuerSnapshot): string {
  return (
    element('fechaEmision', toSriDate(content.issueDate)) +
    optional('dirEstablecimiento', issuer.establishmentAddress) +
    element('tipoIdentificacionComprador', content.buyerIdType ?? '') +
    element('razonSocialComprador', content.buyerName ?? '') +
    element('identificacionComprador', content.buyerId ?? '') +
    optional('contribuyenteEspecial', issuer.specialTaxpayer) +
    yesNo('obligadoContabilidad', issuer.keepsAccounts) +
    element('codDocModificado', content.modifiedDocumentType ?? '') +
    element('numDocModificado', content.modifiedDocumentNumber ?? '') +
    element('fechaEmisionDocSustento', toSriDate(content.modifiedDocumentIssueDate ?? '')) +
    element('totalSinImpuestos', money(dec(content.subtotal).minus(dec(content.totalDiscount))))
  );
}

/** Where those elements come from, below the information block of the note. */
export const noteInformationPointers = (block: string): Readonly<Record<string, string>> => ({
  [`${block}/fechaEmision`]: '/issue_date',
  [`${block}/dirEstablecimiento`]: '/establishment_id',
  [`${block}/contribuyenteEspecial`]: '/issuer_id',
  [`${block}/obligadoContabilidad`]: '/issuer_id',
  [`${block}/tipoIdentificacionComprador`]: '/buyer_id_type',
  [`${block}/razonSocialComprador`]: '/buyer_name',
  [`${block}/identificacionComprador`]: '/buyer_id',
  [`${block}/codDocModificado`]: '/modified_document_type',
  [`${block}/numDocModificado`]: '/modified_document_number',
  [`${block}/fechaEmisionDocSustento`]: '/modified_document_issue_date',
  [`${block}/totalSinImpuestos`]: '/subtotal',
});
