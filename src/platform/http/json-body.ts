import type { NextFunction, Response } from 'express';
import { DomainError } from '../../shared/domain-error.js';
import type { ServiceRequest } from './service-request.js';
import { JsonRefusal, parseStrictJson } from './strict-json.js';

/** Largest request body, in bytes (decisions, section 8). */
export const MAX_BODY_BYTES = 1_048_576;
const MAX_DEPTH = 20;

const METHODS_WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);

/**
 * Middleware that reads a JSON body strictly: `application/json` in UTF-8, uncompressed, at most 1 MB, at most 20
 * levels, no key twice. `isUpload` names the requests whose multipart body a later part reads itself.
 */
export function jsonBody(isUpload: (request: ServiceRequest) => boolean) {
  return (request: ServiceRequest, response: Response, next: NextFunction): void => {
    if (!METHODS_WITH_BODY.has(request.method) || !hasBody(request)) {
      next();
      return;
    }
    const length = Number(request.headers['content-length'] ?? 0);
    if (length > MAX_BODY_BYTES) {
      refuseRest(request, response);
      next(new DomainError('PAYLOAD_TOO_LARGE', { max_bytes: MAX_BODY_BYTES }));
      return;
    }
    if (isMultipart(request) && isUpload(request)) {
      next();
      return;
    }
    const problem = mediaProblem(request);
    if (problem !== null) {
      next(new DomainError('UNSUPPORTED_MEDIA_TYPE', { reason: problem }));
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

const isMultipart = (request: ServiceRequest): boolean =>
  (request.headers['content-type'] ?? '').toLowerCase().startsWith('multipart/form-data');

function mediaProblem(request: ServiceRequest): string | null {
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding !== 'identity') return 'content_encoding';
  const [type = '', ...parameters] = (request.headers['content-type'] ?? '').toLowerCase().split(';');
  if (type.trim() !== 'application/json') return 'content_type';
  const charset = parameters.map((p) => p.trim()).find((p) => p.startsWith('charset='));
  return charset === undefined || /^charset="?utf-8"?$/.test(charset) ? null : 'charset';
}

async function readBody(request: ServiceRequest, response: Response): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) {
      refuseRest(request, response);
      throw new DomainError('PAYLOAD_TOO_LARGE', { max_bytes: MAX_BODY_BYTES });
    }
    chunks.push(chunk);
  }
  if (size === 0) return undefined;
  return parse(decode(Buffer.concat(chunks)));
}

/** The rest of an oversized body is not read: the connection ends with the answer. */
function refuseRest(request: ServiceRequest, response: Response): void {
  response.setHeader('Connection', 'close');
  response.once('finish', () => request.socket.destroySoon());
}

function decode(bytes: Buffer): string {
  try {
    // A byte order mark is kept, so that JSON.parse refuses it (RFC 8259, section 8.1).
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new DomainError('MALFORMED_REQUEST', { reason: 'invalid_utf8' });
  }
}

function parse(text: string): unknown {
  try {
    return parseStrictJson(text, MAX_DEPTH);
  } catch (error) {
    if (error instanceof JsonRefusal) throw new DomainError('MALFORMED_REQUEST', { reason: error.reason });
    throw error;
  }
}
