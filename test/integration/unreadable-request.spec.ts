import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { RandomIds } from '../../src/platform/adapters/random-ids.js';
import { answerUnreadable } from '../../src/platform/http/unreadable-request.js';

describe('what cannot be read', () => {
  let server: Server;
  const told: unknown[] = [];
  const pending: ServerResponse[] = [];
  let read = 0;

  beforeAll(async () => {
    server = createServer((_request, response) => void pending.push(response));
    server.on('clientError', () => (read += 1));
    answerUnreadable(server, new RandomIds(), { info: (...words: unknown[]) => told.push(words) } as never);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const open = async (to = server): Promise<{ client: Socket; answer: () => string }> => {
    const client = connect((to.address() as AddressInfo).port, '127.0.0.1');
    let heard = '';
    client.setEncoding('utf8').on('data', (text: string) => (heard += text));
    await once(client, 'connect');
    return { client, answer: () => heard };
  };

  it('of the body of a request is refused so that the page of another origin may read why', async () => {
    const { client, answer } = await open();
    client.write('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
    while (pending.length === 0) await sleep(5);
    const response = pending.pop()!;
    const headers = { 'Access-Control-Allow-Origin': 'https://app.example', 'Access-Control-Allow-Credentials': 'true', Vary: 'Origin', 'X-Request-Id': 'r-1' };
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.setHeader('Content-Type', 'text/html');
    const closed = once(client, 'close');
    client.write('no length of a chunk\r\n');
    await closed;
    const [head = '', body = ''] = answer().split('\r\n\r\n');
    const lines = head.toLowerCase().split('\r\n');
    expect(lines).toEqual(expect.arrayContaining(['http/1.1 400 bad request', ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`.toLowerCase()), 'content-type: application/json; charset=utf-8']));
    expect(JSON.parse(body)).toMatchObject({ error: { code: 'MALFORMED_REQUEST' } });
    told.length = 0;
  });

  it('behind a request that is not answered yet is told once and kept nowhere, however much comes; the request gets its answer, and the connection ends', async () => {
    const { client, answer } = await open();
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    while (pending.length === 0) await sleep(5);
    for (let piece = 0; piece < 50; piece += 1) {
      client.write('no request at all\r\n\r\n'.repeat(1_000));
      await sleep(2);
    }
    // Node went on telling of it: there was something to be kept.
    while (read < 10) await sleep(5);
    const [response] = pending as [ServerResponse];
    expect(response.listenerCount('close')).toBeLessThan(5);
    expect(told).toEqual([[expect.objectContaining({ code: 'HPE_INVALID_METHOD' }), 'what came behind a request could not be read']]);
    const closed = once(client, 'close');
    response.end('answered');
    await closed;
    expect(answer()).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*Connection: close\r\n[^]*\r\n\r\nanswered$/);
  });

  it('for nothing came yet is no request: a connection that was opened ahead serves the first one, and half a one is refused in time', async () => {
    let late = 0;
    const hasty = createServer({ connectionsCheckingInterval: 20, headersTimeout: 100, requestTimeout: 1_000 }, (_request, response) => void response.end('served'));
    hasty.on('clientError', () => (late += 1));
    answerUnreadable(hasty, new RandomIds(), { info: () => undefined } as never);
    hasty.listen(0, '127.0.0.1');
    await once(hasty, 'listening');
    const [whole, half] = [await open(hasty), await open(hasty)];
    while (late < 2) await sleep(5);
    for (const { client } of [whole, half]) client.on('error', () => undefined);
    whole.client.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    half.client.write('GET / HTTP/1.1\r\n');
    for (const { client } of [whole, half]) if (!client.closed) await once(client, 'close');
    expect(whole.answer()).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*served/);
    expect(half.answer()).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    hasty.close();
  }, 60_000);
});
