import { type OutgoingHttpHeaders, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { DomainError } from '../../shared/domain-error.js';
import type { Ids } from '../../shared/ports.js';
import type { Logger } from '../observability/logger.js';
import { answerTo } from './error-answer.js';
import { languageOf } from './language.js';

/** What Node refuses before a request is whole; its status is the one that Node would answer by itself. */
const REFUSALS: Readonly<Record<string, DomainError>> = {
  HPE_HEADER_OVERFLOW: new DomainError('MALFORMED_REQUEST', { reason: 'headers_too_large' }),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: new DomainError('PAYLOAD_TOO_LARGE'),
  // Letters that are not encoded, as curl sends them.
  HPE_INVALID_URL: new DomainError('MALFORMED_REQUEST', { reason: 'path_encoding' }),
  ERR_HTTP_REQUEST_TIMEOUT: new DomainError('MALFORMED_REQUEST', { reason: 'too_slow' }),
};
const UNREADABLE = new DomainError('MALFORMED_REQUEST', { reason: 'invalid_http' });

/**
 * Gives what is no request, too large in its head or too slow the envelope and the request id of every other error; the
 * connection ends.
 */
export function answerUnreadable(server: Server, ids: Ids, logger: Logger): void {
  const ending = new WeakSet<Socket>();
  server.on('clientError', (cause: NodeJS.ErrnoException, socket: Socket) => {
    // Node reports every piece that comes, also on a connection that only waits for its last answer.
    if (ending.has(socket)) return;
    // Opened ahead, as browsers, proxies and clients do: an answer to nothing would be taken for that of the first request. It is
    // ended without one, as any that stands still (`endStandstills`).
    if (cause.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0) return;
    const refusal = refusalOf(cause.code);
    // The answer that the socket is about to carry, if the head of its request was whole; Node goes by it too.
    const pending = (socket as { readonly _httpMessage?: ServerResponse | null })._httpMessage ?? null;
    if (pending?.req.complete === true && refusal !== null) {
      // Bytes after a request that is being answered, as with a Content-Length that is too small: the request gets its own answer.
      ending.add(socket);
      logger.info({ request_id: pending.getHeader('X-Request-Id'), code: cause.code }, 'what came behind a request could not be read');
      if (!pending.headersSent) pending.setHeader('Connection', 'close');
      pending.once('close', () => socket.destroy());
      return;
    }
    if (refusal !== null && socket.writable && pending?.headersSent !== true) {
      const known = pending?.getHeader('X-Request-Id');
      const requestId = typeof known === 'string' ? known : ids.uuid();
      const { status, body } = answerTo(refusal, languageOf(pending?.req.headers['accept-language']), requestId);
      logger.info({ request_id: requestId, status, code: cause.code }, 'what came could not be read');
      socket.write(written(status, { ...readableBy(pending), 'X-Request-Id': requestId }, JSON.stringify(body)));
    }
    socket.destroy(cause);
  });
}

/** Null for what befell the connection: nobody is left to hear of it. */
function refusalOf(code: string | undefined): DomainError | null {
  if (code === undefined) return null;
  return REFUSALS[code] ?? (code.startsWith('HPE_') ? UNREADABLE : null);
}

/** Headers of the pending answer by which a page of another origin may read it. */
const readableBy = (pending: ServerResponse | null): OutgoingHttpHeaders =>
  Object.fromEntries(Object.entries(pending?.getHeaders() ?? {}).filter(([name]) => name === 'vary' || name.startsWith('access-control-')));

function written(status: number, own: OutgoingHttpHeaders, body: string): string {
  const headers: OutgoingHttpHeaders = {
    ...own, 'Cache-Control': 'no-store', 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(body), Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n');
}
