import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createNetServer, type AddressInfo, type Server, type Socket } from 'node:net';

export interface LocalServer {
  readonly url: string;
  /** Requests (or, for a raw server, connections) seen so far. */
  readonly seen: { count: number };
  close(): Promise<void>;
}

/** Answers each request with the handler; for what is proper HTTP. */
export function httpServer(
  handler: (request: IncomingMessage, response: ServerResponse, body: Buffer) => void,
): Promise<LocalServer> {
  const seen = { count: 0 };
  return listen(createHttpServer(counting(handler, seen)), 'http', seen);
}

export function tlsServer(
  identity: { key: string; cert: string },
  handler: (request: IncomingMessage, response: ServerResponse, body: Buffer) => void,
): Promise<LocalServer> {
  const seen = { count: 0 };
  return listen(createTlsServer(identity, counting(handler, seen)), 'https', seen);
}

/** Hands out bare sockets; for what is not. */
export function rawServer(handler: (socket: Socket, connection: number) => void): Promise<LocalServer> {
  const seen = { count: 0 };
  const server = createNetServer((socket) => {
    seen.count += 1;
    handler(socket, seen.count);
  });
  return listen(server, 'http', seen);
}

function counting(
  handler: (request: IncomingMessage, response: ServerResponse, body: Buffer) => void,
  seen: { count: number },
) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      seen.count += 1;
      handler(request, response, Buffer.concat(chunks));
    });
  };
}

async function listen(server: Server, scheme: string, seen: { count: number }): Promise<LocalServer> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${scheme}://127.0.0.1:${String(port)}/service`,
    seen,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
