import { StepGates } from '../../../platform/outbox/step-gates.js';
import { Shutdown } from '../../../platform/shutdown/shutdown.js';
import type { SriService } from '../../../sri/soap/classification.js';
import { type Admission, type CallPermit, SriBreaker } from './sri-breaker.js';
import { callsAtOnce, SriCalls } from './sri-calls.js';

const START = Date.parse('2026-11-21T15:00:00Z');
const SETTINGS = { LEASE_SECONDS: 60, SRI_TIMEOUT_SECONDS: 30, SHUTDOWN_SECONDS: 25, WORKER_CONCURRENCY: 24, SRI_LONGEST_BREAK_SECONDS: 60, SRI_RAMP_SECONDS: 60 };

describe('calls of the SRI that a worker has under way', () => {
  let elapsed: number;
  /** Each sleep ends when its time is over by this clock. */
  let sleeping: { readonly until: number; readonly wake: () => void }[];
  let calls: SriCalls;
  let breaker: SriBreaker;
  let shutdown: Shutdown;
  let made: (settings: typeof SETTINGS) => SriCalls;
  beforeEach(() => {
    elapsed = 0;
    sleeping = [];
    const clock = { now: () => new Date(START + elapsed) };
    shutdown = new Shutdown(SETTINGS);
    breaker = new SriBreaker(clock, SETTINGS);
    const sleeper = { sleep: (milliseconds: number) => new Promise<void>((wake) => sleeping.push({ until: elapsed + milliseconds, wake })) };
    made = (settings) => new SriCalls(breaker, clock, sleeper, settings, shutdown, new StepGates());
    calls = made(SETTINGS);
  });

  const pass = async (milliseconds: number): Promise<void> => {
    elapsed += milliseconds;
    for (const { until, wake } of sleeping) if (until <= elapsed) wake();
    await new Promise(setImmediate);
  };
  const go = async (service: SriService = 'reception'): Promise<CallPermit> => permitted(await calls.acquire(service));
  const permitted = (admission: Admission): CallPermit => {
    if (admission.kind !== 'go') throw new Error(`expected to go, is told to wait: ${admission.reason}`);
    return admission;
  };
  const all = (service: SriService = 'reception'): Promise<CallPermit[]> => Promise.all(Array.from({ length: 8 }, () => go(service)));
  const room = (step: string): number | undefined => calls.stepCapacity().get(step);

  it.each([[1, 8], [24, 8], [25, 9], [96, 32], [500, 32]])('of %i documents at once, %i', (concurrency, most) => {
    expect(callsAtOnce(concurrency)).toBe(most);
  });

  it('are as many of each service as it has connections; a slow service takes none of the others', async () => {
    await all('authorization');
    const permits = await all();
    const ninth = calls.acquire('reception');
    await pass(499);
    await expect(Promise.race([ninth, Promise.resolve('waits')])).resolves.toBe('waits');
    permits[0]!.report(true);
    expect((await ninth).kind).toBe('go');
  });

  it('go on in the order in which they came, each once', async () => {
    const permits = await all();
    const order: number[] = [];
    const waiting = [1, 2, 3].map((number) => calls.acquire('reception').then((admission) => (order.push(number), permitted(admission))));
    permits[0]!.release();
    permits[0]!.release();
    permits[0]!.report(true);
    await pass(0);
    expect(order).toEqual([1]);
    (await waiting[0]!).report(true);
    permits[1]!.report(false);
    await pass(0);
    expect(order).toEqual([1, 2, 3]);
    await pass(10_000);
    for (const permit of [...permits.slice(2), ...(await Promise.all(waiting.slice(1)))]) permit.report(true);
    // Nobody has kept a place or given back more than his own.
    await all();
    const ninth = calls.acquire('reception', { turn: 'fresh' });
    await pass(500);
    expect(await ninth).toMatchObject({ kind: 'wait', reason: 'crowded' });
  });

  it('are put off when none ends in time, and for a while no more of their step are announced than there is room for, or two for the next places', async () => {
    const permits = await all();
    const ninth = calls.acquire('reception', { turn: 'fresh' });
    expect(room('submit')).toBeUndefined();
    await pass(500);
    expect(await ninth).toEqual({ kind: 'wait', reason: 'crowded', until: new Date(START + 1_000) });
    expect(['prepare', 'submit', 'authorize', 'watch'].map(room)).toEqual([undefined, 2, undefined, undefined]);
    permits[0]!.report(true);
    permits[1]!.report(true);
    expect(room('submit')).toBe(2);
    await pass(5_000);
    expect(room('submit')).toBeUndefined();
    // Who gave up waiting is not called.
    await go();
    await go();
    expect(calls.openSince('submit')).toBeUndefined();
  });

  it('of a step that goes on asking come next, whoever waits', async () => {
    const permits = await all();
    const waiting = calls.acquire('reception');
    const next = calls.acquire('reception', { turn: 'next' });
    permits[0]!.report(true);
    const again = permitted(await next);
    await pass(5_000);
    expect(await waiting).toMatchObject({ reason: 'crowded' });
    const patient = calls.acquire('reception', { turn: 'next' });
    await pass(20_000);
    again.report(true);
    expect((await patient).kind).toBe('go');
  });

  it.each([
    ['five seconds', 60, 5_000],
    ['as long as their lease holds the call', 33, 2_000],
    ['as long as the others at least', 31, 500],
  ])('wait for the next places for %s; all others of those that came for half a second', async (_, LEASE_SECONDS, patience) => {
    calls = made({ ...SETTINGS, LEASE_SECONDS });
    await all();
    const ends: string[] = [];
    for (const who of ['first', 'second', 'third']) void calls.acquire('reception').then(({ kind }) => ends.push(`${who} ${kind}`));
    await pass(499);
    expect(ends).toEqual([]);
    await pass(1);
    expect(ends).toContain('third wait');
    expect(ends).toHaveLength(patience === 500 ? 3 : 1);
    await pass(patience - 501);
    expect(ends).toHaveLength(patience === 500 ? 3 : 1);
    await pass(1);
    expect(ends).toHaveLength(3);
  });

  it('are begun no more once the process is to stop', async () => {
    const permits = await all();
    const waiting = calls.acquire('reception');
    shutdown.onModuleDestroy();
    permits[0]!.report(true);
    expect(await waiting).toEqual({ kind: 'wait', reason: 'crowded', until: new Date(START) });
    permits[1]!.report(true);
    expect(await calls.acquire('reception', { turn: 'next' })).toMatchObject({ kind: 'wait' });
  });

  it('of what was put off come before those that follow their signature, however many these are, and two of them always wait', async () => {
    let permits = await all();
    const fresh = (): Promise<Admission> => calls.acquire('reception', { turn: 'fresh' });
    const vain = fresh();
    await pass(500);
    expect(await vain).toMatchObject({ reason: 'crowded' });
    const order: string[] = [];
    const waits = (who: string, admission: Promise<Admission>): Promise<CallPermit> => admission.then((it) => (order.push(who), permitted(it)));
    const waiting = [waits('fresh', fresh()), waits('fresh', fresh())];
    expect(room('submit')).toBe(2);
    waiting.push(waits('put off', calls.acquire('reception')));
    expect(room('submit')).toBe(1);
    waiting.push(waits('put off later', calls.acquire('reception')), waits('next', calls.acquire('reception', { turn: 'next' })));
    await pass(0);
    for (const permit of permits.slice(0, 5)) permit.report(true);
    permits = await Promise.all(waiting);
    expect(order).toEqual(['next', 'put off', 'put off later', 'fresh', 'fresh']);
    expect(room('submit')).toBe(2);
    for (const permit of permits) permit.report(true);
    expect(room('submit')).toBe(5);
  });

  it('are permitted as the breaker says once they have a place, and give it back when it says no', async () => {
    const permits = await all();
    const waiting = calls.acquire('reception');
    for (const permit of permits) permit.report(false);
    expect(await waiting).toMatchObject({ kind: 'wait', reason: 'breaker_open' });
    for (let tries = 0; tries < 20; tries += 1) expect(await calls.acquire('reception')).toMatchObject({ kind: 'wait', reason: 'breaker_open' });
    expect(room('submit')).toBe(0);
    await pass(2_000);
    (await go()).report(true);
    expect(room('submit')).toBe(breaker.stepCapacity().get('submit'));
    await Promise.all(Array.from({ length: 6 }, () => go()));
    expect(await calls.acquire('reception')).toMatchObject({ kind: 'wait', reason: 'ramp' });
  });
});
