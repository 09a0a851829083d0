import { type Entry, SriBreaker } from './sri-breaker.js';

const START = Date.parse('2026-11-21T15:00:00Z');

describe('the breaker of the SRI’s services', () => {
  let elapsed: number;
  let breaker: SriBreaker;
  beforeEach(() => {
    elapsed = 0;
    breaker = new SriBreaker({ now: () => new Date(START + elapsed) }, { WORKER_CONCURRENCY: 24, SRI_LONGEST_BREAK_SECONDS: 60, SRI_RAMP_SECONDS: 60 });
  });

  const go = (): Extract<Entry, { kind: 'go' }> => {
    const entry = breaker.enter('reception');
    if (entry.kind !== 'go') throw new Error(`expected to go, is told to wait: ${entry.reason}`);
    return entry;
  };
  const calls = (count: number, answered: boolean): void => {
    for (let i = 0; i < count; i += 1) go().leave(answered);
  };
  const waits = (): [string, number] | null => {
    const entry = breaker.enter('reception');
    if (entry.kind === 'wait') return [entry.reason, entry.until.getTime() - START - elapsed];
    entry.leave(true);
    return null;
  };

  it('opens after five calls in a row without an answer, and one answer between them starts the count anew', () => {
    calls(4, false);
    calls(1, true);
    calls(4, false);
    expect(waits()).toBeNull();
    calls(5, false);
    expect(waits()).toEqual(['breaker_open', 2_000]);
  });

  it('half an outage stops one half', () => {
    calls(5, false);
    expect(breaker.enter('authorization').kind).toBe('go');
    expect(breaker.enter('consultation').kind).toBe('go');
  });

  it('lets one probe through when its time is over, the others wait for it', () => {
    calls(5, false);
    elapsed = 2_000;
    const probe = go();
    expect(waits()).toEqual(['breaker_open', 1_000]);
    probe.leave(false);
    expect(waits()).toEqual(['breaker_open', 4_000]);
  });

  it('waits longer after each failed probe, up to a minute', () => {
    calls(5, false);
    const pauses: number[] = [];
    for (let i = 0; i < 7; i += 1) {
      const [, pause] = waits()!;
      pauses.push(pause);
      elapsed += pause;
      go().leave(false);
    }
    expect(pauses).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  });

  it('ramps up after an outage: a quarter of the concurrency for a minute, then half, then all', () => {
    calls(5, false);
    elapsed = 2_000;
    go().leave(true);
    const most = (): number => {
      const held: Extract<Entry, { kind: 'go' }>[] = [];
      for (let entry = breaker.enter('reception'); entry.kind === 'go' && held.length < 50; entry = breaker.enter('reception')) held.push(entry);
      for (const entry of held) entry.leave(true);
      return held.length;
    };
    expect(most()).toBe(6);
    elapsed += 59_999;
    expect(most()).toBe(6);
    elapsed += 1;
    expect(most()).toBe(12);
    elapsed += 60_000;
    expect(most()).toBe(50);
  });

  it('leaving twice counts once', () => {
    calls(4, false);
    const entry = go();
    entry.leave(true);
    entry.leave(false);
    expect(waits()).toBeNull();
    calls(4, false);
    expect(waits()).toBeNull();
  });
});
