import { Agent, type Dispatcher } from 'undici';

/** Bounds of one exchange. */
export interface SoapLimits {
  /** From the call to the last byte of the answer, in milliseconds. */
  readonly timeoutMs: number;
  /** Largest answer body taken, in bytes. */
  readonly maxBytes: number;
}

/** An authorization answer repeats the signed document, of up to 320 KB, for each time that it was refused before. */
export const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

export const DEFAULT_SOAP_LIMITS: SoapLimits = { timeoutMs: 30_000, maxBytes: MAX_ANSWER_BYTES };

export interface SoapResponse {
  readonly status: number;
  readonly contentType: string | null;
  readonly body: string;
  /** `Retry-After` as sent. */
  readonly retryAfter?: string | null;
}

/** Carries one SOAP envelope to a service and brings back whatever it answers. */
export interface SoapTransport {
  /** @throws TransportFailure when there is no complete answer */
  post(url: string, envelope: string, limits: SoapLimits): Promise<SoapResponse>;
}

/**
 * There is no answer.
 *
 * `not_delivered`: no byte of the request left, so the service surely did not
 * act on it. `no_answer`: bytes may have left; whether it acted is unknown.
 */
export class TransportFailure extends Error {
  override readonly name = 'TransportFailure';

  constructor(
    readonly kind: 'not_delivered' | 'no_answer',
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(`${kind}: ${reason}`, options);
  }
}

export interface UndiciSoapTransportOptions {
  /** Connections to one service at most; many at once have been reset by the SRI. */
  readonly connections?: number;
  /** Time to connect, TLS included, in milliseconds. */
  readonly connectTimeoutMs?: number;
  /** How long an idle connection is kept, in milliseconds. */
  readonly keepAliveMs?: number;
  /** Certificates trusted instead of the public authorities (PEM), for a sandbox behind a private one. */
  readonly ca?: string;
}

/**
 * HTTP with kept connections. It follows no redirect and repeats nothing by
 * itself: a repeated reception is the lifecycle's decision alone. Certificates
 * are verified against the public authorities and never pinned (ficha técnica
 * §7.1.4: they change without notice).
 */
export class UndiciSoapTransport implements SoapTransport {
  /** By address: services of one host, as the SRI's are, share no connections, so that a slow one does not keep the others waiting. */
  private readonly agents = new Map<string, Agent>();

  constructor(private readonly options: UndiciSoapTransportOptions = {}) {}

  async post(url: string, envelope: string, limits: SoapLimits): Promise<SoapResponse> {
    const target = new URL(url);
    return new Promise((resolve, reject) => {
      const exchange = new Exchange(limits, resolve, reject);
      this.agentOf(target).dispatch(
        {
          origin: target.origin,
          path: target.pathname + target.search,
          method: 'POST',
          headers: { 'content-type': 'text/xml; charset=utf-8', soapaction: '""', accept: 'text/xml' },
          body: envelope,
          headersTimeout: limits.timeoutMs,
          bodyTimeout: limits.timeoutMs,
        },
        exchange,
      );
    });
  }

  /** Closes idle connections at once and others after their answer. */
  async close(): Promise<void> {
    await Promise.all(Array.from(this.agents.values(), (agent) => agent.close()));
  }

  private agentOf({ origin, pathname }: URL): Agent {
    const known = this.agents.get(origin + pathname);
    if (known) return known;
    const { connections = 8, keepAliveMs = 10_000, connectTimeoutMs = 10_000, ca } = this.options;
    const agent = new Agent({
      connections,
      pipelining: 1,
      keepAliveTimeout: keepAliveMs,
      connect: { timeout: connectTimeoutMs, minVersion: 'TLSv1.2', ...(ca === undefined ? {} : { ca }) },
    });
    this.agents.set(origin + pathname, agent);
    return agent;
  }
}

/** One request: watches whether bytes may have left, the total time and the size. */
class Exchange implements Dispatcher.DispatchHandler {
  private readonly deadline: AbortSignal;
  private readonly chunks: Buffer[] = [];
  private size = 0;
  private sent = false;
  private settled = false;
  private controller: Dispatcher.DispatchController | null = null;
  private head: Omit<SoapResponse, 'body'> | null = null;

