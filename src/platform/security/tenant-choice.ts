import { DomainError } from '../../shared/domain-error.js';
import { uuidOf } from '../http/fields.js';
import type { ServiceRequest } from '../http/service-request.js';

/**
 * The tenant that a request names in `X-Tenant-Id`, or null when it names none.
 * @throws DomainError FORBIDDEN for several values and for what is no id, as for a tenant that is not the caller's
 */
export function namedTenant(request: ServiceRequest): string | null {
  const header = request.headers['x-tenant-id'];
  if (header === undefined) return null;
  const tenantId = uuidOf(header);
  if (tenantId === null) throw new DomainError('FORBIDDEN', { reason: 'tenant_mismatch' });
  return tenantId;
}
