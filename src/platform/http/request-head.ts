import type { Server, ServerResponse } from 'node:http';
import type { NextFunction, Response } from 'express';
import { DomainError } from '../../shared/domain-error.js';
import type { ServiceRequest } from './service-request.js';

/**
 * Lets requests through that Node would refuse in an answer without envelope and request id: without `Host`, or with an `Expect`
 * that it does not know. `soundHead` refuses them. What waits for `100 Continue` goes on being told so by Node.
 */
export function takeUnsoundHeads(server: Server): void {
  // Read with every request; the type knows it as an option of the constructor only, which is Nest's to call.
  Object.assign(server, { requireHostHeader: false });
  server.on('checkExpectation', (request: ServiceRequest, response: ServerResponse) => {
    request.hasUnknownExpectation = true;
    server.emit('request', request, response);
  });
}

/** Middleware that refuses a request of HTTP/1.1 without `Host`, as RFC 9112 wants it, and one that expects what nobody can meet. */
export function soundHead(request: ServiceRequest, _response: Response, next: NextFunction): void {
  if (request.httpVersion === '1.1' && request.headers.host === undefined) next(new DomainError('MALFORMED_REQUEST', { reason: 'host_missing' }));
  else if (request.hasUnknownExpectation === true) next(new DomainError('MALFORMED_REQUEST', { reason: 'unknown_expectation' }));
  else next();
}
