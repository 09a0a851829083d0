import type { Response } from 'express';
import { DomainError } from '../../shared/domain-error.js';
import type { ServiceRequest } from './service-request.js';

/** So much of an excess is read away, in multiples of what was allowed. */
const DISCARDED_EXCESS = 4;
const MAX_SILENCE_MS = 500;

/** The whole body of a request; refused as soon as it exceeds the limit. */
export async function bodyBytes(request: ServiceRequest, response: Response, maxBytes: number): Promise<Buffer> {
  const bytes = await readBytes(request, maxBytes);
  if (bytes === null) throw await tooLarge(request, response, maxBytes);
  return bytes;
}

/**
 * The whole body, or null as soon as it exceeds the limit. Listens rather than iterates: leaving an iteration early
 * would destroy the connection before the refusal is written.
 */
function readBytes(request: ServiceRequest, maxBytes: number): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else resolve(null);
    });
    request.once('end', () => resolve(Buffer.concat(chunks)));
    const cutOff = (): void => reject(new DomainError('MALFORMED_REQUEST', { reason: 'cut_off' }));
    request.once('error', cutOff);
    request.once('close', cutOff);
  });
}

/** The refusal of an oversized body. The connection ends with the answer. */
export async function tooLarge(request: ServiceRequest, response: Response, maxBytes: number): Promise<DomainError> {
  await discardSome(request, DISCARDED_EXCESS * maxBytes);
  response.setHeader('Connection', 'close');
  return new DomainError('PAYLOAD_TOO_LARGE', { max_bytes: maxBytes });
}

/**
 * Reads a moderate excess away, so that the sender is there to read the answer; whoever sends more, or falls silent,
 * gets it at once.
 */
function discardSome(request: ServiceRequest, most: number): Promise<void> {
  return new Promise((resolve) => {
    let discarded = 0;
    request.on('data', (chunk: Buffer) => {
      discarded += chunk.length;
      if (discarded > most) resolve();
    });
    request.once('end', resolve);
    request.once('close', resolve);
    request.setTimeout(MAX_SILENCE_MS, resolve);
  });
}
