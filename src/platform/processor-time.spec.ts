import { processorTimeUsed } from './processor-time.js';

const usedMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

describe('waiting for processor time to be used', () => {
  it('ends once it is used, however short the clock says that took', async () => {
    const burning = {
      sleep: (): Promise<void> => {
        const until = usedMs() + 30;
        while (usedMs() < until);
        return Promise.resolve();
      },
    };
    const before = usedMs();
    await processorTimeUsed(100, burning, new AbortController().signal);
    expect(usedMs() - before).toBeGreaterThanOrEqual(100);
  });

  it('goes on while the clock alone has passed, and ends when told to', async () => {
    const stop = new AbortController();
    let slept = 0;
    const idle = {
      sleep: async (milliseconds: number, signal?: AbortSignal): Promise<void> => {
        slept += milliseconds;
        if (slept > 1_000_000) stop.abort(new Error('enough'));
        await Promise.resolve();
        signal?.throwIfAborted();
      },
    };
    await expect(processorTimeUsed(60_000, idle, stop.signal)).rejects.toThrow('enough');
    expect(slept).toBeGreaterThan(1_000_000);
  });
});
