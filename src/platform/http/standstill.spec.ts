import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { endStandstills } from './standstill.js';

/** Many more than the buffers of both systems hold. */
const CALLS = 40;
const ANSWER = 'x'.repeat(1_000_000);

it('is the end of a connection whose answers nobody reads, and not of one whose reader is slow', async () => {
  const server = createServer((_request, response) => response.end(ANSWER));
  endStandstills(server, 1_000);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const ask = () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
    let bytes = 0;
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      socket.pause();
      setTimeout(() => socket.resume(), 1);
    });
    socket.on('error', () => undefined);
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(CALLS));
    return { socket, bytes: () => bytes };
  };
  const [idle, slow] = [ask(), ask()];
  slow.socket.resume();
  while (slow.bytes() < CALLS * ANSWER.length) await new Promise((resolve) => setTimeout(resolve, 50));
  // The reader's own end of the connection tells of it only when he reads on.
  while ((await promisify(server.getConnections.bind(server))()) > 1) await new Promise((resolve) => setTimeout(resolve, 50));
  const closed = once(idle.socket, 'close');
  idle.socket.resume();
  await closed;
  expect(idle.bytes()).toBeLessThan((CALLS * ANSWER.length) / 2);
  slow.socket.destroy();
  server.close();
}, 120_000);
