import type { NextFunction, Response } from 'express';
import { DomainError } from '../../shared/domain-error.js';
import type { ServiceRequest } from './service-request.js';

const MAX_HEADERS = 100;

/** How many header fields Node may keep: one more than are taken, so that too many differ from just enough. */
export const KEPT_HEADERS = MAX_HEADERS + 1;

/**
 * Middleware that refuses a request with more than 100 header fields. Node itself drops what is above its limit and
 * goes on: an `Idempotency-Key` or an `X-Tenant-Id` among the rest would be lost without a word.
 */
export function headerLimit(request: ServiceRequest, _response: Response, next: NextFunction): void {
  const fields = request.rawHeaders.length / 2;
  next(fields > MAX_HEADERS ? new DomainError('MALFORMED_REQUEST', { reason: 'too_many_headers' }) : undefined);
}
