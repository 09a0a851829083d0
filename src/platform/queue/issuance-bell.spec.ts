import { Logger } from '@nestjs/common';
import { IssuanceBell } from './issuance-bell.js';

const DOCUMENT = { tenantId: 't', documentId: 'd', announcement: 1 } as never;

/** A bell of a worker that handles 8 documents at once, before a Redis that holds `waiting` jobs; time stands still but where it is moved. */
function bellBefore(waiting: number): { readonly bell: IssuanceBell; readonly redis: { waiting: number; onlyReads: boolean; writes: number; connections: number }; pass: (milliseconds: number) => void } {
  const redis = { waiting, onlyReads: false, writes: 0, connections: 1 };
  let now = 1_000_000;
  const write = (): Promise<unknown> => {
    redis.writes += 1;
    return redis.onlyReads ? Promise.reject(new Error('READONLY You can not write against a read only replica.')) : Promise.resolve([]);
  };
  // As Bull answers: what Redis refused within its transaction has no id.
  const addBulk = (jobs: readonly unknown[]): Promise<unknown> => {
    redis.writes += 1;
    return Promise.resolve(jobs.map(() => ({ id: redis.onlyReads ? undefined : 'id' })));
  };
  const client = { status: 'ready', set: write, disconnect: () => { redis.connections += 1; } };
  const queue = { client, getWaitingCount: () => Promise.resolve(redis.waiting), addBulk };
  const sleeper = { sleep: (_milliseconds: number, ends?: AbortSignal) => new Promise<void>((_resolve, reject) => ends?.addEventListener('abort', () => { reject(new Error('ended')); })) };
  const bell = new IssuanceBell(queue as never, {} as never, { now: () => new Date(now) }, sleeper, { WORKER_CONCURRENCY: 8, QUEUE_PREFIX: 'test' } as never);
  return { bell, redis, pass: (milliseconds) => { now += milliseconds; } };
}

beforeAll(() => Logger.overrideLogger(false));

describe('the bell, how much room the queue has', () => {
  it('fills the queue up once half of it is taken', async () => {
    const { bell, redis } = bellBefore(3);
    expect([await bell.room(), await bell.roomToRefill()]).toEqual([1, 0]);
    redis.waiting = 2;
    expect([await bell.room(), await bell.roomToRefill()]).toEqual([2, 2]);
    expect(redis.writes).toBe(0);
  });

  it('asks a Redis whose queue is full now and then whether it takes anything', async () => {
    const { bell, redis, pass } = bellBefore(100);
    for (let look = 0; look < 20; look += 1) {
      expect(await bell.roomToRefill()).toBe(0);
      pass(500);
    }
    expect(redis.writes).toBe(2);
  });

  it('has none in a Redis that only reads, until it takes a job again', async () => {
    const { bell, redis, pass } = bellBefore(100);
    await bell.ring([DOCUMENT]);
    redis.onlyReads = true;
    expect(await bell.room()).toBe(0);
    pass(5_000);
    await expect(bell.room()).rejects.toThrow('READONLY');
    expect(await bell.isReachable()).toBe(false);
    await expect(bell.roomToRefill()).rejects.toThrow('a moment ago');
    pass(5_000);
    await expect(bell.roomToRefill()).rejects.toThrow('READONLY');
    redis.onlyReads = false;
    pass(5_000);
    expect(await bell.roomToRefill()).toBe(1);
    await bell.ring([DOCUMENT]);
    expect([await bell.isReachable(), await bell.room()]).toEqual([true, 0]);
  });

  it('does not believe that it took what it refused, though it has room, and asks for another connection', async () => {
    const { bell, redis, pass } = bellBefore(0);
    redis.onlyReads = true;
    await expect(bell.ring([DOCUMENT])).rejects.toThrow('Redis refused jobs');
    expect(redis.connections).toBe(2);
    await expect(bell.room()).rejects.toThrow('a moment ago');
    redis.onlyReads = false;
    pass(5_000);
    expect(await bell.room()).toBe(4);
    await bell.ring([DOCUMENT]);
    expect(redis.connections).toBe(2);
  });

  it('asks again when the clock was put back', async () => {
    const { bell, redis, pass } = bellBefore(100);
    await bell.room();
    redis.onlyReads = true;
    pass(-60_000);
    await expect(bell.room()).rejects.toThrow('READONLY');
  });
});

describe('whether Redis is reachable', () => {
  it('is told by what it takes, not by what it tells', async () => {
    const { bell, redis } = bellBefore(0);
    expect(await bell.isReachable()).toBe(true);
    redis.onlyReads = true;
    expect(await bell.isReachable()).toBe(false);
  });
});
