import type { Acted } from './acts.js';
import { type NamingField, originalNotStanding } from './credit-note.js';
import type { DocumentStatus } from './lifecycle.js';

/** Of no legal effect, and left to themselves never of any; what is on its way to the SRI may be debited already. */
const CAME_TO_NOTHING: readonly DocumentStatus[] = ['DRAFT', 'VALIDATED', 'REJECTED', 'FAILED_PERMANENT', 'CANCELLED'];

/**
 * Refuses a debit note to a document of the issuer's own that came to nothing: the SRI would authorize it, with a warning at
 * most (message 68).
 * @throws DomainError INVALID_STATE
 */
export function refuseUndebitable(original: Acted, field: NamingField): void {
  if (CAME_TO_NOTHING.includes(original.status)) throw originalNotStanding(original, field);
}
