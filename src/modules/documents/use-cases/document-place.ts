import type { TenantContext } from '../../../shared/tenant-context.js';
import type { DocumentContent } from '../../../sri/document-types/document.js';
import type { DocumentBodyDto } from '../documents.dto.js';
import type { Place } from './issuing-desk.js';

/** Where the body wants the document issued. */
export function placeOf(body: Pick<DocumentBodyDto, 'issuer_id' | 'establishment_id' | 'emission_point_id'>): Place {
  return { issuerId: body.issuer_id, establishmentId: body.establishment_id, emissionPointId: body.emission_point_id };
}

/** Columns of `documents` that come from place and content. */
export function headerOf(tenant: TenantContext, place: Place, content: DocumentContent): Record<string, unknown> {
  return {
    issuer_id: place.issuerId,
    establishment_id: place.establishmentId,
    emission_point_id: place.emissionPointId,
    sri_environment: tenant.environment,
    document_type: content.documentType,
    issue_date: content.issueDate,
    subtotal: content.subtotal,
    total_discount: content.totalDiscount,
    total_tax: content.totalTax,
    total: content.total,
    buyer_id_type: content.buyerIdType,
    buyer_id: content.buyerId,
    buyer_name: content.buyerName,
    buyer_email: content.buyerEmail,
    buyer_address: content.buyerAddress,
    modified_document_id: content.modifiedDocumentId,
    modified_document_type: content.modifiedDocumentType,
    modified_document_number: content.modifiedDocumentNumber,
    modified_document_issue_date: content.modifiedDocumentIssueDate,
    reason: content.reason,
  };
}
