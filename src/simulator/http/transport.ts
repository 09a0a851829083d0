import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { TransportAction } from '../brain/fault-actions.js';
import { malformedAnswer, type WireAnswer } from './malformed-bodies.js';

export const XML_TYPE = 'text/xml;charset=UTF-8';
const DRIP_TICKS_PER_SECOND = 10;

/** Writes one whole answer. */
export function send(response: ServerResponse, { status, contentType, body }: WireAnswer): void {
  response.writeHead(status, { 'content-type': contentType, 'content-length': body.length });
  response.end(body);
}

/**
 * Sends an answer, or does to it what a fault rule says: a hanging answer never
 * comes, a reset tears the connection down.
 *
 * @param envelope the honest answer; empty when the request was not processed
 */
export async function deliver(
  request: IncomingMessage,
  response: ServerResponse,
  envelope: string,
  fault: TransportAction | null,
  contentType = XML_TYPE,
): Promise<void> {
  const honest: WireAnswer = { status: 200, contentType, body: Buffer.from(envelope) };
  if (fault === null) {
    send(response, honest);
    return;
  }
  switch (fault.kind) {
    case 'hang':
      return;
    case 'reset':
      request.socket.resetAndDestroy();
      return;
    case 'http':
      for (const [name, value] of Object.entries(fault.headers)) response.setHeader(name, value);
      {
        send(response, {
          status: fault.status,
          contentType: fault.content_type,
          body: Buffer.from(fault.body ?? htmlPage(fault.status)),
        });
        return;
      }
    case 'malformed': {
      send(response, malformedAnswer(fault.body, envelope));
      return;
    }
    case 'drip':
      return drip(response, honest, fault.bytes_per_second);
  }
}

/** The kind of page that a load balancer or a maintenance window shows. */
function htmlPage(status: number): string {
  return (
    '<!DOCTYPE html><html lang="es"><head><title>Servicio no disponible</title></head>' +
    `<body><h1>${status}</h1><p>Estamos en mantenimiento. Intente más tarde.</p></body></html>`
  );
}

async function drip(response: ServerResponse, answer: WireAnswer, bytesPerSecond: number): Promise<void> {
  response.writeHead(answer.status, { 'content-type': answer.contentType, 'content-length': answer.body.length });
  const ticks = Math.min(DRIP_TICKS_PER_SECOND, bytesPerSecond);
  const portion = Math.ceil(bytesPerSecond / ticks);
  for (let sent = 0; sent < answer.body.length && !response.destroyed; sent += portion) {
    response.write(answer.body.subarray(sent, sent + portion));
    await wait(1000 / ticks);
  }
  response.end();
}
