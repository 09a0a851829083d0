import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Queue from 'bull';
import { Redis } from 'ioredis';
import { type EmbeddedRedis, findRedis, startEmbeddedRedis } from '../../src/platform/embedded/redis.js';
import { isRunning, untilGone } from '../support/processes.js';

const compiled = join(process.cwd(), 'dist/src/platform/embedded/redis.js');

const preferred = findRedis(process.env['PATH'] ?? '').kind;
const kinds = preferred === 'js-redis-server' ? [preferred] : [preferred, 'js-redis-server' as const];

describe.each(kinds)('embedded Redis: %s', (kind) => {
  let server: EmbeddedRedis;
  beforeAll(async () => {
    server = await startEmbeddedRedis({ kind });
  });
  afterAll(() => server.stop());

  it('runs every Bull job once, also delayed and repeated ones', async () => {
    const queue = new Queue<{ n: number }>('spec', server.url);
    const seen: number[] = [];
    let failures = 0;
    const done = new Promise<void>((resolve) => {
      void queue.process(4, (job) => {
        if (job.data.n === 7 && failures++ === 0) throw new Error('once');
        seen.push(job.data.n);
        if (seen.length === 50) resolve();
      });
    });
    await queue.addBulk(
      Array.from({ length: 50 }, (_, n) => ({ data: { n }, opts: n % 10 === 0 ? { delay: 100 } : { attempts: 2 } })),
    );
    await done;
    expect([...seen].sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, n) => n));
    await queue.close();
  });

  it('answers BRPOPLPUSH at once, after a wait, and with nothing after its time', async () => {
    const [waiting, pushing] = [new Redis(server.url), new Redis(server.url)];
    await pushing.lpush('ready', 'a', 'b');
    expect(await waiting.brpoplpush('ready', 'taken', 1)).toBe('a');
    const later = waiting.brpoplpush('empty', 'taken', 5);
    await sleep(50);
    await pushing.lpush('empty', 'c');
    expect(await later).toBe('c');
    expect(await waiting.brpoplpush('empty', 'taken', 0.1)).toBeNull();
    expect(await pushing.lrange('taken', 0, -1)).toEqual(['c', 'a']);
    waiting.disconnect();
    pushing.disconnect();
  });

  it('gives nothing to a client that vanished while it waited', async () => {
    const [vanishing, client] = [new Redis(server.url), new Redis(server.url)];
    const never = vanishing.brpoplpush('jobs', 'active', 0).catch(() => 'closed');
    await sleep(50);
    vanishing.disconnect();
    expect(await never).toBe('closed');
    await sleep(50);
    await client.lpush('jobs', 'job');
    await sleep(50);
    expect(await client.lrange('jobs', 0, -1)).toEqual(['job']);
    expect(await client.llen('active')).toBe(0);
    client.disconnect();
  });

  it('offers 64 databases that do not see each other', async () => {
    const [low, high] = [new Redis(`${server.url}/0`), new Redis(`${server.url}/63`)];
    await low.set('who', 'low');
    expect(await high.get('who')).toBeNull();
    low.disconnect();
    high.disconnect();
  });

  it('does not survive kill -9 of the process that started it', async () => {
    const script = `
      const { startEmbeddedRedis } = await import(${JSON.stringify(compiled)});
      const { pid } = await startEmbeddedRedis({ kind: ${JSON.stringify(kind)} });
      process.stdout.write(pid + '\\n');
      setInterval(() => {}, 1000);`;
    const parent = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const pid = Number(await new Promise<string>((resolve) => parent.stdout.once('data', (data) => resolve(String(data)))));
    expect(isRunning(pid)).toBe(true);
    parent.kill('SIGKILL');
    await untilGone(pid);
  });
});
