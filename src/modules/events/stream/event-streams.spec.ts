import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { Response } from 'express';
import type { Settings } from '../../../config/settings.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import type { EventsFound, EventsRepository } from '../persistence/events.repository.js';
import type { EventLookout } from './event-lookout.js';
import { EventStreams } from './event-streams.js';

const AT = { lineage: '1', transaction: '1', position: '1' };
const EVENT = { id: 'e', type: 'sequence.low', created_at: '2026-05-04T10:00:00+00:00', tenant_id: 't', version: null, content: null, data: { text: 'x'.repeat(100_000) }, ...AT };

describe('a stream whose reader reads nothing', () => {
  let server: Server;
  let reader: Socket;
  afterEach(() => {
    reader.destroy();
    server.close();
    jest.restoreAllMocks();
  });

  it('is cut off after a while, and leaves its place to another', async () => {
    jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    let tellWaiting = (): void => undefined;
    const isWaiting = new Promise<void>((tell) => {
      tellWaiting = tell;
    });
    let endPatience = (): void => undefined;
    const sleeper = {
      sleep: (_ms: number, signal?: AbortSignal) =>
        new Promise<void>((resolve, reject) => {
          signal?.addEventListener('abort', () => reject(new Error('drained')));
          endPatience = resolve;
          tellWaiting();
        }),
    };
    const found = { at: AT, isMore: true, isCredentialValid: true, events: [EVENT] } as unknown as EventsFound;
    const streams = new EventStreams(
      { after: () => Promise.resolve(found) } as unknown as EventsRepository, {} as EventLookout, { now: () => new Date(0) }, sleeper, { EVENT_STREAMS_PER_TENANT: 1 } as Settings,
    );
    const tenant = { tenantId: 't', principal: { kind: 'api_key', id: 'k' } } as unknown as TenantContext;
    const served: Promise<void>[] = [];
    server = createServer((request, response) => {
      served.push(streams.serve(tenant, {}, undefined, Object.assign(response, { req: request }) as unknown as Response));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    reader = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
    reader.on('error', () => undefined);
    reader.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    // What the system keeps for the reader fills up first, piece by piece.
    await isWaiting;
    await new Promise((resolve) => setTimeout(resolve, 300));
    await expect(streams.serve(tenant, {}, undefined, { req: { method: 'GET' }, on: () => undefined, once: () => undefined } as unknown as Response)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    endPatience();
    await served[0];
    const other = fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`).then((answer) => answer.body?.cancel().then(() => answer.status));
    expect(await other).toBe(200);
  });
});

describe('a stream behind whose place events were removed', () => {
  it('ends, so that its reader comes back and is told so', async () => {
    const [first, later] = [false, true].map((isExpired) => ({ at: AT, isMore: false, isCredentialValid: true, isExpired, events: [] }) as unknown as EventsFound);
    const answers = [first, later];
    const streams = new EventStreams(
      { after: () => Promise.resolve(answers.shift()) } as unknown as EventsRepository, { until: () => Promise.resolve() } as unknown as EventLookout,
      { now: () => new Date(0) }, { sleep: () => Promise.resolve() }, { EVENT_STREAMS_PER_TENANT: 1 } as Settings,
    );
    const tenant = { tenantId: 't', principal: { kind: 'api_key', id: 'k' } } as unknown as TenantContext;
    const server = createServer((request, response) => void streams.serve(tenant, {}, undefined, Object.assign(response, { req: request }) as unknown as Response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    expect([await answer.text(), answers]).toEqual([expect.stringMatching(/^retry: 2000\nid: /), []]);
    server.close();
  });
});
