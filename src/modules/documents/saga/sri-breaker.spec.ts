import { type Admission, SriBreaker } from './sri-breaker.js';

const START = Date.parse('2026-11-21T15:00:00Z');

describe('the breaker of the SRI’s services', () => {
  let elapsed: number;
  let breaker: SriBreaker;
  beforeEach(() => {
    elapsed = 0;
    breaker = new SriBreaker({ now: () => new Date(START + elapsed) }, { WORKER_CONCURRENCY: 24, SRI_LONGEST_BREAK_SECONDS: 60, SRI_RAMP_SECONDS: 60 });
  });

  const go = (): Extract<Admission, { kind: 'go' }> => {
    const permit = breaker.acquire('reception');
    if (permit.kind !== 'go') throw new Error(`expected to go, is told to wait: ${permit.reason}`);
    return permit;
  };
  const calls = (count: number, answered: boolean): void => {
    for (let i = 0; i < count; i += 1) go().report(answered);
  };
  const waits = (): [string, number] | null => {
    const permit = breaker.acquire('reception');
    if (permit.kind === 'wait') return [permit.reason, permit.until.getTime() - START - elapsed];
    permit.report(true);
    return null;
  };

  /** How long until the service may be called again, asked as often as it says. */
  const breakMs = (): number => {
    const at = elapsed;
    for (;;) {
      const permit = breaker.acquire('reception');
      if (permit.kind === 'go') {
        permit.release();
        break;
      }
      elapsed = permit.until.getTime() - START;
    }
    const passed = elapsed - at;
    elapsed = at;
    return passed;
  };

  it('opens after five calls in a row without an answer, and one answer between them starts the count anew', () => {
    calls(4, false);
    calls(1, true);
    calls(4, false);
    expect(waits()).toBeNull();
    calls(5, false);
    expect(breakMs()).toBe(2_000);
  });

  it('puts a document off by a second, however long the break is: another worker may reach the SRI', () => {
    calls(5, false);
    for (let i = 0; i < 6; i += 1) {
      elapsed += breakMs();
      go().report(false);
    }
    expect(breakMs()).toBe(60_000);
    expect(waits()).toEqual(['breaker_open', 1_000]);
    elapsed += 59_600;
    expect(waits()).toEqual(['breaker_open', 400]);
  });

  it('half an outage stops one half', () => {
    calls(5, false);
    expect(breaker.acquire('authorization').kind).toBe('go');
    expect(breaker.acquire('consultation').kind).toBe('go');
  });

  it('lets one probe through when its time is over, the others wait for it', () => {
    calls(5, false);
    elapsed = 2_000;
    const probe = go();
    expect(waits()).toEqual(['breaker_open', 1_000]);
    probe.report(false);
    expect(breakMs()).toBe(4_000);
  });

  it('waits longer after each failed probe, up to a minute', () => {
    calls(5, false);
    const pauses: number[] = [];
    for (let i = 0; i < 7; i += 1) {
      const pause = breakMs();
      pauses.push(pause);
      elapsed += pause;
      go().report(false);
    }
    expect(pauses).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  });

  it('probes at once where the clock is put back further than a break lasts', () => {
    calls(5, false);
    const room = (): number | undefined => breaker.stepCapacity().get('submit');
    expect([room(), breakMs()]).toEqual([0, 2_000]);
    elapsed -= 3_600_000;
    expect([room(), breaker.openSince('submit')]).toEqual([1, new Date(START + 2_000)]);
    go().report(false);
    expect([room(), breakMs()]).toEqual([0, 4_000]);
  });

  it('ramps up after an outage: a quarter of the concurrency for a minute, then half, then all', () => {
    calls(5, false);
    elapsed = 2_000;
    go().report(true);
    const most = (): number => {
      const held: Extract<Admission, { kind: 'go' }>[] = [];
      for (let permit = breaker.acquire('reception'); permit.kind === 'go' && held.length < 50; permit = breaker.acquire('reception')) held.push(permit);
      for (const permit of held) permit.report(true);
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

  it.each([
    [1, [1, 0], [1, 0]],
    [8, [1, 1], [2, 2]],
    [12, [2, 1], [3, 3]],
    [24, [3, 3], [6, 6]],
  ])('of %i places, documents that waited for it get at most half of each part: %j, then %j of them and of others', (concurrency, quarter, half) => {
    breaker = new SriBreaker({ now: () => new Date(START + elapsed) }, { WORKER_CONCURRENCY: concurrency, SRI_LONGEST_BREAK_SECONDS: 60, SRI_RAMP_SECONDS: 60 });
    const admitted = (acceptedAt: Date): Extract<Admission, { kind: 'go' }>[] => {
      const held: Extract<Admission, { kind: 'go' }>[] = [];
      for (let permit = breaker.acquire('reception', acceptedAt); permit.kind === 'go' && held.length < 50; permit = breaker.acquire('reception', acceptedAt)) held.push(permit);
      return held;
    };
    const [before, after] = [new Date(START), new Date(START + 2_000)];
    const parts = (): number[] => {
      const waited = admitted(before);
      const fresh = admitted(after);
      const shares = [waited.length, fresh.length];
      expect(admitted(before)).toEqual([]);
      for (const permit of waited.splice(0, 1)) permit.report(true);
      // A place that it gives back is its own again.
      expect(admitted(before).map((permit) => permit.report(true))).toHaveLength(1);
      for (const permit of [...waited, ...fresh]) permit.report(true);
      return shares;
    };
    calls(5, false);
    elapsed = 2_000;
    go().report(true);
    expect(parts()).toEqual(quarter);
    elapsed += 60_000;
    expect(parts()).toEqual(half);
    elapsed += 60_000;
    expect(admitted(before)).toHaveLength(50);
  });

  it('tells the relay how much of each step may be begun, and since when nobody but us is late', () => {
    const told = (step: string): [number | undefined, number | null | undefined] => {
      const since = breaker.openSince(step);
      return [new Map<string, number>(breaker.stepCapacity()).get(step), since && since.getTime() - START];
    };
    const at = (service: 'reception' | 'authorization', acceptedAt?: Date): Extract<Admission, { kind: 'go' }> => {
      const permit = breaker.acquire(service, acceptedAt);
      if (permit.kind !== 'go') throw new Error(`expected to go, is told to wait: ${permit.reason}`);
      return permit;
    };
    expect(['prepare', 'webhook'].map(told)).toEqual([[undefined, undefined], [undefined, undefined]]);
    // Of a service that it has never heard of, a process does not know since when it is away.
    expect(['submit', 'authorize', 'watch'].map(told)).toEqual([[undefined, 0], [undefined, 0], [undefined, 0]]);
    elapsed = 0;
    const known = breaker.acquire('consultation');
    if (known.kind === 'go') known.report(true);
    for (const service of ['reception', 'authorization'] as const) for (let i = 0; i < 5; i += 1) at(service).report(false);
    expect(['prepare', 'submit', 'authorize', 'watch'].map(told)).toEqual([[undefined, undefined], [0, null], [0, null], [undefined, undefined]]);
    elapsed = 2_500;
    expect(['submit', 'authorize'].map(told)).toEqual([[1, 2_000], [1, 2_000]]);
    const probes = [at('reception'), at('authorization')];
    expect(['submit', 'authorize'].map(told)).toEqual([[0, null], [0, null]]);
    elapsed = 3_000;
    for (const probe of probes) probe.report(true);
    expect(['submit', 'authorize'].map(told)).toEqual([[3, 3_000], [6, 3_000]]);
    // Those that waited fill half of a part, those that did not all of it.
    const waited = [at('reception', new Date(START)), at('reception', new Date(START))];
    const fresh = [at('reception'), at('reception'), at('reception')];
    expect(told('submit')).toEqual([1, 3_000]);
    const last = at('reception');
    expect(told('submit')).toEqual([0, 3_000]);
    const asked = at('authorization');
    expect(told('authorize')).toEqual([5, 3_000]);
    for (const call of [...waited, ...fresh, last, asked]) call.report(true);
    elapsed += 120_000;
    expect(['submit', 'authorize'].map(told)).toEqual([[undefined, 3_000], [undefined, 3_000]]);
  });

  it('a burst of calls that fail together opens it once, for the first pause', () => {
    const burst = Array.from({ length: 24 }, go);
    for (const permit of burst) permit.report(false);
    expect(breakMs()).toBe(2_000);
    elapsed = 2_000;
    go().report(false);
    expect(breakMs()).toBe(4_000);
  });

  it('a call from before the pause that ends late neither makes room for a second probe nor lengthens the pause', () => {
    const late = [go(), go()];
    calls(5, false);
    elapsed = 1_500;
    late[0]!.report(false);
    expect(waits()).toEqual(['breaker_open', 500]);
    elapsed = 2_000;
    const probe = go();
    late[1]!.report(false);
    expect(waits()).toEqual(['breaker_open', 1_000]);
    probe.report(false);
    expect(breakMs()).toBe(4_000);
  });

  it('a late answer ends the pause, and the probe under way then is a call like any other', () => {
    const late = go();
    calls(5, false);
    elapsed = 2_000;
    const probe = go();
    late.report(true);
    expect(waits()).toBeNull();
    calls(5, false);
    expect(breakMs()).toBe(2_000);
    elapsed = 4_000;
    const next = go();
    probe.report(false);
    expect(waits()).toEqual(['breaker_open', 1_000]);
    next.report(false);
    expect(breakMs()).toBe(4_000);
  });

  it('a call given up for a fault of our own says nothing of the SRI, and gives its place back', () => {
    for (let i = 0; i < 20; i += 1) go().release();
    calls(4, false);
    go().release();
    calls(1, false);
    expect(breakMs()).toBe(2_000);
    elapsed = 2_000;
    go().release();
    const probe = go();
    probe.report(true);
    probe.release();
    const held = Array.from({ length: 6 }, go);
    expect(waits()).toEqual(['ramp', 500]);
    held[0]!.release();
    expect(waits()).toBeNull();
  });

  it('reporting twice counts once', () => {
    calls(4, false);
    const permit = go();
    permit.report(true);
    permit.report(false);
    expect(waits()).toBeNull();
    calls(4, false);
    expect(waits()).toBeNull();
  });
});
