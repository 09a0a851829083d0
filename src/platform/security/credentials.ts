import { DomainError } from '../../shared/domain-error.js';
import type { ServiceRequest } from '../http/service-request.js';
import { SESSION_COOKIE } from './access.js';

/** What a request presents to prove its caller: a key, or tokens in header and cookie. */
export interface PresentedCredentials {
  readonly apiKey: string | null;
  readonly bearer: string | null;
  readonly cookie: string | null;
}

const BEARER = /^Bearer ([A-Za-z0-9._~+/=-]+)$/i;

/**
 * Reads the credentials of a request.
 * @throws DomainError UNAUTHENTICATED for one that is garbled, given twice, or beside one of another principal
 */
export function presentedCredentials(request: ServiceRequest): PresentedCredentials {
  const apiKey = single(request, 'x-api-key');
  const authorization = single(request, 'authorization');
  const bearer = authorization === null ? null : BEARER.exec(authorization)?.[1];
  const cookies = cookieValues(request.headers.cookie, SESSION_COOKIE);
  const [cookie = null] = cookies;
  // A key and a person are never the same principal.
  if (apiKey !== null && (authorization ?? cookie) !== null) throw new DomainError('UNAUTHENTICATED', { reason: 'conflicting_credentials' });
  if (bearer === undefined || cookies.length > 1) throw new DomainError('UNAUTHENTICATED');
  return { apiKey, bearer, cookie };
}

/** The value of a header that may stand once; Node keeps the first of several, so the raw list is asked. */
function single(request: ServiceRequest, name: string): string | null {
  const value = request.headers[name];
  if (value === undefined) return null;
  const times = request.rawHeaders.filter((raw, index) => index % 2 === 0 && raw.toLowerCase() === name).length;
  if (times > 1 || typeof value !== 'string') throw new DomainError('UNAUTHENTICATED');
  return value;
}

/** Every value that a Cookie header gives a name. */
export function cookieValues(header: string | undefined, name: string): readonly string[] {
  return cookiePairs(header)
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}

/** The names in a Cookie header that begin with `start`. */
export function cookieNames(header: string | undefined, start: string): readonly string[] {
  return cookiePairs(header)
    .filter((pair) => pair.startsWith(start))
    .map((pair) => pair.split('=', 1)[0] ?? '');
}

const cookiePairs = (header: string | undefined): readonly string[] => (header ?? '').split(';').map((pair) => pair.trim());
