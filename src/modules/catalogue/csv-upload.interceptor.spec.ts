import 'reflect-metadata';
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import type { ExecutionContext } from '@nestjs/common';
import { of } from 'rxjs';
import { BodyRoom } from '../../platform/http/body-room.js';
import { CsvBody } from './csv-upload.interceptor.js';

const MB = 1_048_576;
const FULL = { code: 'SERVICE_UNAVAILABLE', detail: { reason: 'too_many_bodies' } };

describe('a CSV file that comes by itself', () => {
  const room = new BodyRoom();
  const csvBody = new CsvBody(room);

  /** Sends a file of so many bytes. */
  function send(bytes: number): { read: Promise<unknown>; response: EventEmitter } {
    const headers = { 'content-type': 'text/csv', 'content-length': String(bytes) };
    const request = Object.assign(new PassThrough(), { headers, tenant: { tenantId: 'a' } });
    const response = Object.assign(new EventEmitter(), { closed: false, req: { socket: new EventEmitter() }, setHeader: () => undefined });
    const http = { getRequest: () => request, getResponse: () => response };
    const read = csvBody.intercept({ switchToHttp: () => http } as unknown as ExecutionContext, { handle: () => of(null) });
    request.end(Buffer.alloc(bytes));
    return { read, response };
  }

  it('takes room for bodies until its call is answered', async () => {
    const calls = [send(5 * MB), send(5 * MB), send(5 * MB)];
    await Promise.all(calls.map(({ read }) => read));
    const refused = send(5 * MB);
    await expect(refused.read).rejects.toMatchObject(FULL);
    expect(room.enter('a').take(2 * MB)).toMatchObject(FULL);
    for (const { response } of [...calls, refused]) response.emit('close');
    await Promise.all([0, 1, 2].map(() => new Promise(setImmediate)));
    await expect(Promise.all([1, 2, 3].map(() => send(5 * MB).read))).resolves.toHaveLength(3);
  });
});
