import type { NextFunction, Response } from 'express';
import type { ServiceRequest } from '../http/service-request.js';
import type { Logger } from './logger.js';

const NANOSECONDS_PER_MS = 1e6;

/**
 * Middleware that logs each finished request once: method, path without query, status, time, request id, tenant.
 * Headers and bodies are never logged; health checks only at debug level.
 */
export function requestLog(logger: Logger) {
  return (request: ServiceRequest, response: Response, next: NextFunction): void => {
    const startedAt = process.hrtime.bigint();
    const { path } = request;
    response.once('close', () => {
      const record = {
        request_id: request.requestId,
        method: request.method,
        path: path.slice(0, 256),
        status: response.statusCode,
        aborted: !response.writableFinished,
        duration_ms: Math.round(Number(process.hrtime.bigint() - startedAt) / NANOSECONDS_PER_MS),
        tenant_id: request.tenant?.tenantId,
        principal_id: request.tenant?.principal.id ?? request.person?.userId,
      };
      const level = response.statusCode >= 500 ? 'error' : path.startsWith('/health/') ? 'debug' : 'info';
      logger[level](record, 'request');
    });
    next();
  };
}
