import type { Request } from 'express';
import type { TenantContext } from '../../shared/tenant-context.js';

/** A request on its way through the pipeline: what middleware and guards have added so far. */
export interface ServiceRequest extends Request {
  /** Set first of all; echoed as `X-Request-Id`. */
  requestId?: string;
  /** Set by the authentication guard; absent on public routes. */
  tenant?: TenantContext;
}
