import 'reflect-metadata';
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import type { ExecutionContext } from '@nestjs/common';
import { of } from 'rxjs';
import { BodyRoom } from '../../platform/http/body-room.js';
import { CsvBody, FormRoom } from './csv-upload.interceptor.js';

const MB = 1_048_576;
const FULL = { code: 'SERVICE_UNAVAILABLE', detail: { reason: 'too_many_bodies' } };

describe('a CSV file that comes by itself', () => {
  const room = new BodyRoom();
  const csvBody = new CsvBody(room);

  /** Sends a file of so many bytes. */
  function send(bytes: number, type = 'text/csv'): { read: Promise<unknown>; request: { body: unknown }; response: EventEmitter } {
    const headers = { 'content-type': type, 'content-length': String(bytes) };
    const request = Object.assign(new PassThrough(), { headers, tenant: { tenantId: 'a' }, body: undefined });
    const response = Object.assign(new EventEmitter(), { closed: false, req: { socket: new EventEmitter() }, setHeader: () => undefined });
    const http = { getRequest: () => request, getResponse: () => response };
    const read = csvBody.intercept({ switchToHttp: () => http } as unknown as ExecutionContext, { handle: () => of(null) });
    request.end(Buffer.alloc(bytes));
    return { read, request, response };
  }

  it.each([
    ['text/csv', null],
    ['text/csv; charset=utf-8; header=present', 'utf-8'],
    ['text/csv;charset="UTF-8"', 'utf-8'],
    ['text/csv; charset=Windows-1252', 'windows-1252'],
  ])('is handed on with the character set of its type: %s', async (type, charset) => {
    const { read, request, response } = send(1, type);
    await read;
    response.emit('close');
    expect(request.body).toEqual({ bytes: Buffer.alloc(1), charset });
  });

  it.each(['iso-8859-1', 'utf-16', ''])('is told which character sets are taken instead of "%s"', async (charset) => {
    await expect(send(1, `text/csv; charset=${charset}`).read).rejects.toMatchObject({
      code: 'UNSUPPORTED_MEDIA_TYPE', detail: { reason: 'file_charset', expected: ['utf-8', 'windows-1252'] },
    });
  });

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

describe('a CSV file that comes in a form', () => {
  const formRoom = new FormRoom(new BodyRoom());

  /** Announces a form of so many bytes; null: of nobody knows how many. */
  function send(bytes: number | null): { begin: () => unknown; response: EventEmitter } {
    const length = bytes === null ? {} : { 'content-length': String(bytes) };
    const request = { headers: { 'content-type': 'multipart/form-data; boundary=x', ...length }, tenant: { tenantId: 'a' } };
    const response = Object.assign(new EventEmitter(), { closed: false, req: { socket: new EventEmitter() } });
    const http = { getRequest: () => request, getResponse: () => response };
    return { begin: () => formRoom.intercept({ switchToHttp: () => http } as unknown as ExecutionContext, { handle: () => of(null) }), response };
  }

  it('takes room before it comes, as one that comes by itself', async () => {
    const calls = [send(5 * MB), send(null), send(200 * MB)];
    for (const { begin } of calls) begin();
    const refused = send(5 * MB);
    expect(refused.begin).toThrow(expect.objectContaining(FULL) as Error);
    for (const { response } of [...calls, refused]) response.emit('close');
    await Promise.all([0, 1, 2].map(() => new Promise(setImmediate)));
    expect(() => [send(5 * MB), send(5 * MB), send(5 * MB)].forEach(({ begin }) => begin())).not.toThrow();
  });
});
