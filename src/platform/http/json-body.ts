import type { Response } from 'express';
import { DomainError } from '../../shared/domain-error.js';
import { MAX_PKCS12_BYTES } from '../../sri/signing/pkcs12-size.js';
import { bodyBytes, hasBody, type TakeRoom, tooLarge } from './body-bytes.js';
import type { ServiceRequest } from './service-request.js';
import { JsonRefusal, parseStrictJson } from './strict-json.js';

/** Largest request body, in bytes (decisions, section 8). */
export const MAX_BODY_BYTES = 1_048_576;
const MAX_DEPTH = 20;
/** Most members of all objects of a body together. 1 MB of known fields has fewer: some 70,000 where each line has as many taxes as it may, all of them short. */
const MAX_MEMBERS = 100_000;
const LONGEST_KEY_TOLD = 64;

/** A DELETE takes none, but whoever sends one is told so. */
const METHODS_WITH_BODY = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Bodies that are no JSON, which a later part reads itself. */
interface Upload {
  readonly path: RegExp;
  /** Media types, lower case. */
  readonly types: readonly string[];
  /** How large they may be, boundaries and further parts included. */
  readonly maxBytes: number;
  /** Detail of the refusal of a larger body, in JSON too, where a file that is too large is told as such. */
  readonly larger?: object;
}

/** Detail of the refusal of a certificate file, in whatever way it comes. */
export const CERTIFICATE_TOO_LARGE = { reason: 'too_large', max_bytes: MAX_PKCS12_BYTES } as const;

const UPLOADS: readonly Upload[] = [
  { path: /^\/issuers\/[^/]+\/certificates(\/check)?$/, types: ['multipart/form-data'], maxBytes: MAX_BODY_BYTES, larger: CERTIFICATE_TOO_LARGE },
  { path: /^\/products\/import$/, types: ['multipart/form-data', 'text/csv'], maxBytes: 6 * MAX_BODY_BYTES },
];

/**
 * Reads a JSON body strictly: `application/json` in UTF-8, uncompressed, within its bounds, no key twice.
 * @param maxBytes of a body that is JSON
 * @returns what the body holds; undefined where there is none, and for an upload, which passes as it is
 * @throws DomainError MALFORMED_REQUEST, PAYLOAD_TOO_LARGE or UNSUPPORTED_MEDIA_TYPE; SERVICE_UNAVAILABLE when there is no room
 */
export async function jsonBody(request: ServiceRequest, response: Response, maxBytes: number, takeRoom: TakeRoom): Promise<unknown> {
  if (!METHODS_WITH_BODY.has(request.method) || !hasBody(request)) return undefined;
  const file = UPLOADS.find(({ path }) => path.test(request.path));
  const upload = file?.types.includes(mediaType(request)) === true ? file : undefined;
  const most = upload?.maxBytes ?? maxBytes;
  if (Number(request.headers['content-length'] ?? 0) > most) throw tooLarge(response, most, file?.larger);
  const problem = isPlain(request) ? (upload === undefined ? jsonProblem(request) : null) : 'content_encoding';
  if (problem !== null) throw new DomainError('UNSUPPORTED_MEDIA_TYPE', { reason: problem });
  if (upload !== undefined) return undefined;
  const bytes = await bodyBytes(request, response, maxBytes, takeRoom);
  return bytes.length === 0 ? undefined : parse(decode(bytes));
}

/** The media type of a body, lower case and without its parameters; empty when the request names none. */
export const mediaType = (request: ServiceRequest): string => (request.headers['content-type'] ?? '').toLowerCase().split(';')[0]?.trim() ?? '';

const isPlain = (request: ServiceRequest): boolean => (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase() === 'identity';

function jsonProblem(request: ServiceRequest): string | null {
  if (mediaType(request) !== 'application/json') return 'content_type';
  return (charsetOf(request) ?? 'utf-8') === 'utf-8' ? null : 'charset';
}

/** The character set that a request names for its body, lower case; null when it names none. */
export function charsetOf(request: ServiceRequest): string | null {
  const [, ...parameters] = (request.headers['content-type'] ?? '').toLowerCase().split(';');
  const named = parameters.map((p) => p.trim()).find((p) => p.startsWith('charset='));
  return named?.replace(/^charset=("?)(.*)\1$/, '$2') ?? null;
}

function decode(bytes: Buffer): string {
  try {
    // A byte order mark is kept, so that it is refused by its name.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new DomainError('MALFORMED_REQUEST', { reason: 'invalid_utf8' });
  }
}

function parse(text: string): unknown {
  try {
    return parseStrictJson(text, MAX_DEPTH, MAX_MEMBERS);
  } catch (error) {
    if (error instanceof JsonRefusal) {
      const { reason, position, key } = error;
      throw new DomainError('MALFORMED_REQUEST', {
        reason,
        ...(reason === 'too_many_members' && { max_members: MAX_MEMBERS }),
        ...position,
        ...(key !== null && { key: Array.from(key).slice(0, LONGEST_KEY_TOLD).join('') }),
      });
    }
    throw error;
  }
}
