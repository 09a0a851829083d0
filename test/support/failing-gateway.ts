import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What comes back instead of the answer: a page of the gateway's own, without asking the service; or half an answer, or none, after it was asked. */
export type GatewayFault = 401 | 502 | 503 | 'half' | 'silence';

/** Stands before the service as a proxy does, and fails calls whose method and path begin with what was named. */
export class FailingGateway {
  private readonly faults: { call: string; fault: GatewayFault }[] = [];
  /** `METHOD path` of each call that came. */
  readonly calls: string[] = [];

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async before(service: string): Promise<FailingGateway> {
    const server = createServer((incoming, outgoing) => gateway.pass(service, incoming, outgoing));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const gateway = new FailingGateway(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    return gateway;
  }

  /** One fault for each of the next such calls, in this order. */
  fail(call: string, ...faults: readonly GatewayFault[]): void {
    this.faults.push(...faults.map((fault) => ({ call, fault })));
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  /** Ends what is under way. */
  drop(): void {
    this.server.closeAllConnections();
  }

  private pass(service: string, incoming: IncomingMessage, outgoing: ServerResponse): void {
    const call = `${incoming.method} ${incoming.url}`;
    this.calls.push(call);
    const index = this.faults.findIndex((one) => call.startsWith(one.call));
    const fault = index < 0 ? null : this.faults.splice(index, 1)[0]?.fault;
    if (typeof fault === 'number') {
      incoming.resume();
      outgoing.writeHead(fault, { 'Content-Type': 'text/html' }).end('<html><body>Bad Gateway</body></html>');
      return;
    }
    const forwarded = request(`${service}${incoming.url ?? ''}`, { method: incoming.method, headers: incoming.headers }, (answer) => {
      if (fault === 'silence') return;
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      if (fault === 'half') answer.once('data', (chunk: Buffer) => outgoing.write(chunk.subarray(0, chunk.length / 2), () => outgoing.destroy()));
      else answer.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    outgoing.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  }
}