  constructor(
    private readonly limits: SoapLimits,
    private readonly resolve: (response: SoapResponse) => void,
    private readonly reject: (failure: TransportFailure) => void,
  ) {
    this.deadline = AbortSignal.timeout(limits.timeoutMs);
    this.deadline.addEventListener('abort', this.onDeadline);
  }

  /** Called when a connection stands and just before the request is written to it. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.settled) {
      controller.abort(new Error('given up before it was sent'));
      return;
    }
    this.sent = true;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    const header = (name: string): string | null => [headers[name]].flat()[0] ?? null;
    this.head = {
      status,
      contentType: header('content-type'),
      retryAfter: header('retry-after'),
    };
    if (Number(header('content-length') ?? 0) > this.limits.maxBytes) this.tooLarge();
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.size += chunk.length;
    if (this.size > this.limits.maxBytes) this.tooLarge();
    else this.chunks.push(chunk);
  }

  onResponseEnd(): void {
    if (this.settled || this.head === null) return;
    this.settle();
    this.resolve({ ...this.head, body: decode(Buffer.concat(this.chunks), this.head.contentType) });
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.fail(reasonOf(error), error);
  }

  private readonly onDeadline = (): void => {
    this.fail(`no complete answer within ${this.limits.timeoutMs} ms`);
  };

  private tooLarge(): void {
    this.fail(`the answer exceeds ${this.limits.maxBytes} bytes`);
  }

  private fail(reason: string, cause?: Error): void {
    if (this.settled) return;
    this.settle();
    this.reject(new TransportFailure(this.sent ? 'no_answer' : 'not_delivered', reason, { cause }));
    this.controller?.abort(new Error(reason));
  }

  private settle(): void {
    this.settled = true;
    this.deadline.removeEventListener('abort', this.onDeadline);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'name resolution failed',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection closed',
  ETIMEDOUT: 'connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_HEADERS_TIMEOUT: 'no answer in time',
  UND_ERR_BODY_TIMEOUT: 'answer stalled',
  UND_ERR_SOCKET: 'connection closed',
};

/** A short reason with the system's code; never an address or content. */
function reasonOf(error: Error & { code?: unknown; errors?: unknown }): string {
  const nested: unknown = Array.isArray(error.errors) ? error.errors[0] : undefined;
  const source: Error & { code?: unknown } = nested instanceof Error ? nested : error;
  const code = typeof source.code === 'string' ? source.code : 'UNKNOWN';
  if (/CERT|TLS|SSL|SELF_SIGNED|VERIFY|EPROTO/.test(code)) return `TLS refused (${code})`;
  return `${REASONS[code] ?? 'connection failed'} (${code})`;
}

/** UTF-8 unless the answer says otherwise, in its header or else its XML declaration; unreadable bytes become U+FFFD, a byte order mark goes. */
function decode(bytes: Buffer, contentType: string | null): string {
  const charset = /charset=["']?([\w-]+)/i.exec(contentType ?? '')?.[1];
  const decoder = charset === undefined ? declaredBy(bytes) : decoderOf(charset);
  // Without a charset that exists, the text will show what it is.
  return (decoder ?? new TextDecoder()).decode(bytes);
}

const LONGEST_DECLARATION = 200;

/** By the XML declaration, if the text begins with it and no byte order mark. That it is legible shows that the text is not UTF-16, whatever it says. */
function declaredBy(bytes: Buffer): TextDecoder | null {
  const start = bytes.toString('latin1', 0, LONGEST_DECLARATION);
  const encoding = /^<\?xml\s[^>]*\bencoding\s*=\s*["']([\w.:-]+)["']/.exec(start)?.[1];
  const decoder = encoding === undefined ? null : decoderOf(encoding);
  return decoder?.encoding.startsWith('utf-16') === true ? null : decoder;
}

function decoderOf(charset: string): TextDecoder | null {
  try {
    return new TextDecoder(charset);
  } catch {
    return null;
  }
}
