import type { Settings } from '../../config/settings.js';
import type { IssuanceBell } from './issuance-bell.js';
import { type Consumer, QueueWatchdog } from './queue-watchdog.js';

const LOOKS_TO_WATCH = 40;

/** A worker under watch for so many looks, five seconds apart: what it had done, whether it had room, what Redis said. */
async function watched(moment: (look: number) => { begun: number; hasRoom?: boolean; waiting: number | Error; onlyReads?: boolean }): Promise<{ ended: boolean; looks: number }> {
  let look = 0;
  let ended = false;
  const now = (): ReturnType<typeof moment> => moment(look);
  const bell = {
    isReachable: async () => now().onlyReads !== true,
    waitingJobs: async () => {
      const { waiting } = now();
      if (waiting instanceof Error) throw waiting;
      return waiting;
    },
  } as IssuanceBell;
  class Watchdog extends QueueWatchdog {
    protected override end(): void {
      ended = true;
      over();
    }
  }
  let over: () => void = () => undefined;
  const done = new Promise<void>((resolve) => (over = resolve));
  const sleeper = {
    sleep: async (_milliseconds: number, signal?: AbortSignal) => {
      look += 1;
      if (look > LOOKS_TO_WATCH) over();
      if (look > LOOKS_TO_WATCH) await new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted'))));
    },
  };
  const clock = { now: () => new Date(look * 5_000) };
  const watchdog = new Watchdog(bell, clock, sleeper, { WATCHDOG_SECONDS: 30 } as Settings);
  const consumer: Consumer = { begun: () => now().begun, hasRoom: () => now().hasRoom ?? true };
  watchdog.watch(consumer);
  await done;
  await watchdog.onApplicationShutdown();
  return { ended, looks: look };
}

describe('QueueWatchdog', () => {
  it('ends a worker that takes no job for 30 seconds although jobs wait and it has room', async () => {
    expect(await watched(() => ({ begun: 7, waiting: 3 }))).toEqual({ ended: true, looks: 7 });
  });

  it.each([
    ['that takes jobs', (look: number) => ({ begun: look, waiting: 3 })],
    ['that takes one now and then', (look: number) => ({ begun: Math.floor(look / 5), waiting: 3 })],
    ['with nothing to take', () => ({ begun: 7, waiting: 0 })],
    ['with its hands full', () => ({ begun: 7, waiting: 3, hasRoom: false })],
    ['that cannot reach Redis', () => ({ begun: 7, waiting: new Error('Redis is not connected') })],
    ['whose Redis only reads', () => ({ begun: 7, waiting: 3, onlyReads: true })],
    ['whose queue is empty at times', (look: number) => ({ begun: 7, waiting: look % 5 })],
  ])('leaves one alone %s', async (_name, moment) => {
    expect(await watched(moment)).toMatchObject({ ended: false });
  });
});
