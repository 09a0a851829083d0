import { once } from 'node:events';
import { createServer, type IncomingMessage, request as httpRequest, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { requestLog } from './request-log.js';

describe('what is told of a call', () => {
  let server: Server;
  let handle: (response: ServerResponse, request: { waitsSince?: bigint }) => void;
  let told: Promise<[level: string, status: unknown, counted: string]>;
  let arrived: Promise<void>;
  beforeEach(async () => {
    let tell: (what: [string, unknown, string]) => void;
    told = new Promise((resolve) => (tell = resolve));
    let arrive: () => void;
    arrived = new Promise((resolve) => (arrive = resolve));
    let counted = '';
    const meters = { time: (_name: string, { status }: { status: string }) => (counted = status) };
    const line = (level: string) => (record: { status: unknown }) => tell([level, record.status, counted]);
    const log = requestLog({ info: line('info'), warn: line('warn'), error: line('error') } as never, meters as never);
    server = createServer((incoming, response) => {
      const request: IncomingMessage & { waitsSince?: bigint } = Object.assign(incoming, { path: '/documents', params: {}, route: { path: '/documents' } });
      log(request as never, response as never, () => {
        handle(response, request);
        arrive();
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  /** Calls, and leaves so long after the call has arrived unless there is an answer before. */
  const call = async (patienceMs: number): Promise<void> => {
    const { port } = server.address() as AddressInfo;
    const sent = httpRequest({ port, host: '127.0.0.1', path: '/documents', method: 'POST' }).end();
    sent.on('error', () => undefined);
    await Promise.race([once(sent, 'response'), arrived.then(() => sleep(patienceMs, undefined, { ref: false }))]);
    sent.destroy();
  };
  const answer = (status: number) => (response: ServerResponse) => void response.writeHead(status).end();
  const nothing = (): void => undefined;

  it.each([[202, 'info', '2xx'], [422, 'info', '4xx'], [503, 'error', '5xx']])('an answer of %i is of level %s and counts as %s', async (status, level, counted) => {
    handle = answer(status);
    await call(5_000);
    expect(await told).toEqual([level, status, counted]);
  });

  it('a caller who left after a second without an answer was not answered', async () => {
    handle = nothing;
    await call(1_100);
    expect(await told).toEqual(['warn', null, 'unanswered']);
  });

  it('one who left sooner is no failure of ours', async () => {
    handle = nothing;
    await call(100);
    expect(await told).toEqual(['info', null, '4xx']);
  });

  it('one who never sent all of the request was not kept waiting', async () => {
    handle = nothing;
    const { port } = server.address() as AddressInfo;
    const sent = httpRequest({ port, host: '127.0.0.1', path: '/documents', method: 'POST', headers: { 'content-length': '100' } });
    sent.on('error', () => undefined);
    sent.write('{');
    await arrived;
    await sleep(1_100);
    sent.destroy();
    expect(await told).toEqual(['info', null, '4xx']);
  });

  it('one who left while they waited as they had asked for had their document accepted', async () => {
    handle = (_response, request) => void (request.waitsSince = process.hrtime.bigint());
    await call(1_100);
    expect(await told).toEqual(['info', null, '2xx']);
  });

  it('one who left in the middle of an answer had it begun', async () => {
    handle = (response) => void response.writeHead(200).write('part');
    await call(5_000);
    expect(await told).toEqual(['info', 200, '2xx']);
  });
});
