import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A span as it was sent, its lists of names and values made plain. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  /** 1: within, 2: server, 3: client, 5: consumer. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, unknown>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  /** 2: failed. */
  readonly status: { readonly code: number };
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
}

interface Value {
  readonly arrayValue?: { readonly values: readonly Value[] };
  readonly [type: string]: unknown;
}
type Pairs = readonly { readonly key: string; readonly value: Value }[];
interface Batch {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Pairs };
    readonly scopeSpans: readonly { readonly spans: readonly (Omit<CollectedSpan, 'attributes' | 'links' | 'resource'> & { readonly attributes: Pairs; readonly links?: CollectedSpan['links'] })[] }[];
  }[];
}

const plain = ({ arrayValue, ...one }: Value): unknown => (arrayValue === undefined ? Object.values(one)[0] : arrayValue.values.map(plain));
const record = (pairs: Pairs): Record<string, unknown> => Object.fromEntries(pairs.map(({ key, value }) => [key, plain(value)]));

/** Takes traces over OTLP/HTTP as JSON, as a collector does. */
export class Collector {
  readonly spans: CollectedSpan[] = [];
  /** All that was sent, as it came. */
  readonly bodies: string[] = [];
  readonly headers: IncomingHttpHeaders[] = [];
  /** What it answers from now on, null: nothing at all; what it does not take it does not keep. */
  status: number | null = 200;
  readonly refused: string[] = [];

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<Collector> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const collector = new Collector(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('request', (request, response) => void collector.take(request, response));
    return collector;
  }

  /** Spans of a trace, in the order of their begin. */
  trace(traceId: string): CollectedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId).sort((one, other) => Number(BigInt(one.startTimeUnixNano) - BigInt(other.startTimeUnixNano)));
  }

  /** Waits until it holds for what has come. */
  async until(fits: (collector: this) => boolean, seconds = 90): Promise<void> {
    for (let waited = 0; waited < seconds * 20; waited += 1) {
      if (fits(this)) return;
      await sleep(50);
    }
    throw new Error(`not within ${seconds} s; came: ${this.spans.map(({ name, traceId }) => `${traceId} ${name}`).join('\n')}`);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray()).toString();
    if (this.status !== 200 || request.url !== '/v1/traces') {
      this.refused.push(body);
      if (this.status !== null) response.writeHead(this.status === 200 ? 404 : this.status).end();
      return;
    }
    this.bodies.push(body);
    this.headers.push(request.headers);
    for (const { resource, scopeSpans } of (JSON.parse(body) as Batch).resourceSpans) {
      for (const span of scopeSpans.flatMap(({ spans }) => spans)) this.spans.push({ ...span, attributes: record(span.attributes), links: span.links ?? [], resource: record(resource.attributes) });
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  }
}
