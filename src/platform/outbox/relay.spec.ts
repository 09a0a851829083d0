import { Logger } from '@nestjs/common';
import { KillPoints } from '../faults/kill-points.js';
import { OutboxRelay } from './relay.js';
import { StepGates } from './step-gates.js';

beforeAll(() => Logger.overrideLogger(false));

const SETTINGS = { RELAY_INTERVAL_MS: 200, RELAY_PATIENCE_SECONDS: 5 } as never;

describe('how often the relay looks for due work', () => {
  /** Every look takes 40 ms, and a nudge comes meanwhile. @returns its waits until it has looked three times */
  const waits = async (found: number, held: ReadonlyMap<string, number>): Promise<number[]> => {
    let elapsed = 0;
    let looks = 0;
    const slept: number[] = [];
    const gates = new StepGates();
    gates.register({ stepCapacity: () => held, openSince: () => undefined });
    let lookedEnough: (value: unknown) => void = () => undefined;
    const enough = new Promise((resolve) => (lookedEnough = resolve));
    const announce = (): Promise<unknown[]> => {
      elapsed += 40;
      looks += 1;
      relay.nudge();
      if (looks === 3) lookedEnough(null);
      return Promise.resolve(Array.from({ length: found }, () => ({})));
    };
    const sleeper = {
      sleep: (milliseconds: number, signal?: AbortSignal): Promise<void> => {
        if (signal?.aborted === true) return Promise.reject(new Error('aborted'));
        slept.push(milliseconds);
        elapsed += milliseconds;
        return Promise.resolve();
      },
    };
    const bell = { roomToRefill: () => Promise.resolve(12), ring: () => Promise.resolve() };
    const relay: OutboxRelay = new OutboxRelay({ announce } as never, bell as never, gates, new KillPoints({ FAULTS: '' } as never, sleeper), { now: () => new Date(elapsed) }, sleeper, SETTINGS);
    relay.onApplicationBootstrap();
    await enough;
    await relay.onApplicationShutdown();
    return slept.slice(0, 2);
  };

  it('at once when it is nudged', async () => {
    expect(await waits(0, new Map())).toEqual([]);
    expect(await waits(2, new Map([['authorize', 0]]))).toEqual([]);
  });

  it('not before a rest where something is held up and it found nothing: then a look walks past all of that', async () => {
    expect(await waits(0, new Map([['authorize', 0]]))).toEqual([360, 360]);
  });
});

describe('what the bell does not bring to anybody', () => {
  /** Four documents are due at the first look. @returns what became of them: `queue`, or each as `taken` by this worker or `left` */
  const broughtBy = async (bell: { readonly room: () => Promise<number>; readonly ring: () => Promise<void> }, free: number): Promise<string[]> => {
    const lines: string[] = [];
    let looks = 0;
    let over: (value: unknown) => void = () => undefined;
    const ended = new Promise((resolve) => (over = resolve));
    const work = {
      announce: (_now: Date, _patience: number, limit: number) => {
        looks += 1;
        return Promise.resolve(looks === 1 ? ['1', '2', '3', '4'].slice(0, limit).map((documentId) => ({ documentId })) : []);
      },
      leaveToRelay: (left: readonly { documentId: string }[]) => {
        lines.push(...left.map(({ documentId }) => `left ${documentId}`));
        return Promise.resolve();
      },
    };
    // Its first wait is the end of the first look.
    const sleeper = { sleep: (_ms: number, signal?: AbortSignal): Promise<void> => {
      over(null);
      return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => { reject(new Error('aborted')); }));
    } };
    const ring = async (): Promise<void> => bell.ring().then(() => void lines.push('queue'));
    const relay = new OutboxRelay(
      work as never, { roomToRefill: bell.room, ring } as never, new StepGates(), new KillPoints({ FAULTS: '' } as never, sleeper),
      { now: () => new Date(0) }, sleeper, SETTINGS,
    );
    relay.fallBackTo({ free: () => free, begin: ({ documentId }) => lines.push(`taken ${documentId}`) });
    relay.onApplicationBootstrap();
    await ended;
    await relay.onApplicationShutdown();
    return lines;
  };
  const away = (): Promise<never> => Promise.reject(new Error('Redis is not connected'));

  it('is nothing while Redis takes jobs', async () => {
    expect(await broughtBy({ room: () => Promise.resolve(12), ring: () => Promise.resolve() }, 8)).toEqual(['queue']);
  });

  it('is taken by this worker, as much as it has room for', async () => {
    expect(await broughtBy({ room: away, ring: away }, 3)).toEqual(['taken 1', 'taken 2', 'taken 3']);
    expect(await broughtBy({ room: away, ring: away }, 0)).toEqual([]);
  });

  it('is left to be looked for again where Redis fails after more was looked for than it has room for', async () => {
    expect(await broughtBy({ room: () => Promise.resolve(12), ring: away }, 3)).toEqual(['taken 1', 'taken 2', 'taken 3', 'left 4']);
  });
});
