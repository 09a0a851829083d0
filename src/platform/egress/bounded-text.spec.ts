import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { fetch } from 'undici';
import { boundedText } from './bounded-text.js';

describe('the text of an answer', () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000, 0x20));
  let server: Server;
  let address: string;

  beforeAll(async () => {
    server = createServer((request, response) => {
      if (request.url === '/bomb') response.setHeader('content-encoding', 'gzip').end(bomb);
      else if (request.url === '/nothing') response.writeHead(204).end();
      else response.end('ñandú');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());

  it('is read up to its bound, and no further however little of it came', async () => {
    expect(await boundedText((await fetch(address)).body, 7)).toBe('ñandú');
    expect(await boundedText((await fetch(`${address}/nothing`)).body, 7)).toBe('');
    await expect(boundedText((await fetch(address)).body, 6)).rejects.toThrow('the answer is larger than 6 bytes');
    const answer = await fetch(`${address}/bomb`);
    expect(Number(answer.headers.get('content-length'))).toBeLessThan(100_000);
    await expect(boundedText(answer.body, 100_000)).rejects.toThrow('larger than 100000 bytes');
  });
});
