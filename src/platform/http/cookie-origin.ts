import type { NextFunction, Response } from 'express';
import { DomainError } from '../../shared/domain-error.js';
import { REFRESH_COOKIE, SESSION_COOKIE } from '../security/access.js';
import { cookieValues } from '../security/credentials.js';
import { hasBody } from './body-bytes.js';
import type { PublicAddress } from './public-address.js';
import type { ServiceRequest } from './service-request.js';

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Cookies that browsers send by themselves and that let somebody act. */
const COOKIES = [SESSION_COOKIE, REFRESH_COOKIE];

/**
 * Middleware against forged requests: a browser sends its cookie along with whatever page asks. A call that changes something
 * by cookie must come from a page of ours and, if it has a body, be JSON, which a form cannot send. No browser sends a key or
 * token in a header by itself.
 */
export function cookieOrigin(address: PublicAddress) {
  return (request: ServiceRequest, _response: Response, next: NextFunction): void => {
    const { headers, method } = request;
    const byHeader = headers.authorization !== undefined || headers['x-api-key'] !== undefined;
    if (SAFE.has(method) || byHeader || !COOKIES.some((name) => cookieValues(headers.cookie, name).length > 0)) {
      next();
      return;
    }
    const { origin } = headers;
    if (origin === undefined || !address.isOurs(origin)) next(new DomainError('FORBIDDEN', { reason: 'origin' }));
    else if (hasBody(request) && !isJson(request)) next(new DomainError('FORBIDDEN', { reason: 'content_type' }));
    else next();
  };
}

const isJson = ({ headers }: ServiceRequest): boolean => /^application\/json\s*(?:;|$)/i.test(headers['content-type'] ?? '');
