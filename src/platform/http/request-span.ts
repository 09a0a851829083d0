import type { NextFunction, Response } from 'express';
import { methodOf, routeOf } from '../observability/request-log.js';
import { logFields } from '../observability/log-context.js';
import { documentTrace } from '../tracing/document-trace.js';
import { beginSpan, withinSpan } from '../tracing/spans.js';
import type { ServiceRequest } from './service-request.js';

/**
 * Middleware that makes each request a span, below the caller's own where it sends a `traceparent`. A path may hold what a
 * caller wrote into it, so only its template is recorded; probes of health are not recorded at all.
 */
export function requestSpan(request: ServiceRequest, response: Response, next: NextFunction): void {
  const method = methodOf(request);
  const { traceparent } = request.headers;
  const span = request.path.startsWith('/health/')
    ? null
    : beginSpan({ name: method, kind: 'server', parent: { traceparent: typeof traceparent === 'string' ? traceparent : undefined }, attributes: { 'http.request.method': method, 'sello.request_id': request.requestId } });
  if (span === null) {
    next();
    return;
  }
  const fields = logFields();
  response.once('close', () => {
    const route = routeOf(request);
    const named = fields.document_id ?? request.params['document_id'];
    const documentId = typeof named === 'string' && documentTrace(named) !== null ? named : undefined;
    if (route !== null) span.rename(`${method} ${route}`);
    span.set({
      'http.route': route ?? undefined,
      'http.response.status_code': response.statusCode,
      'sello.tenant_id': request.tenant?.tenantId,
      'sello.document_id': documentId,
      'sello.aborted': response.writableFinished ? undefined : true,
    });
    if (documentId !== undefined) span.linkDocument(documentId);
    if (response.statusCode >= 500) span.fail(String(response.statusCode));
    span.end();
  });
  withinSpan(span, next);
}
