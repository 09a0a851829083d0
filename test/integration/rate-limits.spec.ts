import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { TimerSleeper } from '../../src/platform/adapters/timer-sleeper.js';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../src/platform/embedded/redis.js';
import { type RateBucket, RateLimits } from '../../src/platform/http/rate-limits.js';
import { Meters } from '../../src/platform/observability/meters.js';
import { TcpProxy } from '../support/tcp-proxy.js';

const PREFIX = '{rate-limits}';
const PER_MINUTE = 5;

/** Redis has eight times as long to answer: on a machine that is busy with other tests it is not silent for being slow. */
class PatientSleeper extends TimerSleeper {
  override sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return super.sleep(8 * milliseconds, signal);
  }
}

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
  async function processThatCounts(redisUrl = redis.url, told: string[] = []): Promise<RateLimits> {
    const limit = { RATE_LIMIT_ISSUE_PER_MINUTE: PER_MINUTE, RATE_LIMIT_READ_PER_MINUTE: PER_MINUTE, RATE_LIMIT_AUTH_PER_MINUTE: PER_MINUTE, RATE_LIMIT_RENAME_PER_HOUR: PER_MINUTE, RATE_LIMIT_OTHER_PER_MINUTE: PER_MINUTE };
    const logger = { info: (words: string) => told.push(words), warn: (_: object, words: string) => told.push(words) };
    const limits = new RateLimits({ REDIS_URL: redisUrl, REDIS_CLUSTER: false, QUEUE_PREFIX: PREFIX, ...limit } as never, logger as never, new Meters(), new PatientSleeper());
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

    // Connections of before the silence are lost, those made during it too: nothing of them answers any more.
    await sleep(3_000);
    proxy.forget();
    proxy.clear();
    const reachableAfter = async (limits: RateLimits): Promise<number> => {
      const since = Date.now();
      while (!(await limits.isReachable()) && Date.now() - since < 60_000) await sleep(10);
      return Date.now() - since;
    };
    expect(Math.max(...(await Promise.all([one, other].map(reachableAfter))))).toBeLessThan(30_000);
    // What was under way when it fell silent went under with its connection, and is not sent again.
    expect(await countedInRedis('read', 'silent')).toBe(0);
    expect(await allowed(one, 'afterwards', 3)).toBe(3);
    expect(await allowed(other, 'afterwards', 3)).toBe(PER_MINUTE - 3);
    // A clock of the lost connection, had it one, would end the one that replaced it.
    const answers = new Set<boolean>();
    for (const until = Date.now() + 11_000; Date.now() < until; ) {
      answers.add(await one.isReachable());
      await sleep(20);
    }
    expect([...answers]).toEqual([true]);
  });

  it('tell once that Redis is away, whatever it fails with, and once that it is back', async () => {
    const told: string[] = [];
    const limits = await processThatCounts(proxy.inFrontOf(redis.url), told);
    expect(await allowed(limits, 'told', PER_MINUTE)).toBe(PER_MINUTE);
    await proxy.down();
    for (let asked = 0; asked < 3; asked += 1) expect(await limits.take('read', 'told-down')).toMatchObject({ allowed: true });
    await limits.forgetTries('ana@example.com');
    expect(told).toEqual(['Redis is unreachable: rate limits are counted per process']);
    await proxy.up();
    while (!(await limits.isReachable())) await sleep(10);
    // A refusal is an answer of Redis too.
    expect(await limits.take('read', 'told')).toMatchObject({ allowed: false });
    expect(told).toEqual(['Redis is unreachable: rate limits are counted per process', 'Redis answers again: rate limits are shared']);
    // It answers, and counts nothing.
    await client.config('SET', 'maxmemory', '1');
    expect(await limits.take('read', 'told-full')).toMatchObject({ allowed: true });
    await client.config('SET', 'maxmemory', '0');
    expect(told).toHaveLength(3);
  });
});
