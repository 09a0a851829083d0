import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { RandomIds } from '../../src/platform/adapters/random-ids.js';
import { answerUnreadable } from '../../src/platform/http/unreadable-request.js';

describe('what comes behind a request that is not answered yet', () => {
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

  const open = async (): Promise<{ client: Socket; answer: () => string }> => {
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    let heard = '';
    client.setEncoding('utf8').on('data', (text: string) => (heard += text));
    await once(client, 'connect');
    return { client, answer: () => heard };
  };

  it('is told once and kept nowhere, however much comes; the request gets its answer, and the connection ends', async () => {
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
});
