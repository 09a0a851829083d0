import type { TenantContext } from '../../../shared/tenant-context.js';
import type { DocumentContent } from '../../../sri/document-types/document.js';
import { CONTENT_COLUMNS } from '../domain/content-columns.js';
import type { DocumentBodyDto } from '../documents.dto.js';
import type { Place } from './issuing-desk.js';

/** Where the body wants the document issued. */
export function placeOf(body: Pick<DocumentBodyDto, 'issuer_id' | 'establishment_id' | 'emission_point_id'>): Place {
  return { issuerId: body.issuer_id, establishmentId: body.establishment_id, emissionPointId: body.emission_point_id };
}

const COLUMNS = Object.entries(CONTENT_COLUMNS);

/** Columns of `documents` that come from place and content. */
export function headerOf(tenant: TenantContext, place: Place, content: DocumentContent): Record<string, unknown> {
  return {
    issuer_id: place.issuerId,
    establishment_id: place.establishmentId,
    emission_point_id: place.emissionPointId,
    sri_environment: tenant.environment,
    document_type: content.documentType,
    ...Object.fromEntries(COLUMNS.map(([column, property]) => [column, content[property]])),
  };
}
