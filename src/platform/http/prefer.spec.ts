import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Response } from 'express';
import { beginWait } from './prefer.js';

describe('the wait that a caller prefers', () => {
  it('is of one who is there until his connection is gone', async () => {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const leaving = new AbortController();
    const called = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
    const call = fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, { signal: leaving.signal });
    const [request, response] = await called;
    const { hasLeft } = beginWait(Object.assign(response, { req: request }) as unknown as Response, 30);
    expect(hasLeft()).toBe(false);
    leaving.abort();
    await expect(call).rejects.toThrow();
    await once(response, 'close');
    expect(hasLeft()).toBe(true);
    server.close();
  });
});
