import { DomainError } from '../../shared/domain-error.js';
import { uuidOf } from '../http/fields.js';
import type { ServiceRequest } from '../http/service-request.js';

/** The tenant that a request names, as far as it names one: for who has yet to be known before anything is refused. */
export const tenantIfNamed = (request: ServiceRequest): string | null => uuidOf(request.headers['x-tenant-id']);

/**
 * The tenant that a request names in `X-Tenant-Id`, or null when it names none.
 * @throws DomainError FORBIDDEN for several values and for what is no id, as for a tenant that is not the caller's
 */
export function namedTenant(request: ServiceRequest): string | null {
  const tenantId = tenantIfNamed(request);
  if (tenantId === null && request.headers['x-tenant-id'] !== undefined) throw new DomainError('FORBIDDEN', { reason: 'tenant_mismatch' });
  return tenantId;
}
