import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A request that a receiver of webhooks got. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly event: { readonly id: string; readonly type: string; readonly version: number | null; readonly data: Record<string, Record<string, unknown>> };
}

type Answer = (response: ServerResponse, times: number) => void;

const status = (code: number): Answer => (response) => void response.writeHead(code, { 'content-type': 'text/plain' }).end('a receiver’s own words');

/** How a path answers; `times` counts the requests with the same `webhook-id`. */
const ANSWERS: Readonly<Record<string, Answer>> = {
  '/ok': status(204),
  '/refuses': status(500),
  '/gone': status(410),
  '/redirects': (response) => void response.writeHead(302, { location: '/ok' }).end(),
  '/hangs': () => undefined,
  '/hangs-once': (response, times) => {
    if (times > 1) response.writeHead(200).end();
  },
  '/recovers': (response, times) => void response.writeHead(times < 3 ? 503 : 200).end(),
  // A byte now and then: never silent for long, never done.
  '/slow-body': (response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('x'), 100);
    response.on('close', () => clearInterval(timer));
  },
  '/huge': (response) => {
    response.writeHead(200);
    const more = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536)));
    };
    response.on('drain', more);
    more();
  },
  '/breaks-off': (response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('begun');
    setTimeout(() => response.destroy(), 50);
  },
};

/** A receiver of webhooks. What a path does can be changed while it runs. */
export class Sink {
  readonly received: Received[] = [];
  private readonly answers = new Map(Object.entries(ANSWERS));

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<Sink> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const sink = new Sink(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('request', (request, response) => void sink.take(request, response));
    return sink;
  }

  /** Lets a path answer with a status from now on. */
  answer(path: string, code: number): void {
    this.answers.set(path, status(code));
  }

  /** What a path got, of one event or of all. */
  at(path: string, eventId?: string): Received[] {
    return this.received.filter((one) => one.path === path && (eventId === undefined || one.event.id === eventId));
  }

  /** Waits until something that fits has come. */
  async until(fits: (one: Received) => boolean, seconds = 90): Promise<Received> {
    for (let waited = 0; waited < seconds * 20; waited += 1) {
      const found = this.received.find(fits);
      if (found !== undefined) return found;
      await sleep(50);
    }
    throw new Error(`nothing fitting came within ${seconds} s; what came: ${JSON.stringify(this.received.map(({ path, event }) => [path, event.type]))}`);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('utf8');
    const path = request.url ?? '';
    const event = JSON.parse(body === '' ? '{}' : body) as Received['event'];
    this.received.push({ path, headers: request.headers, body, event });
    (this.answers.get(path.replace(/\?.*$/, '')) ?? status(404))(response, this.at(path, event.id).length);
  }
}
