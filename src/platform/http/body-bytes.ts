import type { Response } from 'express';
import { DomainError } from '../../shared/domain-error.js';
import type { ServiceRequest } from './service-request.js';
import { STANDSTILL_MS } from './standstill.js';

/** So much of a body that nobody wants is read away. */
const MOST_READ_AWAY = 25_165_824;
const MAX_SILENCE_MS = 500;
const MAX_READING_MS = 5_000;

/** True when the head of a request says that a body follows. */
export const hasBody = ({ headers }: ServiceRequest): boolean => headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Takes room for so many bytes more; the refusal when there is none. */
export type TakeRoom = (bytes: number) => DomainError | null;

/**
 * The whole body of a request; refused as soon as it exceeds the limit, or there is no room for it. Listens rather than
 * iterates: leaving an iteration early would destroy the connection before the refusal is written.
 */
export function bodyBytes(request: ServiceRequest, response: Response, maxBytes: number, takeRoom: TakeRoom): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const cutOff = (): void => reject(new DomainError('MALFORMED_REQUEST', { reason: 'cut_off' }));
    // If the caller has gone before anybody listened, no event follows.
    if (request.destroyed) {
      cutOff();
      return;
    }
    const chunks: Buffer[] = [];
    let size = 0;
    const keep = (chunk: Buffer): void => {
      size += chunk.length;
      const refusal = size > maxBytes ? tooLarge(response, maxBytes) : takeRoom(chunk.length);
      if (refusal === null) {
        chunks.push(chunk);
        return;
      }
      // What came is not held while the rest is read away.
      chunks.length = 0;
      request.off('data', keep).off('end', finish).off('error', cutOff).off('close', cutOff);
      reject(refusal);
    };
    const finish = (): void => {
      request.off('close', cutOff);
      resolve(Buffer.concat(chunks));
    };
    request.on('data', keep).once('end', finish).once('error', cutOff).once('close', cutOff);
  });
}

/** The refusal of an oversized body. The connection ends with the answer. */
export function tooLarge(response: Response, maxBytes: number, detail: object = { max_bytes: maxBytes }): DomainError {
  response.setHeader('Connection', 'close');
  return new DomainError('PAYLOAD_TOO_LARGE', detail);
}

/**
 * Reads and drops the rest of a body, so that the sender is there to read the refusal. A sender whose rest is large, who falls
 * silent or who takes long gets the refusal at once. Node by itself would read on for as long as somebody sends.
 * @returns whether nothing is left, so that the connection can be used on
 */
export async function readAway(request: ServiceRequest): Promise<boolean> {
  if (request.complete || !hasBody(request)) return true;
  if (request.destroyed) return false;
  await new Promise<void>((resolve) => {
    AbortSignal.timeout(MAX_READING_MS).addEventListener('abort', () => resolve(), { once: true });
    let discarded = 0;
    request.on('data', (chunk: Buffer) => {
      discarded += chunk.length;
      if (discarded > MOST_READ_AWAY) resolve();
    });
    request.once('end', resolve);
    request.once('close', resolve);
    request.setTimeout(MAX_SILENCE_MS, resolve);
  });
  request.removeAllListeners('timeout').setTimeout(STANDSTILL_MS);
  return request.complete;
}
