import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { Response } from 'express';
import type { Settings } from '../../../config/settings.js';
import type { Shutdown } from '../../../platform/shutdown/shutdown.js';
import type { TenantContext } from '../../../shared/tenant-context.js';
import { BEFORE_ALL, cursorOf } from '../event-position.js';
import type { EventStreamQuery } from '../events.dto.js';
import type { EventsFound, EventsRepository } from '../persistence/events.repository.js';
import type { EventLookout } from './event-lookout.js';
import { EventStreams } from './event-streams.js';

const SERVING = { isStopping: false } as Shutdown;
const TENANT = { tenantId: 't', principal: { kind: 'api_key', id: 'k' } } as unknown as TenantContext;
const AT = { lineage: '1', transaction: '1', position: '1' };
const EVENT = { id: 'e', type: 'sequence.low', created_at: '2026-05-04T10:00:00+00:00', tenant_id: 't', version: null, content: null, data: { text: 'x'.repeat(100_000) }, ...AT };

/** What a stream brings until it ends. */
async function textOf(streams: EventStreams, query: EventStreamQuery = {}): Promise<string> {
  const server = createServer((request, response) => void streams.serve(TENANT, query, undefined, Object.assign(response, { req: request }) as unknown as Response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const text = await answer.text();
  server.close();
  return text;
}

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
      { after: () => Promise.resolve(found) } as unknown as EventsRepository, {} as EventLookout, { now: () => new Date(0) }, sleeper, { EVENT_STREAMS_PER_TENANT: 1 } as Settings, SERVING,
    );
    const served: Promise<void>[] = [];
    server = createServer((request, response) => {
      served.push(streams.serve(TENANT, {}, undefined, Object.assign(response, { req: request }) as unknown as Response));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    reader = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
    reader.on('error', () => undefined);
    reader.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    // What the system keeps for the reader fills up first, piece by piece.
    await isWaiting;
    await new Promise((resolve) => setTimeout(resolve, 300));
    await expect(streams.serve(TENANT, {}, undefined, { req: { method: 'GET' }, on: () => undefined, once: () => undefined } as unknown as Response)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
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
      { now: () => new Date(0) }, { sleep: () => Promise.resolve() }, { EVENT_STREAMS_PER_TENANT: 1 } as Settings, SERVING,
    );
    expect([await textOf(streams), answers]).toEqual([expect.stringMatching(/^retry: 2000\nid: /), []]);
  });
});

describe('a stream that has nothing to bring', () => {
  it('tells every ten seconds how far it has looked, so that its reader does not go on from where events are gone', async () => {
    const [first, looked, quiet, ended] = ([['1', true], ['2', true], ['3', true], ['4', false]] as const).map(
      ([xid, isCredentialValid]) => ({ at: { ...BEFORE_ALL, xid }, isMore: false, isCredentialValid, isExpired: false, events: [] }) satisfies EventsFound);
    const answers = [first, looked, quiet, ended];
    let seconds = 0;
    const streams = new EventStreams(
      { after: () => Promise.resolve(answers.shift()) } as unknown as EventsRepository, { until: () => Promise.resolve(void (seconds += 6)) } as unknown as EventLookout,
      { now: () => new Date(seconds * 1_000) }, { sleep: () => Promise.resolve() }, { EVENT_STREAMS_PER_TENANT: 1 } as Settings, SERVING,
    );
    expect(await textOf(streams, { type: 'document.authorized' })).toBe(`retry: 2000\nid: ${cursorOf(first!.at)}\n\nid: ${cursorOf(quiet!.at)}\n:\n\n`);
  });
});

describe('a stream that is opened while the process stops', () => {
  it('ends at once: its client comes back, and finds another process', async () => {
    const answers = [true, false].map((isCredentialValid) => ({ at: BEFORE_ALL, isMore: false, isCredentialValid, isExpired: false, events: [] }) satisfies EventsFound);
    const streams = new EventStreams(
      { after: () => Promise.resolve(answers.shift()) } as unknown as EventsRepository, { until: () => Promise.resolve() } as unknown as EventLookout,
      { now: () => new Date(0) }, { sleep: () => Promise.resolve() }, { EVENT_STREAMS_PER_TENANT: 1 } as Settings, { isStopping: true } as Shutdown,
    );
    expect([await textOf(streams), await textOf(streams)]).toEqual(['', '']);
  });
});
