import { KillPoints } from '../faults/kill-points.js';
import { OutboxRelay } from './relay.js';
import { StepGates } from './step-gates.js';

const SETTINGS = { RELAY_INTERVAL_MS: 200, RELAY_PATIENCE_SECONDS: 5 } as never;

describe('how often the relay looks for due work', () => {
  /** Every look takes 40 ms, and a nudge comes meanwhile. @returns its waits until it has looked three times */
  const waits = async (found: number, held: ReadonlyMap<string, number>): Promise<number[]> => {
    let elapsed = 0;
    let looks = 0;
    const slept: number[] = [];
    const gates = new StepGates();
    gates.heed({ places: () => held, openSince: () => undefined });
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
