import type { NextFunction, Response } from 'express';
import type { ServiceRequest } from '../http/service-request.js';
import type { Logger } from './logger.js';
import { traceFields } from '../tracing/spans.js';
import { logFields } from './log-context.js';
import type { Meters } from './meters.js';

const NANOSECONDS_PER_MS = 1e6;

/** Who leaves sooner than this has not been kept waiting. */
const PATIENCE_MS = 1_000;

/** Methods that routes may have; whatever else somebody sends is one. */
const METHODS = new Set(['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'HEAD', 'OPTIONS']);

export const methodOf = ({ method }: ServiceRequest): string => (METHODS.has(method) ? method : 'other');

/** The route's template; null when none was found. */
export function routeOf(request: ServiceRequest): string | null {
  const template = (request.route as { path?: unknown } | undefined)?.path;
  return typeof template === 'string' ? template : null;
}

/**
 * Class of the status that a call ended with. A caller who left before there was an answer was answered with nothing: the status that
 * stands there by then means no more than that nobody has set another. Who has not sent all of a request cannot expect one.
 */
function statusClass({ complete, waitsSince }: ServiceRequest, { statusCode, headersSent }: Response, durationMs: number): string {
  if (headersSent || waitsSince !== undefined) return `${Math.floor(statusCode / 100)}xx`;
  return !complete || durationMs < PATIENCE_MS ? '4xx' : 'unanswered';
}

/**
 * Middleware that logs and measures each finished request once: method, path without query, status, time, request id, tenant, document.
 * A wait that the caller asked for counts in the log alone. Headers and bodies are never logged; health checks only at debug level.
 */
export function requestLog(logger: Logger, meters: Meters) {
  return (request: ServiceRequest, response: Response, next: NextFunction): void => {
    const startedAt = process.hrtime.bigint();
    const { path } = request;
    const fields = logFields();
    const trace = traceFields();
    response.once('close', () => {
      const endedAt = process.hrtime.bigint();
      const duration = Number(endedAt - startedAt) / NANOSECONDS_PER_MS;
      const status = statusClass(request, response, duration);
      meters.time('httpRequests', {
        method: methodOf(request),
        route: routeOf(request) ?? 'none',
        status,
      }, Number((request.waitsSince ?? endedAt) - startedAt) / NANOSECONDS_PER_MS);
      const record = {
        request_id: request.requestId,
        ...trace,
        document_id: fields.document_id ?? request.params['document_id'],
        method: request.method,
        path: path.slice(0, 256),
        status: response.headersSent ? response.statusCode : null,
        aborted: !response.writableFinished,
        duration_ms: Math.round(duration),
        tenant_id: request.tenant?.tenantId,
        principal_id: request.tenant?.principal.id ?? request.person?.userId,
      };
      const level = response.statusCode >= 500 ? 'error' : status === 'unanswered' ? 'warn' : path.startsWith('/health/') ? 'debug' : 'info';
      logger[level](record, 'request');
    });
    next();
  };
}
