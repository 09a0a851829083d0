import type { NextFunction, Response } from 'express';
import { DomainError } from '../../shared/domain-error.js';
import type { ServiceRequest } from './service-request.js';
import { JsonRefusal, parseStrictJson } from './strict-json.js';

/** Largest request body, in bytes (decisions, section 8). */
export const MAX_BODY_BYTES = 1_048_576;
const MAX_DEPTH = 20;

const MAX_DISCARDED_BYTES = 4 * MAX_BODY_BYTES;
const MAX_SILENCE_MS = 500;

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
      void tooLarge(request, response).then(next);
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
  const bytes = await readBytes(request);
  if (bytes === null) throw await tooLarge(request, response);
  return bytes.length === 0 ? undefined : parse(decode(bytes));
}

/**
 * The whole body, or null as soon as it exceeds the limit. Listens rather than iterates: leaving an iteration early
 * would destroy the connection before the refusal is written.
 */
function readBytes(request: ServiceRequest): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_BODY_BYTES) chunks.push(chunk);
      else resolve(null);
    });
    request.once('end', () => resolve(Buffer.concat(chunks)));
    const cutOff = (): void => reject(new DomainError('MALFORMED_REQUEST', { reason: 'cut_off' }));
    request.once('error', cutOff);
    request.once('close', cutOff);
  });
}

/** The refusal of an oversized body. The connection ends with the answer. */
async function tooLarge(request: ServiceRequest, response: Response): Promise<DomainError> {
  await discardSome(request);
  response.setHeader('Connection', 'close');
  return new DomainError('PAYLOAD_TOO_LARGE', { max_bytes: MAX_BODY_BYTES });
}

/**
 * Reads a moderate excess away, so that the sender is there to read the answer; whoever sends more, or falls silent,
 * gets it at once.
 */
function discardSome(request: ServiceRequest): Promise<void> {
  return new Promise((resolve) => {
    let discarded = 0;
    request.on('data', (chunk: Buffer) => {
      discarded += chunk.length;
      if (discarded > MAX_DISCARDED_BYTES) resolve();
    });
    request.once('end', resolve);
    request.once('close', resolve);
    request.setTimeout(MAX_SILENCE_MS, resolve);
  });
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
