import type { NextFunction, Response } from 'express';
import type { Ids } from '../../shared/ports.js';
import { withLogFields } from '../observability/log-context.js';
import type { ServiceRequest } from './service-request.js';

const VALID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

/** Middleware that keeps a valid incoming `X-Request-Id`, replaces any other, and answers with it and writes it in every line of the log. */
export function requestId(ids: Ids) {
  return (request: ServiceRequest, response: Response, next: NextFunction): void => {
    const incoming = request.headers['x-request-id'];
    request.requestId = typeof incoming === 'string' && VALID.test(incoming) ? incoming : ids.uuid();
    response.setHeader('X-Request-Id', request.requestId);
    withLogFields({ request_id: request.requestId }, next);
  };
}
