import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GuardedPost, type PostOutcome } from './guarded-post.js';

/** A resolver whose answers are written down, one after the other; the last one stays. */
function resolverOf(...answers: readonly (readonly string[] | Error)[]) {
  const asked: string[] = [];
  return {
    asked,
    resolve: async (host: string): Promise<readonly string[]> => {
      const answer = answers[Math.min(asked.push(host), answers.length) - 1]!;
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
}

describe('posts to where tenants say', () => {
  let server: Server;
  let port: number;
  const seen: string[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => {
      seen.push(`${request.headers.host ?? ''} ${request.url ?? ''}`);
      if (request.url === '/away') response.writeHead(307, { location: `http://127.0.0.1:${port}/inside` }).end();
      else if (request.url === '/silent') request.resume();
      else response.writeHead(200).end('x');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => void (seen.length = 0));

  const post = (targets: 'public' | 'any', resolver: ReturnType<typeof resolverOf>, url: string, timeoutMs = 30_000): Promise<PostOutcome> =>
    new GuardedPost(resolver, { WEBHOOK_TARGETS: targets }).post(url, { 'content-type': 'application/json' }, '{}', timeoutMs);
  const https = (): string => `https://receiver.example:${port}/`;

  it.each([['127.0.0.1'], ['169.254.169.254'], ['::1'], ['::ffff:10.0.0.1'], ['100.64.0.1']])('refuses a name that leads within: %s', async (address) => {
    expect(await post('public', resolverOf([address]), https())).toEqual({ noAnswer: 'refused_address' });
    expect(seen).toEqual([]);
  });

  it('refuses a name that leads to a public address and within (B103)', async () => {
    for (const addresses of [['8.8.8.8', '127.0.0.1'], ['127.0.0.1', '8.8.8.8']]) {
      expect(await post('public', resolverOf(addresses), https())).toEqual({ noAnswer: 'refused_address' });
    }
    expect(seen).toEqual([]);
  });

  it('refuses at the next call a name that led elsewhere at the first (B103)', async () => {
    const resolver = resolverOf(['192.0.43.7'], ['127.0.0.1']);
    const guarded = new GuardedPost(resolver, { WEBHOOK_TARGETS: 'public' });
    expect(await guarded.leadsAstray(https(), 1_000)).toBe(false);
    expect(await guarded.post(https(), {}, '{}', 1_000)).toEqual({ noAnswer: 'refused_address' });
    expect([resolver.asked, seen]).toEqual([['receiver.example', 'receiver.example'], []]);
  });

  it('goes to the address that was checked, and asks for the name no second time (B103)', async () => {
    const resolver = resolverOf(['127.0.0.1'], ['203.0.113.1']);
    expect(await post('any', resolver, `http://receiver.example:${port}/here`)).toEqual({ status: 200 });
    expect([resolver.asked, seen]).toEqual([['receiver.example'], [`receiver.example:${port} /here`]]);
  });

  it('goes to the next address of a name where one takes no connection', async () => {
    expect(await post('any', resolverOf(['::1', '127.0.0.2', '127.0.0.1']), `http://receiver.example:${port}/next`)).toEqual({ status: 200 });
    expect(seen).toEqual([`receiver.example:${port} /next`]);
    expect(await post('public', resolverOf(['8.8.8.8', '1.1.1.1', '127.0.0.1']), https())).toEqual({ noAnswer: 'refused_address' });
  });

  it('refuses what an address says by itself, without asking or calling', async () => {
    const resolver = resolverOf(['8.8.8.8']);
    for (const url of [`https://127.0.0.1:${port}/`, `https://[::ffff:127.0.0.1]:${port}/`, `http://example.com:${port}/`, 'https://localhost:8443/', 'https://example.com:6379/']) {
      expect(await post('public', resolver, url)).toEqual({ noAnswer: 'refused_address' });
    }
    expect([resolver.asked, seen]).toEqual([[], []]);
  });

  it('refuses where the service itself is found, by name and port, unless any address is allowed (B102)', async () => {
    const resolver = resolverOf(['127.0.0.1']);
    const own = { PUBLIC_URL: `http://receiver.example:${port}/v1`, PANEL_URL: 'https://panel.example' };
    const posting = (targets: 'public' | 'any', url: string): Promise<PostOutcome> => new GuardedPost(resolver, { WEBHOOK_TARGETS: targets, ...own }).post(url, {}, '{}', 1_000);
    for (const url of [https(), `https://RECEIVER.example.:${port}/x`, 'https://panel.example/']) expect(await posting('public', url)).toEqual({ noAnswer: 'refused_address' });
    expect(resolver.asked).toEqual([]);
    // The name is asked for: what it leads to is judged then.
    await posting('public', `https://receiver.example:${port + 1}/`);
    expect(resolver.asked).toEqual(['receiver.example']);
    expect(await posting('any', `http://receiver.example:${port}/`)).toEqual({ status: 200 });
  });

  it('follows no redirect (B104)', async () => {
    expect(await post('any', resolverOf(['127.0.0.1']), `http://receiver.example:${port}/away`)).toEqual({ status: 307 });
    expect(seen).toEqual([`receiver.example:${port} /away`]);
  });

  it('tells why there is no answer', async () => {
    expect(await post('any', resolverOf(new Error('ENOTFOUND')), `http://receiver.example:${port}/`)).toEqual({ noAnswer: 'unresolved' });
    expect(await post('any', resolverOf([]), `http://receiver.example:${port}/`)).toEqual({ noAnswer: 'refused_address' });
    expect(await post('any', resolverOf(['127.0.0.1']), `http://receiver.example:${port}/silent`, 300)).toEqual({ noAnswer: 'timeout' });
    expect(await post('any', { asked: [], resolve: () => new Promise(() => undefined) }, `http://receiver.example:${port}/`, 100)).toEqual({ noAnswer: 'timeout' });
    expect(await post('any', resolverOf(['127.0.0.1']), `https://receiver.example:${port}/`)).toEqual({ noAnswer: expect.stringMatching(/^(tls|connection)$/) });
    expect(await post('any', resolverOf(['127.0.0.1']), 'http://receiver.example:1025/')).toEqual({ noAnswer: 'connection' });
  });
});
