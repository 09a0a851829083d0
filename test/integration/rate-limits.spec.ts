import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { TimerSleeper } from '../../src/platform/adapters/timer-sleeper.js';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../src/platform/embedded/redis.js';
import { type RateBucket, RateLimits } from '../../src/platform/http/rate-limits.js';
import { Meters } from '../../src/platform/observability/meters.js';
import { TcpProxy } from '../support/tcp-proxy.js';

const PREFIX = '{rate-limits}';
const PER_MINUTE = 5;

/** Several processes count together as long as Redis answers, and each for itself while it does not. */
describe('rate limits', () => {
  let redis: EmbeddedRedis;
  let proxy: TcpProxy;
  let client: Redis;
  const open: RateLimits[] = [];
  beforeAll(async () => {
    redis = await startEmbeddedRedis();
    const { hostname, port } = new URL(redis.url);
    proxy = await TcpProxy.start({ host: hostname, port: Number(port) });
    client = new Redis(redis.url);
  });
  afterAll(async () => {
    for (const limits of open) limits.onApplicationShutdown();
    client.disconnect();
    await proxy.stop();
    await redis.stop();
  });

  /** What one process counts with, connected. */
  async function processThatCounts(redisUrl = redis.url): Promise<RateLimits> {
    const limit = { RATE_LIMIT_ISSUE_PER_MINUTE: PER_MINUTE, RATE_LIMIT_READ_PER_MINUTE: PER_MINUTE, RATE_LIMIT_AUTH_PER_MINUTE: PER_MINUTE, RATE_LIMIT_OTHER_PER_MINUTE: PER_MINUTE };
    const silent = { info: () => undefined, warn: () => undefined };
    const limits = new RateLimits({ REDIS_URL: redisUrl, REDIS_CLUSTER: false, QUEUE_PREFIX: PREFIX, ...limit } as never, silent as never, new Meters(), new TimerSleeper());
    open.push(limits);
    while (!(await limits.isReachable())) await sleep(10);
    return limits;
  }
  const countedInRedis = async (bucket: RateBucket, who: string): Promise<number> => Number(await client.get(`${PREFIX}:rate:${bucket}:${who}`));
  const allowed = async (limits: RateLimits, who: string, calls: number): Promise<number> =>
    (await Promise.all(Array.from({ length: calls }, () => limits.take('read', who)))).filter((verdict) => verdict.allowed).length;
  /** This process stands still, as on a machine that gives it no time; what it sent is answered meanwhile. */
  const standStill = (milliseconds: number): void => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
  };

  it('are one count of all processes', async () => {
    const [one, other] = [await processThatCounts(), await processThatCounts()];
    expect(await allowed(one, 'all', 3)).toBe(3);
    expect(await allowed(other, 'all', 4)).toBe(PER_MINUTE - 3);
    expect(await one.take('read', 'all')).toMatchObject({ allowed: false, limit: PER_MINUTE, remaining: 0 });
  });

  it('are still one count when a process stands still between its question and the answer', async () => {
    const [one, other] = [await processThatCounts(), await processThatCounts()];
    expect(await allowed(other, 'stalled', PER_MINUTE)).toBe(PER_MINUTE);
    const refused = allowed(one, 'stalled', 3);
    standStill(3_000);
    expect(await refused).toBe(0);
    expect(await countedInRedis('read', 'stalled')).toBe(PER_MINUTE + 3);
  });

  it('are counted by each process for itself while Redis is silent, but for who proves who he is', async () => {
    const url = proxy.inFrontOf(redis.url);
    const [one, other] = [await processThatCounts(url), await processThatCounts(url)];
    proxy.add({ kind: 'timeout' });
    expect(await allowed(one, 'silent', PER_MINUTE + 2)).toBe(PER_MINUTE);
    expect(await allowed(other, 'silent', PER_MINUTE + 2)).toBe(PER_MINUTE);
    await expect(one.take('auth', 'silent')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });

    proxy.clear();
    for (const limits of [one, other]) while (!(await limits.isReachable())) await sleep(10);
    // What was under way may have been counted, and was not sent again.
    expect(await countedInRedis('read', 'silent')).toBeLessThanOrEqual(2 * (PER_MINUTE + 2));
    expect(await allowed(one, 'afterwards', 3)).toBe(3);
    expect(await allowed(other, 'afterwards', 3)).toBe(PER_MINUTE - 3);
  });
});
