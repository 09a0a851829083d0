import { toSriDate } from '../../../shared/guayaquil.js';
import { element } from '../../xml/canonical.js';
import type { DocumentContent } from '../document.js';

/** The three elements by which a credit or debit note names what it modifies. */
export function modifiedDocument(content: DocumentContent): string {
  return (
    element('codDocModificado', content.modifiedDocumentType ?? '') +
    element('numDocModificado', content.modifiedDocumentNumber ?? '') +
    element('fechaEmisionDocSustento', toSriDate(content.modifiedDocumentIssueDate ?? ''))
  );
}

/** Where the elements that both notes share come from, below their information block. */
export const modifiedDocumentPointers = (block: string): Readonly<Record<string, string>> => ({
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
});
