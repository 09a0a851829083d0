import type { DocumentBodyDto } from '../documents.dto.js';
import type { Place } from '../domain/issuance.js';

/** Where the body wants the document issued. */
export function placeOf(body: Pick<DocumentBodyDto, 'issuer_id' | 'establishment_id' | 'emission_point_id'>): Place {
  return { issuerId: body.issuer_id, establishmentId: body.establishment_id, emissionPointId: body.emission_point_id };
}
