import type { NextFunction, Response } from 'express';
import { DomainError } from '../../shared/domain-error.js';
import { bodyBytes, tooLarge } from './body-bytes.js';
import type { ServiceRequest } from './service-request.js';
import { JsonRefusal, parseStrictJson } from './strict-json.js';

/** Largest request body, in bytes (decisions, section 8). */
export const MAX_BODY_BYTES = 1_048_576;
const MAX_DEPTH = 20;
const LONGEST_KEY_TOLD = 64;

const METHODS_WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);

/** Bodies that are no JSON, which a later part reads itself. */
export interface Upload {
  readonly path: RegExp;
  /** Media types, lower case. */
  readonly types: readonly string[];
  readonly maxBytes: number;
}

/**
 * Middleware that reads a JSON body strictly: `application/json` in UTF-8, uncompressed, at most 1 MB, at most 20
 * levels, no key twice. Uploads pass as they are.
 */
export function jsonBody(uploads: readonly Upload[]) {
  return (request: ServiceRequest, response: Response, next: NextFunction): void => {
    if (!METHODS_WITH_BODY.has(request.method) || !hasBody(request)) {
      next();
      return;
    }
    const upload = uploads.find(({ path, types }) => path.test(request.path) && types.includes(mediaType(request)));
    const maxBytes = upload?.maxBytes ?? MAX_BODY_BYTES;
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) {
      void tooLarge(request, response, maxBytes).then(next);
      return;
    }
    const problem = isPlain(request) ? (upload === undefined ? jsonProblem(request) : null) : 'content_encoding';
    if (problem !== null) {
      next(new DomainError('UNSUPPORTED_MEDIA_TYPE', { reason: problem }));
      return;
    }
    if (upload !== undefined) {
      next();
      return;
    }
    readBody(request, response).then(
      (body) => {
        request.body = body;
        next();
      },
      (error: unknown) => next(error),
    );
  };
}

const hasBody = (request: ServiceRequest): boolean =>
  request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;

/** The media type of a body, lower case and without its parameters; empty when the request names none. */
export const mediaType = (request: ServiceRequest): string => (request.headers['content-type'] ?? '').toLowerCase().split(';')[0]?.trim() ?? '';

const isPlain = (request: ServiceRequest): boolean => (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase() === 'identity';

function jsonProblem(request: ServiceRequest): string | null {
  if (mediaType(request) !== 'application/json') return 'content_type';
  return isUtf8(request) ? null : 'charset';
}

/** Whether the request says that its body is UTF-8, or says nothing. */
export function isUtf8(request: ServiceRequest): boolean {
  const [, ...parameters] = (request.headers['content-type'] ?? '').toLowerCase().split(';');
  const charset = parameters.map((p) => p.trim()).find((p) => p.startsWith('charset='));
  return charset === undefined || /^charset="?utf-8"?$/.test(charset);
}

async function readBody(request: ServiceRequest, response: Response): Promise<unknown> {
  const bytes = await bodyBytes(request, response, MAX_BODY_BYTES);
  return bytes.length === 0 ? undefined : parse(decode(bytes));
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
    return parseStrictJson(text, MAX_DEPTH);
  } catch (error) {
    if (error instanceof JsonRefusal) {
      const { reason, place, key } = error;
      throw new DomainError('MALFORMED_REQUEST', { reason, ...place, ...(key !== null && { key: Array.from(key).slice(0, LONGEST_KEY_TOLD).join('') }) });
    }
    throw error;
  }
}
